/* runs.c - the runs of a session, as they are shown: each process's attempt, its end and its
 * cost. */
#include "core/host/inspect/runs.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/print/format.h"
#include "core/host/session/run_settings.h"
#include "core/host/session/fields.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/store/session_sums.h"

/* ---- the runs ---- */

void ck_runs_clear(ck_runs *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_place_clear(&self->list[i].place);
    ck_value_free(self->list[i].settings);
  }
  free(self->list);
  *self = (ck_runs){0};
}

static ck_run *find(ck_runs *self, int64_t timeline) {
  for (size_t i = self->count; i-- > 0;)
    if (self->list[i].timeline->no == timeline) return &self->list[i];
  return NULL;
}

static const char died[] = "died", forked[] = "forked";

/* It waits for a person, or an effect is in doubt; earlier versions said of each that it paused. */
static const char *pause_of(const ck_event *event) {
  ck_bytes status = ck_json_get(ck_value_bytes(event->body), "status");
  for (int i = CK_SESSION_WAITING; i <= CK_SESSION_IN_DOUBT; i++)
    if (ck_json_is_text(status, ck_session_status_name((ck_session_status)i)))
      return ck_session_status_name((ck_session_status)i);
  return "paused";
}

/* The outcome of a run whose last event this is. */
static const char *ending_of(const ck_event *event) {
  switch (event->kind) {
    case CK_EVENT_SESSION_PAUSED:
      return pause_of(event);
    case CK_EVENT_SESSION_FAILED:
      return "failed";
    case CK_EVENT_SESSION_COMPLETED:
      return "completed";
    case CK_EVENT_SESSION_CANCELLED:
      return "cancelled";
    case CK_EVENT_RESOLUTION: /* a policy's is one of the run's own events */
      return ck_ledger_is_policy_verdict(ck_value_bytes(event->body)) ? died : "resolved";
    default:
      return died;
  }
}

/* What a person did to the session at rest: such a run executes nothing, so it cannot die. NULL:
 * no event of this kind says so. */
static const char *change_name(ck_event_kind kind) {
  switch (kind) {
    case CK_EVENT_SESSION_FORKED:
      return forked;
    case CK_EVENT_SESSION_REWOUND:
      return "rewound";
    case CK_EVENT_SESSION_UNDONE:
      return "undone";
    default:
      return NULL;
  }
}

static void take_settings(ck_runs *self, ck_run *run, const ck_event *event) {
  ck_error ignored = CK_ERROR_INIT;
  ck_bytes settings = ck_run_settings_of(event);
  if (settings.len > 0 && !run->settings)
    self->failed |= ck_value_copy(&run->settings, settings, &ignored) != CK_OK;
}

/* ---- what they spent ---- */

/* An outcome counts for the run that began the call, which a later one may only have found lost, or
 * found out about. Of a call that a fork's origin began, for the run that recorded it. */
static void take_sum(ck_runs *self, const ck_sum *sum) {
  ck_run *recorder = find(self, sum->recorded), *began = find(self, sum->began);
  self->reserved = ck_micros_add(self->reserved, sum->reserved);
  ck_run *payer = recorder && began ? began : recorder;
  if (!payer) return;
  payer->reserved = ck_micros_add(payer->reserved, sum->reserved);
  payer->spent.cost_micros = ck_micros_add(payer->spent.cost_micros, sum->spent.cost_micros);
  payer->spent.input_tokens += sum->spent.input_tokens;
  payer->spent.output_tokens += sum->spent.output_tokens;
  payer->spent.model_calls += sum->spent.model_calls;
  payer->spent.tool_calls += sum->spent.tool_calls;
  payer->spent.unmetered += sum->spent.unmetered;
}

static void take_sums(ck_runs *self, const ck_sums *sums) {
  for (size_t i = 0; i < sums->count; i++) take_sum(self, &sums->list[i]);
  self->cut_off = sums->cut_off;
  self->open = (int64_t)sums->open.count;
  self->uncalled = sums->uncalled;
}

/* ---- how they began and ended ---- */

static bool take_opening(void *to, const ck_event *event) {
  ck_runs *self = to;
  ck_run *run = find(self, event->timeline);
  if (!run) return true;
  take_settings(self, run, event);
  if (change_name(event->kind)) run->change = change_name(event->kind);
  return true;
}

#define OPENINGS                                                         \
  (1ull << CK_EVENT_SESSION_STARTED | 1ull << CK_EVENT_SESSION_RESUMED | \
   1ull << CK_EVENT_SESSION_FORKED | 1ull << CK_EVENT_SESSION_REWOUND |  \
   1ull << CK_EVENT_SESSION_UNDONE)

typedef struct walk {
  ck_runs *runs;
  ck_runs_beside beside;
} walk;

static bool take_event(void *to, const ck_event *event) {
  walk *self = to;
  if (OPENINGS >> event->kind & 1) return take_opening(self->runs, event);
  return self->beside.visit(self->beside.to, event);
}

static bool take_first_opening(void *to, const ck_event *event) {
  (void)take_opening(to, event);
  return false;
}

/* It is what a run begins with; further ones lie beside the sums. */
static ck_status read_openings(ck_runs *self, ck_store *store, const ck_head *head, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    bool last = i + 1 == self->count;
    ck_event_query query = {.session = head->session.no,
                            .after = self->list[i].timeline->begin - 1,
                            .until = last ? head->last_seq : self->list[i + 1].timeline->begin - 1,
                            .kinds = OPENINGS};
    status = ck_store_read_events(store, &query, take_first_opening, self, err);
  }
  return status;
}

static ck_status read_events(ck_runs *self, ck_store *store, const ck_head *head,
                             const ck_runs_beside *beside, ck_error *err) {
  walk to = {.runs = self, .beside = beside ? *beside : (ck_runs_beside){0}};
  ck_sums sums;
  const ck_sums_query of = {.session = head->session.no, .until = head->last_seq};
  ck_status status = ck_store_get_sums(&sums, store, &of, err);
  if (status == CK_OK) take_sums(self, &sums);
  if (status == CK_OK) status = read_openings(self, store, head, err);
  ck_event_query query = {.session = head->session.no,
                          .after = sums.beside_first - 1,
                          .until = sums.beside_last,
                          .kinds = OPENINGS | to.beside.kinds};
  if (status == CK_OK && sums.beside_last)
    status = ck_store_read_events(store, &query, take_event, &to, err);
  ck_sums_clear(&sums);
  return status == CK_OK && self->failed ? ck_error_no_memory(err) : status;
}

static bool take_begin(void *to, const ck_event *event) {
  *(int64_t *)to = event->at_ms;
  return false;
}

typedef struct ending {
  ck_run *run;
  int64_t pruned_ms; /* of the last prune behind what is looked for; 0: none */
} ending;

/* Newest first. Checkpoints that a person drops, and resumes that are refused or to be approved,
 * are written down behind the end of the last run; a prune before it is the run's own. */
static bool take_end(void *to, const ck_event *event) {
  ending *self = to;
  ck_run *run = self->run;
  if (event->kind == CK_EVENT_RESUME_REFUSED || event->kind == CK_EVENT_RESUME_APPROVAL)
    return true;
  if (event->kind == CK_EVENT_PRUNE) {
    if (!self->pruned_ms) self->pruned_ms = event->at_ms;
    return true;
  }
  run->outcome = run->change ? run->change : ending_of(event);
  bool own_prune = run->outcome == died && self->pruned_ms;
  run->last_ms = own_prune ? self->pruned_ms : event->at_ms;
  return false;
}

/* The events of a timeline are one range: the first and the last are enough. */
static ck_status read_span(ck_run *run, ck_store *store, const ck_head *head, int64_t until,
                           ck_error *err) {
  int64_t begin = run->timeline->begin;
  ending end = {.run = run};
  ck_event_query first = {.session = head->session.no, .after = begin - 1, .until = begin};
  ck_event_query last = {
      .session = head->session.no, .after = begin - 1, .until = until, .backward = true};
  ck_status status = ck_store_read_events(store, &first, take_begin, &run->begun_ms, err);
  return status == CK_OK ? ck_store_read_events(store, &last, take_end, &end, err) : status;
}

static ck_status read_spans(ck_runs *self, ck_store *store, const ck_head *head, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++) {
    int64_t until = i + 1 < self->count ? self->list[i + 1].timeline->begin - 1 : head->last_seq;
    status = read_span(&self->list[i], store, head, until, err);
  }
  return status;
}

/* ---- the totals ---- */

static bool take_behind(void *to, const ck_event *event) {
  ck_runs *self = to;
  if (event->kind == CK_EVENT_OUTCOME) ck_totals_add_outcome(&self->totals, event->body);
  ck_active_take(&self->active, event);
  return true;
}

/* What the latest checkpoint counts, and what lies behind it: the rest need not be read. */
static ck_status read_totals(ck_runs *self, ck_store *store, const ck_head *head, ck_error *err) {
  const ck_checkpoint_info *latest = head->has_latest ? &head->latest : NULL;
  ck_event_query query = {.session = head->session.no, .after = latest ? latest->seq : 0};
  if (latest) self->totals = latest->totals;
  ck_active_begin(&self->active, latest);
  ck_status status = ck_store_read_events(store, &query, take_behind, self, err);
  self->totals.active_us += self->active.us;
  return status;
}

/* What is none of its runs' since. A fork has its origin's runs as its own once that is deleted. */
static void find_before_fork(ck_runs *self) {
  ck_totals *before = &self->before_fork;
  size_t first = self->count;
  while (first > 0 && !self->forked) self->forked = self->list[--first].change == forked;
  if (!self->forked) return;
  *before = self->totals;
  before->active_us = 0;
  for (size_t i = first; i < self->count; i++) {
    const ck_totals *own = &self->list[i].spent;
    before->cost_micros -= own->cost_micros;
    before->input_tokens -= own->input_tokens;
    before->output_tokens -= own->output_tokens;
    before->model_calls -= own->model_calls;
    before->tool_calls -= own->tool_calls;
    before->unmetered -= own->unmetered;
  }
}

static ck_status list_runs(ck_runs *self, ck_store *store, const ck_head *head, ck_error *err) {
  self->list = calloc(head->timeline_count ? head->timeline_count : 1, sizeof *self->list);
  if (!self->list) return ck_error_no_memory(err);
  for (size_t i = 0; i < head->timeline_count; i++)
    if (!head->timelines[i].session)
      self->list[self->count++] = (ck_run){.timeline = &head->timelines[i], .outcome = died};
  ck_status status = CK_OK;
  for (size_t i = 0; i < self->count && status == CK_OK; i++)
    status =
        ck_place_read(&self->list[i].place, store, head->session.no, self->list[i].timeline, err);
  return status;
}

ck_status ck_runs_read(ck_runs *self, ck_store *store, const ck_head *head, bool live,
                       const ck_runs_beside *beside, ck_error *err) {
  self->flow = head->session.flow;
  ck_status status = list_runs(self, store, head, err);
  if (status == CK_OK) status = read_totals(self, store, head, err);
  if (status == CK_OK) status = read_events(self, store, head, beside, err);
  if (status == CK_OK) status = read_spans(self, store, head, err);
  if (status == CK_OK) find_before_fork(self);
  ck_run *last = find(self, head->session.timeline);
  if (last && live) last->outcome = "running";
  if (last && last->outcome == died && head->session.status == CK_SESSION_PAUSED)
    last->outcome = "stopped";
  return status;
}

ck_status ck_runs_read_totals(ck_totals *out, ck_store *store, const ck_head *head, ck_error *err) {
  ck_runs runs = {0};
  ck_status status = read_totals(&runs, store, head, err);
  *out = runs.totals;
  ck_runs_clear(&runs);
  return status;
}

void ck_runs_put(ck_document *document, const ck_runs *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "runs");
  for (size_t i = 0; i < self->count; i++) {
    const ck_run *run = &self->list[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_text(document, at, "run", run->timeline->run);
    ck_document_put_text(document, at, "parent_run",
                         run->timeline->parent_run[0] ? run->timeline->parent_run : NULL);
    ck_document_put_text(document, at, "flow", run->place.flow);
    if (run->place.stored) ck_document_put_bool(document, at, "stored", true);
    ck_document_put_text(document, at, "directory", run->place.directory);
    ck_document_put_text(document, at, "host", run->place.host);
    ck_document_put_text(document, at, "outcome", run->outcome);
    ck_document_put_value(document, at, "settings", run->settings);
    ck_document_put_int(document, at, "attempt", run->timeline->attempt);
    ck_document_put_time(document, at, "begun", run->begun_ms);
    ck_document_put_time(document, at, "last", run->last_ms);
    ck_fields_put_cost(document, at, &run->spent);
    if (run->spent.unmetered) ck_document_put_int(document, at, "unmetered", run->spent.unmetered);
    ck_fields_put_reserved(document, at, run->reserved);
    ck_document_put_int(document, at, "input_tokens", run->spent.input_tokens);
    ck_document_put_int(document, at, "output_tokens", run->spent.output_tokens);
    ck_document_put_int(document, at, "model_calls", run->spent.model_calls);
    ck_document_put_int(document, at, "tool_calls", run->spent.tool_calls);
  }
}

static void append_count(ck_buffer *out, int64_t count, const char *what) {
  if (!count) return;
  ck_buffer_append_text(out, ", ");
  ck_format_of(out, count, what);
}

/* Where the session was begun is known. */
static void append_place(ck_buffer *out, const ck_runs *self, const ck_place *place) {
  if (place->stored) ck_buffer_append_text(out, ", what the store kept");
  bool other = place->flow && self->flow && strcmp(place->flow, self->flow) != 0;
  if (other)
    ck_buffer_append_format(out, ", %s in %s", place->flow,
                            place->directory ? place->directory : "");
}

/* "3 earlier ones: …"; the first that is listed. */
static size_t leave_out(ck_table *table, const ck_runs *self) {
  if (self->whole || self->count <= CK_RUNS_LISTED) return 0;
  ck_buffer text = {0};
  ck_format_of(&text, (int64_t)(self->count - CK_RUNS_LISTED), "earlier one");
  ck_buffer_append_text(&text, ": -v or --json lists them");
  table->text.failed |= text.failed;
  ck_table_put_word(table, "runs");
  ck_table_put_text(table, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  return self->count - CK_RUNS_LISTED;
}

void ck_runs_put_rows(ck_table *table, const ck_runs *self) {
  for (size_t i = leave_out(table, self); i < self->count; i++) {
    const ck_run *run = &self->list[i];
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "%s: %s, ", run->timeline->run, run->outcome);
    ck_fields_format_cost(&text, &run->spent);
    if (run->reserved) {
      ck_buffer_append_text(&text, " (");
      ck_format_money(&text, run->reserved);
      ck_buffer_append_text(&text, " of it reserved)");
    }
    append_count(&text, run->spent.model_calls, "model call");
    append_count(&text, run->spent.tool_calls, "tool call");
    if (run->timeline->parent_run[0])
      ck_buffer_append_format(&text, ", after %s", run->timeline->parent_run);
    append_place(&text, self, &run->place);
    if (run->settings) {
      ck_buffer_append_text(&text, ", with");
      ck_run_settings_append(&text, ck_value_bytes(run->settings));
    }
    if (text.failed) table->text.failed = true;
    ck_table_put_word(table, "runs");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    ck_buffer_clear(&text);
  }
}
