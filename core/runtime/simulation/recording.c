/* recording.c - reads the events of a session back into the inputs that its policies got, boundary
 * by boundary. */
#include "core/runtime/simulation/recording.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/ledger/work_time.h"
#include "core/runtime/simulation/message_texts.h"
#include "core/runtime/simulation/recorded_prunes.h"

/* How far the reading has come. */
typedef struct reading {
  ck_recording *of;
  size_t event_cap, boundary_cap;
  ck_work work;
  ck_work base; /* work at the place that recorded differences count from */
  ck_work_time time;
  size_t unclamped;    /* first event behind the last boundary */
  int64_t edited;      /* the last timeline that a person made by going back; 0: none */
  int64_t keys, bytes; /* as recorded at the last boundary */
  bool begins;         /* no boundary of this run was read yet */
  ck_status status;
  ck_error *err;
} reading;

/* ---- boundaries ---- */

/* SplitMix64 of the seq. */
static uint64_t random_of(int64_t seq) {
  uint64_t z = (uint64_t)seq * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (z ^ z >> 31) >> 11;
}

static int64_t get_int(ck_bytes object, const char *name, int64_t otherwise) {
  int64_t number;
  return ck_json_read_int(&number, ck_json_get(object, name)) ? number : otherwise;
}

static bool get_bool(ck_bytes object, const char *name, bool otherwise) {
  bool truth;
  return ck_json_read_bool(&truth, ck_json_get(object, name)) ? truth : otherwise;
}

static bool take_text(const char **out, const char *text) {
  *out = text ? strdup(text) : NULL;
  return !text || *out;
}

static bool get_text(const char **out, ck_bytes object, const char *name) {
  ck_bytes value = ck_json_get(object, name);
  *out = ck_json_type_of(value) == CK_JSON_STRING ? ck_json_dup_string(value) : NULL;
  return *out || ck_json_type_of(value) != CK_JSON_STRING;
}

/* False for a kind that this version does not know. */
static bool read_kind(ck_boundary_kind *out, ck_bytes body) {
  const char *name;
  if (!get_text(&name, body, "kind")) return false;
  *out = name ? ck_boundary_kind_of(name) : 0;
  free((char *)name);
  return true;
}

void ck_recorded_place_clear(ck_boundary *self) {
  const char *texts[] = {self->scope,     self->node,      self->agent,
                         self->next.node, self->next.tool, self->last_error};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) free((char *)texts[i]);
  free((char *)self->calls.data);
  free((char *)self->message.data);
  free((char *)self->tools.data);
  free((char *)self->model.data);
  ck_changed_keys *changed = (ck_changed_keys *)self->since.changed;
  if (changed) ck_changed_keys_clear(changed);
  free(changed);
  *self = (ck_boundary){0};
}

static void clear_boundary(ck_recorded_boundary *self) {
  ck_recorded_place_clear(&self->at);
  ck_shown_message_clear(&self->message);
  free((char *)self->changed.data);
  ck_value_free((ck_value *)self->reasons);
}

/* A member of that type as it stands; an earlier version recorded none. */
static bool read_json(ck_bytes *out, ck_bytes body, const char *name, ck_json_type type) {
  ck_bytes value = ck_json_get(body, name);
  if (ck_json_type_of(value) != type) return true;
  *out = (ck_bytes){strndup(value.data, value.len), value.len};
  return out->data != NULL;
}

static bool read_turn(ck_boundary *at, ck_bytes body) {
  return read_json(&at->calls, body, "calls", CK_JSON_ARRAY) &&
         read_json(&at->message, body, "last_message", CK_JSON_OBJECT) &&
         read_json(&at->tools, body, "ran", CK_JSON_ARRAY) &&
         read_json(&at->model, body, "model", CK_JSON_STRING);
}

static bool read_texts(ck_boundary *at, const ck_event *event, ck_bytes body) {
  ck_bytes next = ck_json_get(body, "next");
  const char *class;
  bool ok = take_text(&at->scope, event->scope) && take_text(&at->agent, event->agent) &&
            get_text(&at->node, body, "node") && get_text(&at->last_error, body, "last_error") &&
            get_text(&at->next.node, next, "node") && get_text(&at->next.tool, next, "tool") &&
            get_text(&class, next, "class");
  if (!ok) return false;
  at->next.has_class = class && ck_effect_class_of(&at->next.effect_class, class);
  free((char *)class);
  return read_turn(at, body);
}

static void read_numbers(ck_boundary *at, int64_t now_ms, const ck_event *event, ck_bytes body) {
  ck_bytes since = ck_json_get(body, "since");
  int64_t random = get_int(body, "random", -1);
  at->depth = (int)get_int(body, "depth", 0);
  at->seq = event->seq;
  at->now_ms = get_int(body, "now", now_ms);
  at->random = random >= 0 ? (uint64_t)random : random_of(event->seq);
  at->node_latency_ms = get_int(body, "latency_ms", 0);
  at->since.ms = get_int(since, "ms", 0);
  at->since.events = get_int(since, "events", 0);
  at->since.cost_micros = get_int(since, "cost", 0);
  at->since.tokens = get_int(since, "tokens", 0);
  at->since.changed_keys = get_int(since, "keys", 0);
  at->since.changed_bytes = get_int(since, "bytes", 0);
  at->budget.spent_micros = get_int(body, "spent", 0);
  at->budget.limit_micros = get_int(body, "limit", -1);
  at->budget.is_set = get_bool(body, "limit_set", false);
  at->clean = get_bool(body, "clean", true);
  at->asked = ck_json_type_of(ck_json_get(body, "requests")) == CK_JSON_ARRAY ? "[]" : NULL;
  at->checkpoint_cost_us = get_int(body, "cost_us", 0);
  at->waits = get_bool(body, "waits", false);
}

/* An earlier version recorded none: not known. */
static ck_status read_changed(ck_boundary *out, ck_bytes body, ck_error *err) {
  ck_bytes list = ck_json_get(body, "changed");
  if (!list.len && out->since.changed_keys) return CK_OK;
  ck_changed_keys *keys = calloc(1, sizeof *keys);
  if (!keys) return ck_error_no_memory(err);
  out->since.changed = keys;
  return ck_changed_keys_read(keys, list, err);
}

ck_status ck_recorded_place_read(ck_boundary *out, const ck_event *event, ck_bytes body,
                                 ck_error *err) {
  *out = (ck_boundary){0};
  if (!read_texts(out, event, body)) {
    ck_recorded_place_clear(out);
    return ck_error_no_memory(err);
  }
  ck_bytes since = ck_json_get(body, "since");
  read_numbers(out, event->at_ms, event, body);
  out->since.tool_calls = get_int(since, "tool_calls", 0);
  out->since.boundaries = get_int(since, "boundaries", 0);
  out->since.iterations = get_int(since, "iterations", 0);
  out->seq = get_int(body, "seq", event->seq);
  ck_status status = read_changed(out, body, err);
  if (status != CK_OK) ck_recorded_place_clear(out);
  return status;
}

static ck_status read_decision(ck_recorded_boundary *self, ck_bytes body, ck_error *err) {
  ck_bytes reasons = ck_json_get(body, "reasons");
  self->taken = ck_json_type_of(ck_json_get(body, "checkpoint")) == CK_JSON_STRING;
  self->sync = get_bool(body, "sync", false);
  if (!reasons.len) return CK_OK;
  ck_value *copy;
  ck_status status = ck_value_copy(&copy, reasons, err);
  self->reasons = copy;
  return status;
}

/* ---- counting ---- */

/* A recorded boundary counts from the last recorded checkpoint; a checkpoint taken elsewhere needs
 * the changes between boundaries. */
static void count_changes(reading *self, ck_recorded_boundary *boundary) {
  const ck_boundary *at = &boundary->at;
  boundary->added_keys = at->since.changed_keys - self->keys;
  boundary->added_bytes = at->since.changed_bytes - self->bytes;
  boundary->begins = self->begins;
  self->begins = false;
  self->keys = at->since.changed_keys;
  self->bytes = at->since.changed_bytes;
}

static void limit(int64_t *number, int64_t most) {
  if (*number > most) *number = most;
}

/* Calls of tools are counted again: earlier versions did not record them. */
static void count_work(reading *self, ck_boundary *at) {
  self->work.ms = self->base.ms + at->since.ms;
  limit(&self->work.active_ms, self->base.active_ms + at->since.ms);
  self->work.cost_micros = self->base.cost_micros + at->since.cost_micros;
  self->work.tokens = self->base.tokens + at->since.tokens;
  at->since.tool_calls = self->work.tool_calls - self->base.tool_calls;
  for (; self->unclamped < self->of->event_count; self->unclamped++) {
    ck_work *work = &self->of->events[self->unclamped].work;
    limit(&work->ms, self->work.ms);
    limit(&work->active_ms, self->work.active_ms);
  }
}

static void begin_interval(reading *self) {
  self->base = self->work;
  self->keys = self->bytes = 0;
}

static ck_status pass_time(reading *self, const ck_event *event) {
  ck_work_time *time = &self->time;
  int64_t ms = time->ms, active_ms = time->active_ms;
  ck_status status = ck_work_time_take(time, event, self->err);
  self->work.ms += time->ms - ms;
  self->work.active_ms += time->active_ms - active_ms;
  return status;
}

static void count_outcome(reading *self, const ck_event *event) {
  ck_totals spent = {0};
  ck_totals_add_outcome(&spent, event->body);
  ck_totals_add_outcome(&self->of->totals, event->body);
  self->work.cost_micros += spent.cost_micros;
  self->work.tokens += spent.input_tokens + spent.output_tokens;
  self->work.tool_calls += spent.tool_calls;
}

static ck_status take_boundary(reading *self, const ck_event *event, size_t *index) {
  ck_recording *of = self->of;
  ck_bytes body = ck_value_bytes(event->body);
  ck_boundary_kind kind;
  if (!read_kind(&kind, body)) return ck_error_no_memory(self->err);
  if (!kind) return CK_OK;
  ck_recorded_boundary *boundaries =
      ck_array_grow(of->boundaries, of->boundary_count, &self->boundary_cap, sizeof *boundaries);
  if (!boundaries) return ck_error_no_memory(self->err);
  of->boundaries = boundaries;
  ck_recorded_boundary *boundary = &of->boundaries[of->boundary_count++];
  *boundary = (ck_recorded_boundary){
      .at = {.kind = kind}, .timeline = event->timeline, .edited = event->timeline == self->edited};
  if (!read_texts(&boundary->at, event, body) ||
      !read_json(&boundary->changed, body, "changed", CK_JSON_ARRAY))
    return ck_error_no_memory(self->err);
  read_numbers(&boundary->at, self->time.at_ms, event, body);
  ck_status status = ck_shown_message_read(&boundary->message, boundary->at.message, self->err);
  if (status == CK_OK) status = read_decision(boundary, body, self->err);
  if (status != CK_OK) return status;
  count_changes(self, boundary);
  count_work(self, &boundary->at);
  *index = of->boundary_count - 1;
  return CK_OK;
}

/* That of a run lies behind the checkpoint of the last boundary. */
static void note_prune(reading *self, ck_recorded_event *made, const ck_event *event) {
  const ck_recording *of = self->of;
  ck_recorded_boundary *last = of->boundary_count ? &of->boundaries[of->boundary_count - 1] : NULL;
  bool behind = last && last->taken && last->timeline == event->timeline;
  if (!ck_recorded_prune_was_asked(event)) return;
  if (behind && !last->pruned_ms && ck_recorded_prune_is_own(event))
    last->pruned_ms = event->at_ms;
  else
    made->prune_ms = event->at_ms;
}

static bool take_event(void *to, const ck_event *event) {
  reading *self = to;
  ck_recording *of = self->of;
  ck_recorded_event made = {
      .seq = event->seq, .boundary = SIZE_MAX, .resumed = event->kind == CK_EVENT_SESSION_RESUMED};
  self->status = pass_time(self, event);
  if (event->kind == CK_EVENT_OUTCOME) count_outcome(self, event);
  if (event->kind == CK_EVENT_PRUNE) note_prune(self, &made, event);
  if (ck_recorded_is_edit(event)) self->edited = event->timeline;
  if (self->status == CK_OK && event->kind == CK_EVENT_BOUNDARY)
    self->status = take_boundary(self, event, &made.boundary);
  if (made.resumed) begin_interval(self), self->begins = true;
  if (self->status != CK_OK) return false;
  ck_recorded_event *events =
      ck_array_grow(of->events, of->event_count, &self->event_cap, sizeof *events);
  if (!events) self->status = ck_error_no_memory(self->err);
  if (!events) return false;
  of->events = events;
  made.work = self->work;
  of->events[of->event_count++] = made;
  if (made.boundary == SIZE_MAX) return true;
  self->unclamped = of->event_count;
  if (of->boundaries[made.boundary].taken) begin_interval(self);
  return true;
}

ck_status ck_recording_read(ck_recording **out, ck_store *store, const char *session_id,
                            ck_error *err) {
  *out = NULL;
  ck_head head;
  ck_status status = ck_store_get_head(&head, store, session_id, err);
  if (status != CK_OK) return status;
  ck_event_query query = {.session = head.session.no};
  ck_recording *made = calloc(1, sizeof *made);
  reading self = {.of = made, .begins = true, .status = CK_OK, .err = err};
  if (!made) status = ck_error_no_memory(err);
  if (status == CK_OK) {
    memcpy(made->id, head.session.id, sizeof made->id);
    status = ck_store_read_events(store, &query, take_event, &self, err);
  }
  if (status == CK_OK) status = self.status;
  if (status == CK_OK) status = ck_recorded_prunes_read(made, store, &head, err);
  if (status == CK_OK)
    *out = made;
  else
    ck_recording_free(made);
  ck_work_time_clear(&self.time);
  ck_head_clear(&head);
  return status;
}

void ck_recording_free(ck_recording *self) {
  if (!self) return;
  for (size_t i = 0; i < self->boundary_count; i++) clear_boundary(&self->boundaries[i]);
  free(self->boundaries);
  free(self->events);
  ck_protected_clear(&self->protected);
  free(self);
}

/* ---- as it would be shown ---- */

ck_status ck_recorded_boundary_add_changes(ck_changed_keys *keys, const ck_recorded_boundary *self,
                                           ck_error *err) {
  if (self->begins) ck_changed_keys_clear(keys);
  return ck_changed_keys_read(keys, self->changed, err);
}

ck_boundary ck_recorded_boundary_show(const ck_recorded_boundary *self, const ck_shown_as *as) {
  ck_boundary at = self->at;
  ck_shown_as_apply(&at, as, &self->message);
  return at;
}

ck_status ck_recording_read_texts(ck_recording *self, ck_store *store, const ck_shown_as *as,
                                  ck_error *err) {
  size_t lacking = 0;
  ck_head head;
  if (as->text != CK_TEXT_SHOWN) return CK_OK;
  ck_message_place *list = calloc(self->boundary_count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  for (size_t i = 0; i < self->boundary_count; i++) {
    ck_recorded_boundary *of = &self->boundaries[i];
    list[i] = (ck_message_place){.timeline = of->timeline,
                                 .seq = of->at.seq,
                                 .scope = of->at.scope,
                                 .message = &of->message};
    lacking += ck_shown_message_lacks(&of->message, as);
  }
  ck_status status = lacking ? ck_store_get_head(&head, store, self->id, err) : CK_OK;
  if (lacking && status == CK_OK) {
    status = ck_message_texts_find(list, self->boundary_count, store, &head, err);
    ck_head_clear(&head);
  }
  free(list);
  return status;
}
