-- migrate_3.sql - brings a store of schema 2 to schema 3: heads, what runs executed, decisions,
-- leases, blobs. Run in one transaction.
--
-- No row is changed: in a store with a key the checks are signatures, and the key is not known
-- here. schema.sql says what each table and column is for.

ALTER TABLE session ADD COLUMN description TEXT;
ALTER TABLE session ADD COLUMN node TEXT;
ALTER TABLE timeline ADD COLUMN about BLOB;
ALTER TABLE event ADD COLUMN decision BLOB;

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

CREATE TABLE agent (
  session INTEGER NOT NULL REFERENCES session (no),
  name TEXT NOT NULL,
  "check" INTEGER NOT NULL,
  PRIMARY KEY (session, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
  session INTEGER PRIMARY KEY REFERENCES session (no),
  owner TEXT,
  expires_ms INTEGER NOT NULL DEFAULT 0,
  due_ms INTEGER,
  labels TEXT,
  "check" INTEGER NOT NULL
) STRICT;

CREATE TABLE session_key (
  session INTEGER PRIMARY KEY REFERENCES session (no),
  sealed BLOB NOT NULL,
  key_id BLOB NOT NULL,
  "check" INTEGER NOT NULL
) STRICT;

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
