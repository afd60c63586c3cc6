/* sessions_show.c - sessions show: one session, its state of affairs and how to go on. */
#include <inttypes.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/session/launch.h"
#include "core/host/inspect/lineage.h"
#include "core/host/inspect/inspect.h"
#include "core/host/inspect/runs.h"
#include "core/host/session/saving.h"
#include "core/host/print/table.h"
#include "core/host/session/next_command.h"
#include "core/host/session/fields.h"
#include "core/runtime/history/resolve.h"

typedef struct values {
  const char *session;
} values;

typedef struct view {
  const ck_host *host;
  ck_inspection look;
  ck_lineage lineage;
  ck_runs runs;
  ck_saving_view saving;
  int64_t checkpoints, keyframes, stored_bytes;
  ck_buffer doubts; /* keys, each with a NUL behind it */
  size_t doubt_count;
  ck_buffer next; /* the command that goes on; empty: there is none */
} view;

static bool add_checkpoint(void *to, const ck_checkpoint_info *checkpoint) {
  view *self = to;
  self->checkpoints++;
  self->keyframes += checkpoint->keyframe == checkpoint->seq;
  self->stored_bytes += checkpoint->stored_bytes;
  return true;
}

static void add_doubt(void *to, const char *key, const char *kind, const char *class,
                      ck_bytes request) {
  view *self = to;
  (void)kind, (void)class, (void)request;
  ck_buffer_append(&self->doubts, key, strlen(key) + 1);
  self->doubt_count++;
}

static ck_status find_next(view *self, ck_error *err) {
  const ck_session_record *session = &self->look.head.session;
  bool resumable = ck_session_status_resumable(session->status) && !self->look.live;
  if (!resumable) return CK_OK;
  ck_buffer words = {0};
  bool resolve = self->doubt_count && session->status == CK_SESSION_IN_DOUBT;
  const char *next = session->status == CK_SESSION_WAITING ? "answer %s TEXT"
                     : resolve                             ? "resolve %s EFFECT done|retry|abort"
                                                           : "resume %s";
  ck_buffer_append_format(&words, next, session->id);
  if (!words.failed) ck_next_command_append(&self->next, self->host, words.data);
  ck_status status = ck_buffer_check(&words, err);
  ck_buffer_clear(&words);
  return status == CK_OK ? ck_buffer_check(&self->next, err) : status;
}

static ck_status read_view(view *self, ck_error *err) {
  const ck_session_record *session = &self->look.head.session;
  ck_runtime runtime = {.store = self->look.store}; /* doubts are only read */
  ck_status status =
      ck_store_list_checkpoints(self->look.store, session->no, add_checkpoint, self, err);
  if (status == CK_OK) status = ck_lineage_read(&self->lineage, self->look.store, session, err);
  if (status == CK_OK && !self->look.live && ck_session_status_resumable(session->status))
    status = ck_session_list_doubts(&runtime, session->id, add_doubt, self, err);
  if (status == CK_OK)
    status = ck_runs_read(&self->runs, self->look.store, &self->look.head, self->look.live, err);
  if (status == CK_OK) status = ck_saving_read(&self->saving, self->look.store, session, err);
  if (status == CK_OK) status = ck_buffer_check(&self->doubts, err);
  return status == CK_OK ? find_next(self, err) : status;
}

static const char *reason_of(const view *self) {
  const ck_session_record *session = &self->look.head.session;
  bool died = session->status == CK_SESSION_RUNNING && !self->look.live;
  return died ? "its process is gone" : session->reason;
}

static void put_timelines(ck_document *document, const ck_head *head) {
  struct cJSON *list = ck_document_put_array(document, NULL, "timelines");
  for (size_t i = 0; i < head->timeline_count; i++) {
    const ck_timeline *timeline = &head->timelines[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_int(document, at, "timeline", timeline->no);
    ck_document_put_int(document, at, "parent", timeline->parent);
    ck_document_put_int(document, at, "cut", timeline->cut);
    ck_document_put_int(document, at, "begin", timeline->begin);
    ck_document_put_int(document, at, "checkpoint", timeline->checkpoint);
    ck_document_put_int(document, at, "attempt", timeline->attempt);
    if (timeline->session) ck_document_put_bool(document, at, "inherited", true);
    ck_document_put_text(document, at, "run", timeline->run);
    ck_document_put_text(document, at, "parent_run",
                         timeline->parent_run[0] ? timeline->parent_run : NULL);
  }
}

static ck_status print_json(view *self, ck_error *err) {
  const ck_head *head = &self->look.head;
  ck_document document;
  ck_document_init(&document, self->host->output);
  ck_fields_put_record(&document, NULL, &head->session, self->look.live);
  ck_document_put_value(&document, NULL, "input", head->session.input);
  ck_document_put_int(&document, NULL, "events", head->last_seq);
  ck_document_put_int(&document, NULL, "checkpoints", self->checkpoints);
  ck_document_put_int(&document, NULL, "keyframes", self->keyframes);
  ck_document_put_int(&document, NULL, "checkpoint_bytes", self->stored_bytes);
  if (head->has_checkpoint)
    ck_fields_put_checkpoint(&document, ck_document_put_object(&document, NULL, "head"),
                             &head->checkpoint);
  if (head->has_latest) ck_fields_put_totals(&document, NULL, &head->latest.totals);
  put_timelines(&document, head);
  ck_runs_put(&document, &self->runs);
  ck_lineage_put(&document, &self->lineage);
  ck_saving_put(&document, &self->saving);
  struct cJSON *doubts = ck_document_put_array(&document, NULL, "doubts");
  const char *key = self->doubts.data;
  for (size_t i = 0; i < self->doubt_count; i++, key += strlen(key) + 1)
    ck_document_put_text(&document, doubts, NULL, key);
  ck_document_put_text(&document, NULL, "next", self->next.data);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static void put_text(ck_table *table, const char *name, const char *text) {
  if (!text || !*text) return;
  ck_table_put_word(table, name);
  ck_table_put_text(table, ck_bytes_text(text));
}

static void put_time(ck_table *table, const char *name, int64_t wall_ms) {
  ck_table_put_word(table, name);
  ck_table_put_time(table, wall_ms);
}

static void put_count(ck_table *table, const char *name, int64_t count) {
  ck_table_put_word(table, name);
  ck_table_put_count(table, count);
}

/* What it was started with; a session of another program has none of it. */
static void put_launch(ck_table *table, const ck_session_record *session) {
  ck_launch launch;
  ck_error ignored = CK_ERROR_INIT;
  put_text(table, "profile", session->profile);
  put_text(table, "flow", session->flow);
  if (ck_launch_read(&launch, session, &ignored) != CK_OK) return;
  put_text(table, "cassette", launch.cassette);
  if (launch.input) {
    ck_table_put_word(table, "input");
    ck_table_put_text(table, ck_value_bytes(launch.input));
  }
  ck_launch_clear(&launch);
}

static void put_timeline_rows(ck_table *table, const ck_head *head) {
  for (size_t i = 0; i < head->timeline_count; i++) {
    const ck_timeline *timeline = &head->timelines[i];
    char text[256];
    char cut[64] = "";
    if (timeline->parent)
      snprintf(cut, sizeof cut, ", after seq %" PRId64 " of %" PRId64, timeline->cut,
               timeline->parent);
    snprintf(text, sizeof text, "%" PRId64 "%s: from seq %" PRId64 "%s, attempt %u, %s",
             timeline->no, timeline->no == head->session.timeline ? " (live)" : "", timeline->begin,
             cut, timeline->attempt, timeline->run);
    put_text(table, "timeline", text);
  }
}

static void put_totals(ck_table *table, const ck_totals *totals) {
  put_count(table, "model_calls", totals->model_calls);
  put_count(table, "tool_calls", totals->tool_calls);
  put_count(table, "input_tokens", totals->input_tokens);
  put_count(table, "output_tokens", totals->output_tokens);
  ck_table_put_word(table, "spent");
  ck_table_put_money(table, totals->cost_micros);
  if (totals->unmetered) put_count(table, "unmetered", totals->unmetered);
  ck_table_put_word(table, "active");
  ck_table_put_duration(table, totals->active_us);
}

static ck_status print_table(view *self, ck_error *err) {
  static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};
  const ck_head *head = &self->look.head;
  ck_table table;
  ck_table_init(&table, self->host->output, columns);
  put_text(&table, "session", head->session.id);
  put_text(&table, "status", ck_session_status_name(head->session.status));
  put_text(&table, "reason", reason_of(self));
  put_text(&table, "failure", head->session.failure);
  ck_lineage_put_rows(&table, &self->lineage);
  put_launch(&table, &head->session);
  put_time(&table, "created", head->session.created_ms);
  put_time(&table, "updated", head->session.updated_ms);
  put_text(&table, "run", head->session.run);
  put_timeline_rows(&table, head);
  ck_runs_put_rows(&table, &self->runs);
  put_count(&table, "events", head->last_seq);
  put_count(&table, "checkpoints", self->checkpoints);
  ck_table_put_word(&table, "checkpoint_bytes");
  ck_table_put_bytes(&table, self->stored_bytes);
  ck_saving_put_row(&table, &self->saving);
  if (head->has_checkpoint) put_text(&table, "head", head->checkpoint.id);
  if (head->has_latest) put_totals(&table, &head->latest.totals);
  const char *key = self->doubts.data;
  for (size_t i = 0; i < self->doubt_count; i++, key += strlen(key) + 1)
    put_text(&table, "in_doubt", key);
  put_text(&table, "next", self->next.data);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  view self = {.host = host};
  ck_status status = ck_inspection_open_session(&self.look, host, v->session, err);
  if (status != CK_OK) return status;
  status = read_view(&self, err);
  if (status == CK_OK)
    status = host->output->json ? print_json(&self, err) : print_table(&self, err);
  ck_lineage_clear(&self.lineage);
  ck_runs_clear(&self.runs);
  ck_buffer_clear(&self.doubts);
  ck_buffer_clear(&self.next);
  ck_inspection_close(&self.look);
  return status;
}

static const ck_operand operands[] = {
    {.name = "SESSION",
     .offset = offsetof(values, session),
     .help = CK_RESOLVE_SESSION_HELP,
     .complete = CK_COMPLETE_SESSION},
    {0},
};

const ck_command ck_command_sessions_show = {
    .name = "sessions show",
    .summary = "show one session: status, totals, how to go on",
    .operands = operands,
    .run = run,
};
