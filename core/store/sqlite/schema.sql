-- schema.sql - the tables of a store, schema 3: rowid tables in store-wide append order, one unique
-- index each.
--
-- event and checkpoint are written by every commit. They are appended to in the order of commits,
-- whatever the session, so that a commit touches the last page of each; the unique index (an
-- event's has its kind, so that a reader of few kinds skips the rest) is the only other one.
-- Payload and body come last: the columns before them are read without their pages. mac and key_id
-- are the place for signing and sealing.
--
-- "check" answers for the other columns of its row (but for a rowid), so that a damaged row is not
-- taken for another one: see check.c. That of an event is the beginning of its digest; a checkpoint
-- has whole digests. Columns that a table got later stand last and may be NULL; those of session
-- and timeline enter the check only when they or one behind them are not.

CREATE TABLE meta (
  key TEXT PRIMARY KEY NOT NULL,
  value BLOB NOT NULL,
  "check" INTEGER NOT NULL
);

-- description: what the session is for, in a person's words; node: where the flow stood when the
-- status was set last. Both are texts for people, sealed in a store with a key.
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
  progress INTEGER NOT NULL DEFAULT 0,
  description TEXT,
  node TEXT
) STRICT;
CREATE INDEX session_origin ON session (origin) WHERE origin > 0;

-- How far a session has come, as its owner wrote it last: with the run's opening and with each
-- change of status, in the same transaction. digest: that of the event at seq. So events that are
-- cut off at the end are found, and a row of session that is older than the rest; with a key, mac
-- (over all of it) lets nobody else write one. pins, requests: digests of the session's pins and of
-- the requests that wait, for the same purpose; NULL: not kept.
CREATE TABLE head (
  session INTEGER PRIMARY KEY REFERENCES session (no),
  epoch INTEGER NOT NULL,
  status INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  digest BLOB NOT NULL,
  pins BLOB,
  requests BLOB,
  mac BLOB,
  key_id BLOB,
  "check" INTEGER NOT NULL
) STRICT;

-- about: what this run executed and where, a JSON object: digests of the flow, of the policies, of
-- the profile; the options that were given for this run alone; the host. Sealed in a store with a
-- key, for the run.
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
  about BLOB,
  PRIMARY KEY (session, no)
) STRICT;

-- agent: who took part; NULL: nobody, or main's agent in events that were written before it was
-- named. decision, of a boundary: what each policy answered, and the time it took, in numbers
-- alone. It is in the row's check and signature, not in the event's digest: a run that is repeated
-- may take another time.
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
  body BLOB NOT NULL,
  decision BLOB
) STRICT;
CREATE UNIQUE INDEX event_seq ON event (session, seq, kind);

-- info: a JSON object for people: the node, the agent, the description ("completed collector"), the
-- reasons of the policies.
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

-- The agents that took part in a session, for lists of sessions by agent. A session that was begun
-- under an older schema has none: they are in its events.
CREATE TABLE agent (
  session INTEGER NOT NULL REFERENCES session (no),
  name TEXT NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID;

-- Who may run a session in a store of many hosts, until when by the store's clock; and the queue:
-- due_ms says when a session may be run by anyone (NULL: not by itself, it waits for a person),
-- labels, a JSON array, by which workers. The owner's fencing token is the session's epoch.
-- Sessions whose owner is proved by a lock file have no row here.
CREATE TABLE lease (
  session INTEGER PRIMARY KEY REFERENCES session (no),
  owner TEXT,
  expires_ms INTEGER NOT NULL DEFAULT 0,
  due_ms INTEGER,
  labels TEXT,
  "check" INTEGER NOT NULL
) STRICT;

-- The key under which one session's rows are sealed, itself sealed with the store's key: destroying
-- it destroys them.
CREATE TABLE session_key (
  session INTEGER PRIMARY KEY REFERENCES session (no),
  sealed BLOB NOT NULL,
  key_id BLOB NOT NULL,
  "check" INTEGER NOT NULL
) STRICT;

-- Bytes kept once, by their content: flows and what they require, profiles, policies, pictures,
-- files, large inputs. name: the digest of the bytes, keyed in a store with a key. signatures: of
-- people over that digest, by which workers trust a flow. A blob that no session uses is deleted
-- with the last session that did.
CREATE TABLE blob (
  no INTEGER PRIMARY KEY,
  name BLOB NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  encoding INTEGER NOT NULL,
  plain_len INTEGER NOT NULL,
  mac BLOB,
  key_id BLOB,
  "check" INTEGER NOT NULL,
  body BLOB NOT NULL,
  signatures BLOB
) STRICT;
CREATE TABLE blob_use (
  session INTEGER NOT NULL REFERENCES session (no),
  blob INTEGER NOT NULL REFERENCES blob (no) DEFERRABLE INITIALLY DEFERRED,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (session, blob)
) STRICT, WITHOUT ROWID;
