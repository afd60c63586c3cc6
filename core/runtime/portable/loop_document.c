/* loop_document.c - writes a run checkpoint under the names of a loop's document, and reads it
 * back. */
#include "core/runtime/portable/loop_document.h"

#include "core/runtime/portable/blocks.h"
#include "core/runtime/portable/extension.h"
#include "core/runtime/portable/field.h"
#include "core/runtime/portable/line.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/portable/run_checkpoint.h"

/* Members that both documents have alike. */
static const char *const kept[] = {"agent", "flow", CK_EXTENSION};

/* ---- writing ---- */

static ck_status check_loop(const ck_head *head, ck_bytes run, ck_error *err) {
  if (ck_json_get(run, "agent").len) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "session %s is no conversation of one agent: --format workflow-checkpoint "
                      "gives steps away, run-checkpoint any run",
                      head->session.id);
}

static ck_status write_document(ck_value **out, const ck_head *head, const ck_totals *totals,
                                ck_bytes run, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "schema_version", CK_CARRIED_VERSION);
  ck_carried_write_run(&w, head, head->session.timeline);
  ck_json_member_text(&w, "session_id", head->session.id);
  ck_json_member_raw(&w, "turn", ck_json_get(run, "lastCompletedIteration"));
  ck_json_name(&w, "messages");
  ck_status status = ck_blocks_write(&w, ck_json_get(run, "history"), err);
  ck_carried_write_usage(&w, totals);
  ck_json_member_raw(&w, "verification_reports", ck_bytes_text("[]"));
  ck_json_member_raw(&w, "checkpoint_ms", ck_json_get(run, "checkpointedAt"));
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (ck_json_get(run, kept[i]).len) ck_json_member_raw(&w, kept[i], ck_json_get(run, kept[i]));
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

ck_status ck_loop_document_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                 const ck_totals *totals, ck_redactor *redactor, ck_error *err) {
  ck_buffer run = {0};
  ck_value *document = NULL;
  ck_status status = ck_run_checkpoint_write(&run, store, head, redactor, err);
  if (status == CK_OK) status = check_loop(head, ck_buffer_bytes(&run), err);
  if (status == CK_OK) status = write_document(&document, head, totals, ck_buffer_bytes(&run), err);
  if (status == CK_OK) status = ck_portable_append_line(out, redactor, document, err);
  ck_value_free(document);
  ck_buffer_clear(&run);
  return status;
}

/* ---- reading ---- */

bool ck_loop_document_is(ck_bytes document) {
  return ck_json_type_of(document) == CK_JSON_OBJECT &&
         ck_json_get(document, "schema_version").len && !ck_json_get(document, "steps").len &&
         (ck_json_get(document, "messages").len || ck_json_get(document, "turn").len);
}

static void append_wanted(ck_buffer *out, ck_bytes history) {
  ck_json_iterator it = ck_json_iterate(history);
  while (!out->len && ck_json_next(&it))
    if (ck_message_is(it.value, "user"))
      ck_message_append_text(out, ck_json_get(it.value, "content"));
}

typedef struct fields {
  ck_bytes run, session, messages;
  int64_t turn, at_ms;
} fields;

static ck_status read_fields(fields *out, ck_bytes document, ck_error *err) {
  static const ck_field run = {"run_id", CK_JSON_STRING, "a string"},
                        session = {"session_id", CK_JSON_STRING, "a string"},
                        messages = {"messages", CK_JSON_ARRAY, "an array"};
  ck_status status = ck_field_read(&out->run, document, "run_id", &run, err);
  if (status == CK_OK) status = ck_field_read(&out->session, document, "session_id", &session, err);
  if (status == CK_OK)
    status = ck_field_read_count(&out->turn, document, "turn", "turn",
                                 CK_RUN_CHECKPOINT_ITERATIONS_MAX, err);
  if (status == CK_OK) status = ck_field_read(&out->messages, document, "messages", &messages, err);
  return status == CK_OK ? ck_field_read_count(&out->at_ms, document, "checkpoint_ms",
                                               "checkpoint_ms", INT64_MAX, err)
                         : status;
}

static ck_status write_run(ck_buffer *out, const fields *of, ck_bytes document, ck_error *err) {
  ck_buffer history = {0}, wanted = {0};
  ck_json_writer of_history = {.out = &history}, w = {.out = out};
  ck_status status = ck_blocks_read(&of_history, of->messages, err);
  if (status == CK_OK) status = ck_buffer_check(&history, err);
  if (status == CK_OK) append_wanted(&wanted, ck_buffer_bytes(&history));
  if (status == CK_OK) status = ck_buffer_check(&wanted, err);
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "version", CK_RUN_CHECKPOINT_VERSION);
  ck_json_member_raw(&w, "runId", of->run);
  ck_json_member_raw(&w, "history", ck_buffer_bytes(&history));
  ck_json_member_int(&w, "lastCompletedIteration", of->turn);
  ck_json_name(&w, "originalInput");
  ck_json_begin(&w, '{');
  ck_json_member_string(&w, "message", ck_buffer_bytes(&wanted));
  ck_json_end(&w, '}');
  ck_json_member_int(&w, "checkpointedAt", of->at_ms);
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (ck_json_get(document, kept[i]).len)
      ck_json_member_raw(&w, kept[i], ck_json_get(document, kept[i]));
  ck_json_end(&w, '}');
  ck_buffer_clear(&history);
  ck_buffer_clear(&wanted);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

ck_status ck_loop_document_read(ck_carried *out, ck_buffer *run, ck_bytes document, ck_error *err) {
  fields of = {.turn = 0};
  ck_status status = ck_carried_check_version(document, err);
  if (status == CK_OK) status = read_fields(&of, document, err);
  if (status == CK_OK) status = ck_carried_read(out, document, true, err);
  return status == CK_OK ? write_run(run, &of, document, err) : status;
}
