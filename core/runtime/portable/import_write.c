/* import_write.c - numbers the events of an imported session, puts the boundaries between them, and
 * writes all at once. */
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/runtime/portable/import_private.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/ledger/work_time.h"
#include "core/runtime/session/media.h"
#include "core/runtime/session/plain_name.h"

/* The sums so far, as a live session counts them. */
typedef struct writing {
  ck_import *of;
  ck_redactor *redactor;
  const ck_event *asked; /* about which the policies are asked */
  const ck_fingerprint_key *fingerprint;
  ck_event **events;
  size_t count;
  ck_totals totals;
  int64_t first_ms, last_ms; /* 0: no times yet */
  ck_work_time time;
  int64_t *turns; /* by agent: when its turn began; 0 */
  ck_import_report report;
  bool keeps;          /* the store keeps images and files */
  ck_media_list media; /* of all events */
} writing;

static ck_status ask_policies(ck_redact_answer *out, void *to, const char *key,
                              const ck_value *value, ck_error *err) {
  writing *self = to;
  const ck_policy_engine *policies = self->of->policies;
  ck_redaction said = {0};
  ck_item item = {.key = key,
                  .kind = self->asked->kind,
                  .agent = self->asked->agent,
                  .value = value,
                  .fingerprint = self->fingerprint};
  ck_status status = policies->redact(&said, policies->self, &item, err);
  *out = (ck_redact_answer){status == CK_OK ? said.verdict : CK_REDACT_DROP, said.ref, said.value};
  return status;
}

/* Takes `body`. */
static ck_status put_event(writing *self, const ck_event *like, ck_value *body, ck_error *err) {
  ck_value *kept = NULL, *taken = NULL;
  ck_status status = self->keeps ? ck_media_take(&taken, &self->media, body, err) : CK_OK;
  /* whatever an image is that cannot be taken, it was said */
  if (status == CK_E_PARSE || status == CK_E_OVERSIZE) status = CK_OK;
  if (status == CK_OK && !taken) taken = ck_value_share(body);
  self->asked = like;
  if (status == CK_OK)
    status = ck_redactor_apply_event(&kept, self->redactor, like->kind, taken, err);
  ck_value_free(taken);
  if (status == CK_OK && !kept)
    status = ck_value_copy(&kept, ck_bytes_text("{\"dropped\":true}"), err);
  ck_event event = *like;
  event.seq = (int64_t)self->count + 1;
  event.timeline = 1;
  event.body = kept;
  if (status == CK_OK) status = ck_event_new(&self->events[self->count], &event, err);
  if (status == CK_OK) self->count++;
  ck_value_free(kept);
  ck_value_free(body);
  return status;
}

static const char *name_of(const ck_import *self, int agent) {
  return agent == CK_IMPORT_NOBODY ? NULL : self->agents[agent].name;
}

static const char *scope_of(const ck_import *self, int agent) {
  return agent == CK_IMPORT_NOBODY || !self->agents[agent].parent ? "main"
                                                                  : self->agents[agent].name;
}

/* ---- boundaries ---- */

static void put_nonzero(ck_json_writer *w, const char *name, int64_t number) {
  if (number) ck_json_member_int(w, name, number);
}

/* The members that simulation reads, spelt as boundary_event.c spells them. Keys are not known, so
 * they do not change. Nor is there waiting for people: a run of ours would have ended there. */
static void write_boundary(ck_json_writer *w, const writing *self, const ck_import_entry *at) {
  int64_t turn = at->agent == CK_IMPORT_NOBODY ? 0 : self->turns[at->agent];
  ck_json_begin(w, '{');
  ck_json_member_text(w, "kind", ck_boundary_kind_name(at->mark));
  put_nonzero(w, "depth", ck_import_depth(self->of, at->agent));
  put_nonzero(w, "now", at->at_ms);
  if (turn && at->at_ms > turn) ck_json_member_int(w, "latency_ms", at->at_ms - turn);
  ck_json_name(w, "since");
  ck_json_begin(w, '{');
  put_nonzero(w, "ms", self->time.active_ms);
  put_nonzero(w, "events", (int64_t)self->count - 1);
  put_nonzero(w, "cost", self->totals.cost_micros);
  put_nonzero(w, "tokens", self->totals.input_tokens + self->totals.output_tokens);
  put_nonzero(w, "tool_calls", self->totals.tool_calls);
  ck_json_end(w, '}');
  put_nonzero(w, "spent", self->totals.cost_micros);
  ck_json_end(w, '}');
}

static ck_status put_boundary(writing *self, const ck_import_entry *at, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  write_boundary(&w, self, at);
  ck_value *body;
  ck_status status = ck_value_from(&body, &json, err);
  ck_buffer_clear(&json);
  if (status != CK_OK) return status;
  self->report.boundaries++;
  ck_event like = {.kind = CK_EVENT_BOUNDARY,
                   .at_ms = at->at_ms,
                   .scope = scope_of(self->of, at->agent),
                   .agent = name_of(self->of, at->agent)};
  return put_event(self, &like, body, err);
}

/* ---- all events ---- */

/* Times between the earliest and the latest: sources write lines out of order. */
static ck_status note_time(writing *self, const ck_import_entry *at, const ck_event *like,
                           ck_error *err) {
  if (!at->at_ms) return CK_OK;
  if (!self->first_ms || at->at_ms < self->first_ms) self->first_ms = at->at_ms;
  if (at->at_ms > self->last_ms) self->last_ms = at->at_ms;
  if (at->agent != CK_IMPORT_NOBODY && !self->turns[at->agent]) self->turns[at->agent] = at->at_ms;
  ck_event event = *like;
  event.body = at->body;
  return ck_work_time_take(&self->time, &event, err);
}

static ck_status put_entries(writing *self, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < self->of->count; i++) {
    ck_import_entry *at = &self->of->entries[i];
    ck_event like = {.kind = at->kind,
                     .at_ms = at->at_ms,
                     .scope = scope_of(self->of, at->agent),
                     .agent = name_of(self->of, at->agent)};
    status = note_time(self, at, &like, err);
    if (at->kind == CK_EVENT_OUTCOME) ck_totals_add_outcome(&self->totals, at->body);
    ck_value *body = at->body;
    at->body = NULL;
    if (status == CK_OK)
      status = put_event(self, &like, body, err);
    else
      ck_value_free(body);
    if (status != CK_OK || !at->mark) continue;
    status = put_boundary(self, at, err);
    if (at->agent != CK_IMPORT_NOBODY) self->turns[at->agent] = at->at_ms;
  }
  return status;
}

static void write_agents(ck_json_writer *w, const ck_import *self) {
  ck_json_name(w, "agents");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < self->agent_count; i++) {
    const ck_import_agent *agent = &self->agents[i];
    ck_json_begin(w, '{');
    ck_json_member_text(w, "id", agent->name);
    ck_json_member_text(w, "role", agent->role);
    ck_json_member_text(w, "parent", agent->parent);
    ck_json_member_int(w, "depth", ck_import_depth(self, (int)i));
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
}

/* {import: {format, file, source_id, cost?, input_tokens?, output_tokens?, agents, about?}} */
static void write_input(ck_json_writer *w, const ck_import *of) {
  ck_json_begin(w, '{');
  ck_json_name(w, "import");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "format", of->format);
  ck_json_member_string(w, "file", ck_bytes_text(of->path));
  ck_json_member_text(w, "source_id", of->source_id);
  if (of->total_cost >= 0) ck_json_member_int(w, "cost", of->total_cost);
  put_nonzero(w, "input_tokens", of->total_input);
  put_nonzero(w, "output_tokens", of->total_output);
  write_agents(w, of);
  if (of->about) ck_json_member_raw(w, "about", ck_value_bytes(of->about));
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static ck_status put_started(writing *self, const ck_session_record *record, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "run", record->run);
  ck_json_member_text(&w, "profile", record->profile);
  ck_json_name(&w, "input");
  write_input(&w, self->of);
  ck_json_end(&w, '}');
  ck_value *body;
  ck_status status = ck_value_from(&body, &json, err);
  ck_buffer_clear(&json);
  ck_event like = {.kind = CK_EVENT_SESSION_STARTED, .at_ms = self->of->at_ms, .scope = "main"};
  return status == CK_OK ? put_event(self, &like, body, err) : status;
}

static ck_status put_closing(writing *self, ck_error *err) {
  const ck_import *of = self->of;
  ck_event_kind kind = of->status == CK_SESSION_FAILED   ? CK_EVENT_SESSION_FAILED
                       : of->status == CK_SESSION_PAUSED ? CK_EVENT_SESSION_PAUSED
                                                         : CK_EVENT_SESSION_COMPLETED;
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "reason", of->reason);
  ck_json_end(&w, '}');
  ck_value *body;
  ck_status status = ck_value_from(&body, &json, err);
  ck_buffer_clear(&json);
  /* Where its last line stands, which a branch that ended earlier may have written. */
  ck_event like = {.kind = kind, .at_ms = self->time.at_ms, .scope = "main"};
  return status == CK_OK ? put_event(self, &like, body, err) : status;
}

/* ---- the store ---- */

static ck_status make_record(ck_session_record *out, const ck_import *of, ck_error *err) {
  ck_clock clock = ck_clock_system();
  *out = (ck_session_record){.status = CK_SESSION_RUNNING,
                             .timeline = 1,
                             .epoch = 1,
                             .created_ms = of->at_ms ? of->at_ms : clock.wall_ms(clock.self)};
  memcpy(out->id, of->id, sizeof out->id);
  ck_id_make_run(out->run);
  return ck_text_copy(&out->profile, "imported", err);
}

/* What the session's row has of the first event and of the last: as it was written there. */
static ck_status take_written(ck_session_record *record, char **reason, const writing *self,
                              ck_error *err) {
  ck_bytes first = ck_value_bytes(self->events[0]->body),
           last = ck_value_bytes(self->events[self->count - 1]->body);
  ck_bytes input = ck_json_get(first, "input"), why = ck_json_get(last, "reason");
  ck_status status = input.len ? ck_value_copy(&record->input, input, err) : CK_OK;
  if (status != CK_OK || ck_json_type_of(why) != CK_JSON_STRING) return status;
  *reason = ck_json_dup_string(why);
  return *reason ? CK_OK : ck_error_no_memory(err);
}

/* What stays readable, for the session and its events are found by it. */
static ck_status check_names(const ck_import *self, ck_error *err) {
  ck_status status = ck_plain_name_check(self->policies, "session", self->id,
                                         "give the session another id with --session", err);
  for (size_t i = 0; status == CK_OK && i < self->agent_count; i++)
    status = ck_plain_name_check(self->policies, "agent", self->agents[i].name,
                                 "give it another name in the file", err);
  return status;
}

static ck_status store_all(writing *self, const ck_session_record *record, const char *reason,
                           ck_store *store, ck_error *err) {
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1};
  memcpy(timeline.run, record->run, sizeof timeline.run);
  ck_blob *blobs;
  ck_status status = ck_media_blobs(&blobs, &self->media, err);
  if (status != CK_OK) return status;
  ck_opening opening = {.timeline = &timeline,
                        .events = self->events,
                        .event_count = self->count,
                        .blobs = blobs,
                        .blob_count = self->media.count};
  ck_lease lease;
  status = ck_store_create_session(&lease, store, record, &opening, err);
  free(blobs);
  if (status != CK_OK) return status;
  ck_session_update update = {.status = self->of->status, .reason = reason};
  ck_batch batch = {.lease = lease, .update = &update, .durability = CK_DURABLE_POWER};
  status = ck_store_commit(store, &batch, 1, err);
  if (status == CK_OK && batch.status != CK_OK)
    status = ck_error_set(err, batch.status, "session %s: its end was not accepted: %s", record->id,
                          ck_status_text(batch.status));
  ck_store_release(store, lease);
  return status;
}

static void fill_report(writing *self) {
  ck_import_report *report = &self->report;
  const ck_import *of = self->of;
  bool calls_priced =
      self->totals.model_calls > 0 && self->totals.unmetered < self->totals.model_calls;
  report->events = (int64_t)self->count;
  report->agents = (int64_t)of->agent_count;
  report->delegations = of->delegations;
  report->model_calls = self->totals.model_calls;
  report->tool_calls = self->totals.tool_calls;
  report->priced = calls_priced || of->total_cost >= 0;
  report->cost_micros = calls_priced          ? self->totals.cost_micros
                        : of->total_cost >= 0 ? of->total_cost
                                              : 0;
  bool calls_counted = self->totals.input_tokens + self->totals.output_tokens > 0;
  report->input_tokens = calls_counted ? self->totals.input_tokens : of->total_input;
  report->output_tokens = calls_counted ? self->totals.output_tokens : of->total_output;
  report->first_ms = self->first_ms;
  report->last_ms = self->last_ms;
  report->status = of->status;
}

static ck_status put_all(writing *self, const ck_session_record *record, ck_store *store,
                         ck_error *err) {
  ck_fingerprint_key fingerprint;
  const uint8_t *bytes = ck_store_fingerprint_key(store);
  bool asks = self->of->policies && self->of->policies->redact;
  if (bytes) memcpy(fingerprint.bytes, bytes, sizeof fingerprint.bytes);
  self->fingerprint = bytes ? &fingerprint : NULL;
  if (asks) ck_redactor_set_hook(self->redactor, ask_policies, self);
  ck_status status = put_started(self, record, err);
  if (status == CK_OK) status = put_entries(self, err);
  if (status == CK_OK) status = put_closing(self, err);
  if (asks) ck_redactor_set_hook(self->redactor, NULL, NULL);
  self->fingerprint = NULL;
  return status;
}

ck_status ck_import_end(ck_import_report *out, ck_import *self, ck_store *store,
                        ck_redactor *redactor, ck_error *err) {
  *out = (ck_import_report){0};
  for (size_t i = 0; i < self->agent_count; i++) ck_import_settle(self, (int)i);
  writing w = {.of = self, .redactor = redactor, .keeps = ck_store_keeps_blobs(store)};
  ck_session_record record = {0};
  char *reason = NULL;
  ck_status status = check_names(self, err);
  if (status == CK_OK) status = make_record(&record, self, err);
  w.events = calloc(self->count * 2 + 2, sizeof *w.events);
  w.turns = calloc(self->agent_count + 1, sizeof *w.turns);
  if (status == CK_OK && (!w.events || !w.turns)) status = ck_error_no_memory(err);
  if (status == CK_OK) status = put_all(&w, &record, store, err);
  if (status == CK_OK) status = take_written(&record, &reason, &w, err);
  if (status == CK_OK) status = store_all(&w, &record, reason, store, err);
  free(reason);
  if (status == CK_OK) {
    fill_report(&w);
    *out = w.report;
  }
  for (size_t i = 0; i < w.count; i++) ck_event_free(w.events[i]);
  free(w.events);
  free(w.turns);
  ck_media_list_clear(&w.media);
  ck_work_time_clear(&w.time);
  ck_session_record_clear(&record);
  return status;
}
