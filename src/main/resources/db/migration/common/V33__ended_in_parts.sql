-- The children of one parent may be too many for one statement: then they count its end some at a time.

-- Whether some children have counted it, each of which has a mark on its edge.
ALTER TABLE ended_parents ADD COLUMN in_parts boolean NOT NULL DEFAULT false;
