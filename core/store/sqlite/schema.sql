-- schema.sql - the tables of a store, schema 2: rowid tables in store-wide append order, one
-- unique index each.
--
-- event and checkpoint are written by every commit. They are appended to in the order of commits,
-- whatever the session, so that a commit touches the last page of each; the unique index (an
-- event's has its kind, so that a reader of few kinds skips the rest) is the only other one.
-- Payload and body come last: the columns before them are read without their pages. mac and key_id
-- are the place for signing and sealing.
--
-- "check" answers for the other columns of its row (but for a rowid), so that a damaged row is not
-- taken for another one: see check.c. That of an event is the beginning of its digest; a checkpoint
-- has whole digests.

CREATE TABLE meta (
  key TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL,
  "check" INTEGER NOT NULL
);

CREATE TABLE session (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  status INTEGER NOT NULL,
  reason TEXT,
  epoch INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  run TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  profile TEXT,
  flow TEXT,
  input BLOB,
  "check" INTEGER NOT NULL,
  failure TEXT,
  origin INTEGER NOT NULL DEFAULT 0,
  cut INTEGER NOT NULL DEFAULT 0,
  restarts INTEGER NOT NULL DEFAULT 0,
  restarted_ms INTEGER NOT NULL DEFAULT 0,
  progress INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX session_origin ON session (origin) WHERE origin > 0;

CREATE TABLE timeline (
  session INTEGER NOT NULL REFERENCES session (no),
  no INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  cut INTEGER NOT NULL,
  "begin" INTEGER NOT NULL,
  checkpoint INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  run TEXT NOT NULL,
  parent_run TEXT NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (session, no)
) STRICT;

CREATE TABLE event (
  row INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (no),
  seq INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  scope TEXT NOT NULL,
  agent TEXT,
  mac BLOB,
  key_id BLOB,
  encoding INTEGER NOT NULL,
  plain_len INTEGER NOT NULL,
  "check" INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX event_seq ON event (session, seq, kind);

CREATE TABLE checkpoint (
  row INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (no),
  seq INTEGER NOT NULL,
  id TEXT NOT NULL,
  parent INTEGER NOT NULL,
  keyframe INTEGER NOT NULL,
  timeline INTEGER NOT NULL,
  covers INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  created_ms INTEGER NOT NULL,
  clean INTEGER NOT NULL,
  resumable INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  model_calls INTEGER NOT NULL,
  tool_calls INTEGER NOT NULL,
  unmetered INTEGER NOT NULL,
  active_us INTEGER NOT NULL,
  changed INTEGER NOT NULL,
  format INTEGER NOT NULL,
  encoding INTEGER NOT NULL,
  plain_len INTEGER NOT NULL,
  events_digest BLOB NOT NULL,
  payload_digest BLOB NOT NULL,
  digest BLOB NOT NULL,
  mac BLOB,
  key_id BLOB,
  info BLOB NOT NULL,
  payload BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX checkpoint_seq ON checkpoint (session, seq);

CREATE TABLE pin (
  session INTEGER NOT NULL REFERENCES session (no),
  seq INTEGER NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
) STRICT;

CREATE TABLE request (
  no INTEGER PRIMARY KEY,
  session INTEGER NOT NULL REFERENCES session (no),
  kind TEXT NOT NULL,
  body BLOB,
  "check" INTEGER NOT NULL
) STRICT;

CREATE TABLE fact (
  owner TEXT NOT NULL,
  key TEXT NOT NULL,
  value BLOB NOT NULL,
  updated_ms INTEGER NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (owner, key)
) STRICT;
