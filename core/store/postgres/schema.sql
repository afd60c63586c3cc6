-- schema.sql - the tables of a store in PostgreSQL, schema 3, in a schema of the store's own.
--
-- Every commit of a session changes one narrow row, in lease, and appends to event and checkpoint.
-- No index holds a column that a commit changes, so its change stays on the row's page. The tables
-- do not reference each other: the fence in lease decides what may be written, and a check of
-- references would lock the session's row with each event.

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value BYTEA NOT NULL
);

CREATE TABLE session (
  no BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  id TEXT NOT NULL UNIQUE,
  status BIGINT NOT NULL,
  reason TEXT,
  failure TEXT,
  node TEXT,
  timeline BIGINT NOT NULL,
  run TEXT NOT NULL,
  created_ms BIGINT NOT NULL,
  updated_ms BIGINT NOT NULL,
  profile TEXT,
  flow TEXT,
  description TEXT,
  input BYTEA,
  origin BIGINT NOT NULL,
  cut BIGINT NOT NULL,
  restarts BIGINT NOT NULL DEFAULT 0,
  restarted_ms BIGINT NOT NULL DEFAULT 0,
  progress BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX session_origin ON session (origin) WHERE origin > 0;

-- Who may write a session, until when by this server's clock. epoch: the fencing token that all
-- know; writer: a random number of the connection that holds the lease, so that a commit of a lost
-- connection, which the server may still come to, is not made behind the answer that it was not.
-- base: the seq before the session's first event. last_seq: that of its last one. fault: what
-- troubles its owner, for people.
CREATE TABLE lease (
  session BIGINT PRIMARY KEY,
  epoch BIGINT NOT NULL,
  writer BIGINT NOT NULL,
  base BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  expires TIMESTAMPTZ NOT NULL,
  owner TEXT,
  fault TEXT
) WITH (fillfactor = 50);

CREATE TABLE head (
  session BIGINT PRIMARY KEY,
  epoch BIGINT NOT NULL,
  status BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  digest BYTEA NOT NULL,
  mac BYTEA,
  key_id BYTEA
);

CREATE TABLE timeline (
  session BIGINT NOT NULL,
  no BIGINT NOT NULL,
  parent BIGINT NOT NULL,
  cut BIGINT NOT NULL,
  first_seq BIGINT NOT NULL,
  checkpoint BIGINT NOT NULL,
  attempt BIGINT NOT NULL,
  run TEXT NOT NULL,
  parent_run TEXT NOT NULL,
  about BYTEA,
  PRIMARY KEY (session, no)
);

CREATE TABLE event (
  session BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  timeline BIGINT NOT NULL,
  kind BIGINT NOT NULL,
  at_ms BIGINT NOT NULL,
  encoding BIGINT NOT NULL,
  plain_len BIGINT NOT NULL,
  check_sum BIGINT NOT NULL,
  scope TEXT NOT NULL,
  agent TEXT,
  body BYTEA NOT NULL,
  mac BYTEA,
  key_id BYTEA,
  decision BYTEA,
  PRIMARY KEY (session, seq)
);

CREATE TABLE checkpoint (
  session BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  id TEXT NOT NULL,
  parent BIGINT NOT NULL,
  keyframe BIGINT NOT NULL,
  timeline BIGINT NOT NULL,
  covers BIGINT NOT NULL,
  kind BIGINT NOT NULL,
  created_ms BIGINT NOT NULL,
  clean BIGINT NOT NULL,
  resumable BIGINT NOT NULL,
  cost_micros BIGINT NOT NULL,
  input_tokens BIGINT NOT NULL,
  output_tokens BIGINT NOT NULL,
  model_calls BIGINT NOT NULL,
  tool_calls BIGINT NOT NULL,
  unmetered BIGINT NOT NULL,
  active_us BIGINT NOT NULL,
  changed BIGINT NOT NULL,
  format BIGINT NOT NULL,
  encoding BIGINT NOT NULL,
  plain_len BIGINT NOT NULL,
  events_digest BYTEA NOT NULL,
  payload_digest BYTEA NOT NULL,
  digest BYTEA NOT NULL,
  mac BYTEA,
  key_id BYTEA,
  info BYTEA NOT NULL,
  payload BYTEA NOT NULL,
  PRIMARY KEY (session, seq)
);
-- It is compressed, or sealed, already.
ALTER TABLE checkpoint ALTER payload SET STORAGE EXTERNAL;
ALTER TABLE event ALTER body SET STORAGE EXTERNAL;

CREATE TABLE pin (
  session BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (session, seq)
);

CREATE TABLE request (
  no BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  session BIGINT NOT NULL,
  kind TEXT NOT NULL,
  body BYTEA
);
CREATE INDEX request_session ON request (session, no);

CREATE TABLE fact (
  owner TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  value BYTEA NOT NULL,
  updated_ms BIGINT NOT NULL,
  PRIMARY KEY (owner, key)
);

CREATE TABLE blob (
  no BIGINT PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  name BYTEA NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  encoding BIGINT NOT NULL,
  plain_len BIGINT NOT NULL,
  body BYTEA NOT NULL
);
CREATE TABLE blob_use (
  session BIGINT NOT NULL,
  blob BIGINT NOT NULL,
  PRIMARY KEY (session, blob)
);
