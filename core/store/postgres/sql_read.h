/* sql_read.h - statements that read. Private to core/store/postgres/. */
#ifndef CK_STORE_POSTGRES_SQL_READ_H
#define CK_STORE_POSTGRES_SQL_READ_H

/* X(enumerator, text): as in sql.h. */
#define CK_POSTGRES_SQL_READ_TABLE(X)                                                       \
  X(CK_POSTGRES_GET_SESSION,                                                                \
    "SELECT s.no, s.id, s.status, s.reason, l.epoch, s.timeline, s.run, s.created_ms, "     \
    "s.updated_ms, s.profile, s.flow, s.input, s.failure, s.origin, s.cut, s.restarts, "    \
    "s.restarted_ms, s.progress, s.description, s.node FROM session s JOIN lease l ON "     \
    "l.session = s.no WHERE s.id = $1::text")                                               \
  X(CK_POSTGRES_LIST_SESSIONS,                                                              \
    "SELECT s.no, s.id, s.status, s.reason, l.epoch, s.timeline, s.run, s.created_ms, "     \
    "s.updated_ms, s.profile, s.flow, s.input, s.failure, s.origin, s.cut, s.restarts, "    \
    "s.restarted_ms, s.progress, s.description, s.node FROM session s JOIN lease l ON "     \
    "l.session = s.no WHERE s.no < $1::bigint AND ($2::bigint >> s.status::integer) & 1 = " \
    "1 AND (s.updated_ms >= $3::bigint OR s.status = 1) ORDER BY s.no DESC LIMIT 100")      \
  X(CK_POSTGRES_GET_IDENTITY,                                                               \
    "SELECT id, origin, cut, created_ms FROM session WHERE no = $1::bigint")                \
  X(CK_POSTGRES_LIST_TIMELINES,                                                             \
    "SELECT no, parent, cut, first_seq, checkpoint, attempt, run, parent_run FROM "         \
    "timeline WHERE session = $1::bigint ORDER BY no")                                      \
  X(CK_POSTGRES_GET_HEAD,                                                                   \
    "SELECT epoch, status, seq, digest, mac, key_id FROM head WHERE session = $1::bigint")  \
  X(CK_POSTGRES_GET_ABOUT,                                                                  \
    "SELECT about, run FROM timeline WHERE session = $1::bigint AND no = $2::bigint")       \
  X(CK_POSTGRES_LAST_SEQ, "SELECT max(seq) FROM event WHERE session = $1::bigint")          \
  X(CK_POSTGRES_COUNT_EVENTS, "SELECT count(*) FROM event WHERE session = $1::bigint")      \
  X(CK_POSTGRES_EVENTS,                                                                     \
    "SELECT seq, timeline, kind, at_ms, scope, agent, encoding, plain_len, check_sum, "     \
    "body, mac, key_id, decision FROM event WHERE session = $1::bigint AND seq > "          \
    "$2::bigint AND seq <= $3::bigint AND ($4::bigint >> kind::integer) & 1 = 1 AND "       \
    "($5::text IS NULL OR agent = $5 OR ($6::bigint >> kind::integer) & 1 = 1) ORDER BY "   \
    "seq LIMIT 200")                                                                        \
  X(CK_POSTGRES_EVENTS_BACKWARD,                                                            \
    "SELECT seq, timeline, kind, at_ms, scope, agent, encoding, plain_len, check_sum, "     \
    "body, mac, key_id, decision FROM event WHERE session = $1::bigint AND seq > "          \
    "$2::bigint AND seq <= $3::bigint AND ($4::bigint >> kind::integer) & 1 = 1 AND "       \
    "($5::text IS NULL OR agent = $5 OR ($6::bigint >> kind::integer) & 1 = 1) ORDER BY "   \
    "seq DESC LIMIT 200")                                                                   \
  X(CK_POSTGRES_CHECKPOINTS,                                                                \
    "SELECT id, seq, parent, keyframe, timeline, covers, kind, created_ms, clean, "         \
    "resumable, cost_micros, input_tokens, output_tokens, model_calls, tool_calls, "        \
    "unmetered, active_us, changed, format, encoding, plain_len, events_digest, "           \
    "payload_digest, digest, mac, key_id, info, length(payload)::bigint, NULL::bytea FROM " \
    "checkpoint WHERE session = $1::bigint AND seq > $2::bigint AND seq <= $3::bigint "     \
    "ORDER BY seq LIMIT 200")                                                               \
  X(CK_POSTGRES_CHECKPOINTS_BACKWARD,                                                       \
    "SELECT id, seq, parent, keyframe, timeline, covers, kind, created_ms, clean, "         \
    "resumable, cost_micros, input_tokens, output_tokens, model_calls, tool_calls, "        \
    "unmetered, active_us, changed, format, encoding, plain_len, events_digest, "           \
    "payload_digest, digest, mac, key_id, info, length(payload)::bigint, NULL::bytea FROM " \
    "checkpoint WHERE session = $1::bigint AND seq > $2::bigint AND seq <= $3::bigint "     \
    "ORDER BY seq DESC LIMIT 200")                                                          \
  X(CK_POSTGRES_PAYLOADS,                                                                   \
    "SELECT id, seq, parent, keyframe, timeline, covers, kind, created_ms, clean, "         \
    "resumable, cost_micros, input_tokens, output_tokens, model_calls, tool_calls, "        \
    "unmetered, active_us, changed, format, encoding, plain_len, events_digest, "           \
    "payload_digest, digest, mac, key_id, info, length(payload)::bigint, payload FROM "     \
    "checkpoint WHERE session = $1::bigint AND seq > $2::bigint AND seq <= $3::bigint "     \
    "ORDER BY seq LIMIT 50")                                                                \
  X(CK_POSTGRES_PAYLOADS_BACKWARD,                                                          \
    "SELECT id, seq, parent, keyframe, timeline, covers, kind, created_ms, clean, "         \
    "resumable, cost_micros, input_tokens, output_tokens, model_calls, tool_calls, "        \
    "unmetered, active_us, changed, format, encoding, plain_len, events_digest, "           \
    "payload_digest, digest, mac, key_id, info, length(payload)::bigint, payload FROM "     \
    "checkpoint WHERE session = $1::bigint AND seq > $2::bigint AND seq <= $3::bigint "     \
    "ORDER BY seq DESC LIMIT 50")                                                           \
  X(CK_POSTGRES_COUNT_CHECKPOINTS,                                                          \
    "SELECT count(*) FILTER (WHERE encoding & 8 = 0), count(*) FILTER (WHERE keyframe = "   \
    "seq AND encoding & 8 = 0), coalesce(sum(length(payload)) FILTER (WHERE encoding & 8 "  \
    "= 0), 0)::bigint, count(*) FILTER (WHERE encoding & 8 <> 0 AND length(payload) > 0) "  \
    "FROM checkpoint WHERE session = $1::bigint "                                           \
    "AND seq > $2::bigint AND seq <= $3::bigint")                                           \
  X(CK_POSTGRES_STATS,                                                                      \
    "SELECT (SELECT count(*) FROM session), (SELECT count(*) FROM event), (SELECT "         \
    "coalesce(sum(length(body)), 0)::bigint FROM event), (SELECT coalesce(sum(plain_len), " \
    "0)::bigint FROM event), (SELECT count(*) FROM checkpoint WHERE encoding & 8 = 0), "    \
    "(SELECT count(*) FROM checkpoint WHERE keyframe = seq AND encoding & 8 = 0), (SELECT " \
    "coalesce(sum(length(payload)), 0)::bigint FROM checkpoint), (SELECT "                  \
    "coalesce(sum(plain_len), 0)::bigint FROM checkpoint), (SELECT "                        \
    "coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c WHERE "        \
    "c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r')")

#endif
