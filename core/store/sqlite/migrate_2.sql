-- migrate_2.sql - brings a store of schema 1 to schema 2: failures, forks, restarts, pins and
-- facts. Run in one transaction.
--
-- A row whose check was wrong keeps it, and so stays found out: the check covers other columns now.

ALTER TABLE session ADD COLUMN failure TEXT;
ALTER TABLE session ADD COLUMN origin INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN cut INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN restarts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN restarted_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session ADD COLUMN progress INTEGER NOT NULL DEFAULT 0;
UPDATE session
  SET "check" = row_check('session', id, status, reason, epoch, timeline, run, created_ms,
    updated_ms, profile, flow, input, failure, origin, cut, restarts, restarted_ms, progress)
  WHERE "check" = row_check('session', id, status, reason, epoch, timeline, run, created_ms,
    updated_ms, profile, flow, input);
CREATE INDEX session_origin ON session (origin) WHERE origin > 0;

CREATE TABLE pin (
  session INTEGER NOT NULL REFERENCES session (no),
  seq INTEGER NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT;

CREATE TABLE fact (
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  updated_ms INTEGER NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) STRICT;

DROP INDEX event_seq;
CREATE UNIQUE INDEX event_seq ON event (session, seq, kind);
