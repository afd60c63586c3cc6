/* summary.c - the summary of a run, printed at its end. */
#include "core/host/run/summary.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/log.h"
#include "core/host/explain/decider.h"
#include "core/host/print/document.h"
#include "core/host/session/fields.h"
#include "core/host/session/saving.h"
#include "core/host/run/measures.h"
#include "core/host/run/spills.h"
#include "core/host/print/table.h"
#include "core/host/session/next_command.h"
#include "core/host/session/resume_command.h"
#include "core/store/checkpoint_list.h"

static const ck_column columns[] = {{"", false}, {"", false}, {NULL, false}};

/* Read from the store after the run. */
typedef struct outcome {
  const ck_host *host;
  ck_engine *engine;
  ck_head head;     /* without an id: it cannot be read */
  bool whole;       /* nothing of the JSON object is printed yet */
  ck_totals before; /* what the runs before this one had spent */
  ck_session_status status;
  int64_t events, messages;
  ck_checkpoint_count stored;
  ck_value *result;    /* NULL: none */
  char *answer;        /* the command that lists the questions it waits at; NULL: none */
  char *resolve;       /* the command that lists the effects in doubt; NULL: none */
  char *resume;        /* the command that resumes it; NULL: it is not resumable as it is */
  const char *change;  /* what must be done instead, as write_command takes it; NULL: nothing */
  char *next;          /* the command for it; NULL */
  ck_decider decider;  /* by whose answer it ended so */
  const char *failure; /* why writing failed; "" */
} outcome;

ck_status ck_summary_begin(const ck_host *host, const ck_engine *engine, ck_error *err) {
  const char *session = ck_session_id(engine->session);
  if (engine->events.wanted) return CK_OK;
  if (host->output->json)
    ck_output_print(host->output, "{\"%s\":%d,\"session\":\"%s\",", CK_OUTPUT_VERSION_NAME,
                    CK_OUTPUT_VERSION, session);
  else
    ck_output_print(host->output, "%s\n", session);
  return ck_output_flush(host->output, err);
}

static bool take_result(void *to, const ck_event *event) {
  outcome *self = to;
  ck_error ignored = CK_ERROR_INIT;
  ck_bytes result = ck_json_get(ck_value_bytes(event->body), "result");
  if (result.len && ck_value_copy(&self->result, result, &ignored) != CK_OK) self->result = NULL;
  return false;
}

static ck_status read_outcome(outcome *self, ck_error *err) {
  ck_store *store = self->engine->runtime->store;
  const ck_head *head = &self->head;
  ck_status status =
      ck_store_get_head(&self->head, store, ck_session_id(self->engine->session), err);
  if (status != CK_OK) return status;
  self->status = head->session.status;
  self->events = head->last_seq;
  if (ck_next_command_refusal(&head->session) != CK_OK)
    self->change = ck_next_command_words(&head->session, false);
  ck_event_query query = {
      .session = head->session.no, .kinds = UINT64_C(1) << CK_EVENT_SESSION_COMPLETED, .last = 1};
  status = ck_store_count_checkpoints(&self->stored, store, head->session.no, err);
  if (status == CK_OK && self->status == CK_SESSION_COMPLETED)
    status = ck_store_read_events(store, &query, take_result, self, err);
  return status;
}

static ck_status find_decider(outcome *self, ck_error *err) {
  const ck_execution_result *result = &self->engine->result;
  const ck_inspection of = {.store = self->engine->runtime->store, .head = self->head};
  bool done = self->status == CK_SESSION_COMPLETED || self->status == CK_SESSION_CANCELLED;
  const char *text = result->text[0] ? result->text : self->failure;
  return done ? CK_OK : ck_decider_find(&self->decider, &of, text, err);
}

static ck_status read_conversation(outcome *self, ck_error *err) {
  ck_conversation *conversation;
  ck_status status = ck_session_conversation(&conversation, self->engine->session, "main", err);
  if (status == CK_OK) self->messages = (int64_t)ck_conversation_count(conversation);
  return status;
}

/* `words` has one %s, for the session. Of a store that has failed the last run is not known. */
static ck_status write_command(char **out, const outcome *self, const char *words, ck_error *err) {
  ck_buffer command = {0}, filled = {0};
  ck_error ignored = CK_ERROR_INIT;
  ck_store *store = self->engine->runtime->store;
  ck_status status = CK_OK;
  bool known =
      self->head.session.id[0] &&
      ck_resume_command_append(&command, self->host, store, &self->head, words, &ignored) == CK_OK;
  if (!known) {
    command.len = 0;
    ck_buffer_append_format(&filled, words, ck_session_id(self->engine->session));
    if (!filled.failed) ck_next_command_append(&command, self->host, filled.data);
    status = ck_buffer_check(&filled, err);
  }
  if (status == CK_OK) status = ck_buffer_check(&command, err);
  *out = ck_buffer_take(&command);
  ck_buffer_clear(&filled);
  return status;
}

static ck_status write_commands(outcome *self, ck_error *err) {
  ck_status status = CK_OK;
  if (self->status == CK_SESSION_WAITING)
    status = write_command(&self->answer, self, "answer %s", err);
  if (self->status == CK_SESSION_IN_DOUBT)
    status = write_command(&self->resolve, self, "resolve %s", err);
  if (status != CK_OK || !ck_session_status_resumable(self->status)) return status;
  if (self->change) return write_command(&self->next, self, self->change, err);
  return write_command(&self->resume, self, "resume %s", err);
}

/* X(name, value): the counts of a summary, in order. Of calls it is what `sessions show` counts,
 * the outcomes on record, of this run: each try that has one. */
/* clang-format off */
#define COUNT_TABLE(X) \
  X("events", self->events) \
  X("messages", self->messages) \
  X("checkpoints", self->stored.checkpoints) \
  X("model_calls", here.model_calls) \
  X("tool_calls", here.tool_calls) \
  X("asks", counts->asks) \
  X("replayed", counts->replayed)
/* clang-format on */

static void put_value(ck_table *table, const char *name, const ck_value *value) {
  if (!value) return;
  ck_buffer text = {0};
  ck_table_put_word(table, name);
  if (!ck_json_read_string(&text, ck_value_bytes(value)))
    ck_buffer_append_bytes(&text, ck_value_bytes(value));
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
}

static ck_saving_view see_saving(const outcome *self) {
  ck_saving now;
  ck_session_get_saving(&now, self->engine->session);
  return (ck_saving_view){.times = now.times,
                          .late = now.late,
                          .lost = now.failing,
                          .unsaved = now.checkpoints,
                          .events = now.events};
}

static void put_command(ck_table *table, const char *name, const char *command) {
  if (!command) return;
  ck_table_put_word(table, name);
  ck_table_put_word(table, command);
}

static void put_timing(ck_table *table, const ck_timing *timing) {
  if (!timing->count) return;
  ck_table_put_word(table, "checkpoint_average");
  ck_table_put_duration(table, timing->sum_us / timing->count);
  ck_table_put_word(table, "checkpoint_max");
  ck_table_put_duration(table, timing->max_us);
}

static ck_totals without(const ck_totals *all, const ck_totals *part) {
  return (ck_totals){.cost_micros = all->cost_micros - part->cost_micros,
                     .input_tokens = all->input_tokens - part->input_tokens,
                     .output_tokens = all->output_tokens - part->output_tokens,
                     .model_calls = all->model_calls - part->model_calls,
                     .tool_calls = all->tool_calls - part->tool_calls,
                     .unmetered = all->unmetered - part->unmetered,
                     .active_us = all->active_us - part->active_us};
}

/* What this run alone has spent. Lost attempts of earlier ones, which it had to count, are
 * theirs. */
static ck_totals spent_here(const outcome *self) {
  const ck_session *session = self->engine->session;
  const ck_totals recorded = without(ck_session_totals(session), &self->before);
  return without(&recorded, ck_session_earlier(session));
}

static void put_count(ck_table *table, const char *name, int64_t count) {
  ck_table_put_word(table, name);
  ck_table_put_count(table, count);
}

/* After a resume: this run's part, and all runs together. */
static void put_totals(ck_table *table, const outcome *self) {
  const ck_totals *all = ck_session_totals(self->engine->session), here = spent_here(self);
  if (!ck_session_parent_run(self->engine->session)) return;
  ck_fields_put_cost_row(table, "run_spent", &here);
  put_count(table, "run_input_tokens", here.input_tokens);
  put_count(table, "run_output_tokens", here.output_tokens);
  put_count(table, "total_model_calls", all->model_calls);
  put_count(table, "total_tool_calls", all->tool_calls);
  put_count(table, "total_input_tokens", all->input_tokens);
  put_count(table, "total_output_tokens", all->output_tokens);
}

static ck_status print_table(const outcome *self, ck_error *err) {
  const ck_execution_counts *counts = &self->engine->counts;
  const ck_totals *totals = ck_session_totals(self->engine->session), here = spent_here(self);
  ck_table table;
  ck_table_init(&table, self->host->output, columns);
  ck_table_put_word(&table, "status");
  ck_table_put_word(&table, ck_session_status_name(self->status));
  put_command(&table, "policy", self->decider.policy);
  put_command(&table, "hook", self->decider.hook);
  if (self->decider.failed) put_command(&table, "hook_failed", "yes");
  put_value(&table, "result", self->result);
#define X(name, value)             \
  ck_table_put_word(&table, name); \
  ck_table_put_count(&table, value);
  COUNT_TABLE(X)
#undef X
  ck_table_put_word(&table, "checkpoint_bytes");
  ck_table_put_bytes(&table, self->stored.stored_bytes);
  if (counts->cut_off) put_count(&table, "cut_off", counts->cut_off);
  const ck_saving_view saving = see_saving(self);
  ck_saving_put_row(&table, &saving);
  put_timing(&table, &self->engine->timing);
  ck_fields_put_cost_row(&table, "spent", totals);
  if (totals->unmetered) put_count(&table, "unmetered", totals->unmetered);
  put_totals(&table, self);
  put_command(&table, "answer", self->answer);
  put_command(&table, "resolve", self->resolve);
  put_command(&table, "resume", self->resume);
  put_command(&table, "next", self->next);
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_json(const outcome *self, ck_error *err) {
  const ck_execution_counts *counts = &self->engine->counts;
  const ck_totals *totals = ck_session_totals(self->engine->session), here = spent_here(self);
  ck_document document;
  if (self->whole)
    ck_document_init(&document, self->host->output);
  else
    ck_document_init_bare(&document, self->host->output);
  if (self->whole)
    ck_document_put_text(&document, NULL, "session", ck_session_id(self->engine->session));
  ck_document_put_text(&document, NULL, "run", ck_session_run(self->engine->session));
  ck_document_put_text(&document, NULL, "status", ck_session_status_name(self->status));
  ck_document_put_text(&document, NULL, "reason",
                       self->engine->result.text[0] ? self->engine->result.text : NULL);
  if (self->decider.policy) {
    ck_document_put_text(&document, NULL, "policy", self->decider.policy);
    ck_document_put_text(&document, NULL, "hook", self->decider.hook);
    if (self->decider.failed) ck_document_put_bool(&document, NULL, "hook_failed", true);
  }
  ck_document_put_value(&document, NULL, "result", self->result);
#define X(name, value) ck_document_put_int(&document, NULL, name, value);
  COUNT_TABLE(X)
#undef X
  ck_document_put_int(&document, NULL, "cut_off", counts->cut_off);
  ck_document_put_int(&document, NULL, "checkpoint_bytes", self->stored.stored_bytes);
  const ck_saving_view saving = see_saving(self);
  ck_saving_put(&document, &saving);
  ck_measures_put(&document, self->engine);
  ck_fields_fill_totals(&document, ck_document_put_object(&document, NULL, "this_run"), &here);
  ck_fields_put_totals(&document, NULL, totals);
  ck_fields_put_cost(&document, NULL, totals);
  ck_document_put_int(&document, NULL, "unmetered", totals->unmetered);
  ck_document_put_text(&document, NULL, "answer", self->answer);
  ck_document_put_text(&document, NULL, "resolve", self->resolve);
  ck_document_put_text(&document, NULL, "resume", self->resume);
  ck_document_put_text(&document, NULL, "next", self->next);
  ck_status status =
      self->whole ? ck_document_print(&document, err) : ck_document_print_rest(&document, err);
  ck_document_clear(&document);
  return status;
}

/* The store itself may have failed: then the summary has what is known without it. */
static ck_status print_summary(const ck_host *host, ck_engine *engine, const ck_totals *before,
                               bool whole, const ck_error *failed, ck_error *err) {
  outcome self = {.host = host,
                  .engine = engine,
                  .whole = whole,
                  .before = *before,
                  .failure = failed->text,
                  .status = ck_session_get_record(engine->session)->status};
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = read_outcome(&self, &ignored);
  if (status == CK_OK) status = find_decider(&self, &ignored);
  if (status == CK_OK) status = read_conversation(&self, &ignored);
  status = write_commands(&self, err);
  if (status == CK_OK)
    status = host->output->json ? print_json(&self, err) : print_table(&self, err);
  ck_decider_clear(&self.decider);
  ck_head_clear(&self.head);
  ck_value_free(self.result);
  free(self.answer);
  free(self.resolve);
  free(self.resume);
  free(self.next);
  return status;
}

/* The program's status for the session's end; its text is the line on stderr. */
static ck_status answer(const ck_engine *engine, ck_error *err) {
  const ck_execution_result *result = &engine->result;
  const char *id = ck_session_id(engine->session),
             *text = result->text[0] ? result->text : ck_status_text(result->cause);
  switch (result->status) {
    case CK_SESSION_COMPLETED:
      return CK_OK;
    case CK_SESSION_PAUSED:
      return ck_error_set(err, CK_E_PAUSED, "session %s is paused: %s", id, text);
    case CK_SESSION_WAITING:
      return ck_error_set(err, CK_E_WAITING, "session %s waits for a human: %s", id, text);
    case CK_SESSION_IN_DOUBT:
      return ck_error_set(err, CK_E_IN_DOUBT, "session %s: %s; see 'ckrun resolve %s'", id, text,
                          id);
    case CK_SESSION_CANCELLED:
      return ck_error_set(err, CK_E_CANCELLED, "session %s is cancelled: %s", id, text);
    default:
      break;
  }
  ck_status cause =
      ck_status_exit(result->cause) == ck_status_exit(CK_E_FAILED) ? result->cause : CK_E_FAILED;
  return ck_error_set(err, cause, "session %s failed: %s", id, text);
}

/* Deletes the session where the profile says so; else the long outputs that no result names. Those
 * of an effect in doubt are kept: they help to judge it. */
void ck_summary_forget(const ck_host *host, const ck_engine *engine) {
  ck_error failure = CK_ERROR_INIT;
  ck_spills_size gone;
  if (!engine->session || !engine->result.status || engine->result.status == CK_SESSION_IN_DOUBT)
    return;
  const char *id = ck_session_id(engine->session);
  bool wanted = engine->profile->delete_on_success && engine->result.status == CK_SESSION_COMPLETED;
  ck_status status = wanted ? ck_session_delete(engine->session, &failure) : CK_OK;
  if (status != CK_OK)
    ck_output_notice(host->output, "session %s stays, though it succeeded: %s", id, failure.text);
  if (status == CK_OK && wanted)
    status = ck_spills_remove(&engine->spills, id, &failure);
  else
    status = ck_spills_sweep(&gone, &engine->spills, engine->runtime->store,
                             ck_session_get_record(engine->session), false, &failure);
  if (status != CK_OK) ck_log_line(CK_LOG_WARN, "long outputs stay: %s", failure.text);
}

ck_status ck_summary_execute(const ck_host *host, ck_engine *engine, ck_error *err) {
  ck_error late = CK_ERROR_INIT;
  bool whole = engine->events.wanted;
  const ck_totals before = *ck_session_totals(engine->session);
  ck_status status = ck_summary_begin(host, engine, err);
  if (status == CK_OK) status = ck_engine_execute(engine, err);
  if (status == CK_E_INTERRUPTED) ck_session_leave(engine->session, "stopped at once by a signal");
  ck_status printed = print_summary(host, engine, &before, whole, err, &late);
  if (status == CK_OK) status = answer(engine, err);
  if (status != CK_OK || printed == CK_OK) return status;
  return ck_error_set(err, printed, "%s", late.text);
}
