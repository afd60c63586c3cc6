-- output.sql - long outputs of programs, in parts of a megabyte. Stores of an earlier ckrun get it
-- with the first opening that writes.

CREATE TABLE output (
  name TEXT COLLATE "C" NOT NULL,
  part BIGINT NOT NULL,
  session BIGINT NOT NULL,
  last BIGINT NOT NULL,
  check_sum BIGINT NOT NULL,
  body BYTEA NOT NULL,
  PRIMARY KEY (name, part)
);
CREATE INDEX output_session ON output (session, name);
