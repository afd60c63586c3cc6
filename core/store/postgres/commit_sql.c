/* commit_sql.c - which statement a commit has, and its text. */
#include "core/store/postgres/commit_sql.h"

/* What a statement has: bits, and a count of events above them. */
enum { HAS_CHECKPOINT = 1, HAS_UPDATE = 2, HAS_HEAD = 4, ASKS_PARENT = 8, EVENT = 16 };
_Static_assert((CK_POSTGRES_FEW_EVENTS + 2) * EVENT == CK_POSTGRES_COMMITS, "each has a number");

bool ck_postgres_asks_parent(const ck_row_batch *batch, const ck_postgres_commit_as *as) {
  return batch->checkpoint && batch->checkpoint->parent && !as->has_parent;
}

ck_postgres_sql ck_postgres_commit_of(const ck_row_batch *batch, const ck_postgres_commit_as *as) {
  int events = batch->event_count > CK_POSTGRES_FEW_EVENTS ? CK_POSTGRES_FEW_EVENTS + 1
                                                           : (int)batch->event_count;
  int has = (batch->checkpoint ? HAS_CHECKPOINT : 0) | (batch->update ? HAS_UPDATE : 0) |
            (batch->head ? HAS_HEAD : 0) | (ck_postgres_asks_parent(batch, as) ? ASKS_PARENT : 0);
  return (ck_postgres_sql)(CK_POSTGRES_COMMIT + events * EVENT + has);
}

/* ---- the texts ---- */

static const char fence[] =
    "WITH fence AS (UPDATE lease SET last_seq = CASE WHEN $5::bigint < 0 THEN last_seq ELSE $5 "
    "END, expires = clock_timestamp() + $6::bigint * interval '1 millisecond', fault = NULL WHERE "
    "session = $1::bigint AND epoch = $2::bigint AND writer = $3::bigint AND ($4::bigint = -1 OR "
    "last_seq = $4)";
static const char with_parent[] = " AND ($8::bigint <= base OR EXISTS (SELECT 1 FROM checkpoint c "
                                  "WHERE c.session = $1 AND c.seq = $8))";
static const char fenced[] =
    " RETURNING session, set_config('synchronous_commit', $7::text, true))";
enum { FENCE_ARGUMENTS = 7 };

/* From here on '?' is the next argument. */
static const char changed[] =
    ", changed AS (UPDATE session SET status = ?::bigint, reason = ?::text, failure = ?::text, "
    "node = ?::text, updated_ms = ?::bigint WHERE no = $1 AND EXISTS (SELECT FROM fence))";
static const char headed[] =
    ", headed AS (INSERT INTO head SELECT fence.session, ?::bigint, ?::bigint, ?::bigint, "
    "?::bytea, ?::bytea, ?::bytea FROM fence ON CONFLICT (session) DO UPDATE SET epoch = "
    "excluded.epoch, status = excluded.status, seq = excluded.seq, digest = excluded.digest, mac = "
    "excluded.mac, key_id = excluded.key_id)";
static const char checkpointed[] =
    ", checkpointed AS (INSERT INTO checkpoint (session, id, seq, parent, keyframe, timeline, "
    "covers, kind, created_ms, clean, resumable, cost_micros, input_tokens, output_tokens, "
    "model_calls, tool_calls, unmetered, active_us, changed, format, encoding, plain_len, "
    "events_digest, payload_digest, digest, mac, key_id, info, payload) SELECT fence.session, "
    "?::text, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, "
    "?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, "
    "?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bytea, ?::bytea, ?::bytea, "
    "?::bytea, ?::bytea, ?::bytea, ?::bytea FROM fence)";
static const char appended[] =
    ", appended AS (INSERT INTO event (session, seq, timeline, kind, at_ms, encoding, plain_len, "
    "check_sum, scope, agent, body, mac, key_id, decision) SELECT fence.session, ";
static const char one_event[] =
    "?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::bigint, ?::text, "
    "?::text, ?::bytea, ?::bytea, ?::bytea, ?::bytea";
static const char many_events[] =
    "unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[]), "
    "unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::bigint[]), unnest(?::text[]), "
    "unnest(?::text[]), unnest(?::bytea[]), unnest(?::bytea[]), unnest(?::bytea[]), "
    "unnest(?::bytea[])";

static void add(ck_buffer *out, int *argument, const char *text) {
  for (; *text; text++) {
    if (*text == '?')
      ck_buffer_append_format(out, "$%d", ++*argument);
    else
      ck_buffer_append_char(out, *text);
  }
}

static void add_events(ck_buffer *out, int *argument, int count) {
  if (count) add(out, argument, appended);
  for (int i = 0; i < count && count <= CK_POSTGRES_FEW_EVENTS; i++) {
    if (i) add(out, argument, " FROM fence UNION ALL SELECT fence.session, ");
    add(out, argument, one_event);
  }
  if (count > CK_POSTGRES_FEW_EVENTS) add(out, argument, many_events);
  if (count) add(out, argument, " FROM fence)");
}

void ck_postgres_write_commit(ck_buffer *out, ck_postgres_sql sql) {
  int has = (int)sql - CK_POSTGRES_COMMIT, argument = FENCE_ARGUMENTS;
  ck_buffer_append_text(out, fence);
  if (has & ASKS_PARENT) {
    ck_buffer_append_text(out, with_parent);
    argument++;
  }
  ck_buffer_append_text(out, fenced);
  if (has & HAS_UPDATE) add(out, &argument, changed);
  if (has & HAS_HEAD) add(out, &argument, headed);
  if (has & HAS_CHECKPOINT) add(out, &argument, checkpointed);
  add_events(out, &argument, has / EVENT);
  ck_buffer_append_text(out, " SELECT session FROM fence");
}
