-- Rows of exec_live are deleted within seconds; a short garbage-collection window keeps claims from scanning tombstones.
ALTER TABLE exec_live CONFIGURE ZONE USING gc.ttlseconds = 900;
