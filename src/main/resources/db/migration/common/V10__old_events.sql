-- Events of endpoints that are older than they are kept are found without a look at the others.
CREATE INDEX endpoint_events_by_time ON endpoint_events (at);
