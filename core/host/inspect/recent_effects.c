/* recent_effects.c - the last effects of a session, as they went: from its end backward. */
#include "core/host/inspect/recent_effects.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/print/format.h"
#include "core/host/session/queued.h"
#include "core/model/effect.h"

enum { EVENTS_MAX = 50 * CK_RECENT_EFFECTS_MAX };

typedef struct reading {
  ck_recent_effects *to;   /* newest first, until it is turned round */
  const char *outcomeless; /* the status of an effect that nothing is known of behind its intent */
  size_t waiting;          /* outcomes whose intents are still to come */
  size_t events;
  bool retries; /* the session runs, or a worker goes on with it when it is time */
  bool failed;
} reading;

static char *take(reading *self, ck_bytes value) {
  if (ck_json_type_of(value) != CK_JSON_STRING) return NULL;
  char *text = ck_json_dup_string(value);
  self->failed |= !text;
  return text;
}

/* "main/pay#1/exec/1" of scope main: "pay#1". */
static char *place_of_key(reading *self, const char *key, const char *scope) {
  size_t len = key && scope ? strlen(scope) : 0;
  if (!len || strncmp(key, scope, len) != 0 || key[len] != '/') return NULL;
  const char *begin = key + len + 1, *end = strrchr(begin, '/');
  while (end && end > begin && end[-1] != '/') end--;
  if (!end || end <= begin + 1) return NULL;
  char *place = strndup(begin, (size_t)(end - 1 - begin));
  self->failed |= !place;
  return place;
}

static ck_recent_effect *add(reading *self, const ck_event *event, ck_bytes body) {
  if (self->to->count == CK_RECENT_EFFECTS_MAX) return NULL;
  ck_recent_effect *added = &self->to->list[self->to->count++];
  *added = (ck_recent_effect){.key = take(self, ck_json_get(body, "key")),
                              .kind = take(self, ck_json_get(body, "kind")),
                              .agent = event->agent ? strdup(event->agent) : NULL,
                              .seq = event->seq,
                              .cost_micros = -1};
  self->failed |= event->agent && !added->agent;
  added->at = place_of_key(self, added->key, event->scope);
  return added;
}

/* Also one that was denied ends with an error: who reads is told which. */
static const char *status_of(ck_bytes outcome) {
  if (ck_json_get(outcome, "denied").len) return "denied";
  for (int i = 0; i < CK_OUTCOME_COUNT; i++) {
    const char *name = ck_outcome_status_name((ck_outcome_status)i);
    if (ck_json_is_text(ck_json_get(outcome, "status"), name)) return name;
  }
  return "unknown";
}

/* "main/agent#2/model/1": the last part but one is the kind. */
static char *kind_of_key(reading *self, const char *key) {
  const char *end = key ? strrchr(key, '/') : NULL, *begin = end;
  while (begin && begin > key && begin[-1] != '/') begin--;
  char *kind = end ? strndup(begin, (size_t)(end - begin)) : NULL;
  self->failed |= end && !kind;
  return kind;
}

static bool knows(const reading *self, ck_bytes key) {
  bool known = false;
  for (size_t i = 0; !known && i < self->to->count; i++) {
    const char *one = self->to->list[i].key;
    known = one && ck_json_is_text(key, one);
  }
  return known;
}

/* It is tried again when a wait is over. */
static void take_wait(reading *self, ck_recent_effect *out, const ck_event *event, ck_bytes body) {
  int64_t wait, tried;
  ck_bytes failure = ck_json_get(body, "failure");
  if (!ck_json_read_int(&wait, ck_json_get(failure, "wait")) ||
      !ck_json_read_int(&tried, ck_json_get(failure, "try")))
    return;
  out->retries_ms = event->at_ms + wait;
  out->next_try = tried + 1;
  out->retried_by = take(self, ck_json_get(failure, "policy"));
}

static void take_outcome(reading *self, const ck_event *event, ck_bytes body) {
  bool newest = !knows(self, ck_json_get(body, "key"));
  ck_recent_effect *added = add(self, event, body);
  if (!added) return;
  added->status = status_of(body);
  if (newest && self->retries) take_wait(self, added, event, body);
  ck_bytes error = ck_json_get(body, "error");
  added->error = take(self, error.len ? error : ck_json_get(body, "refusal"));
  added->refuses = ck_json_get(body, "refusal").len > 0;
  added->ended_ms = event->at_ms;
  ck_bytes cost = ck_json_get(body, "cost");
  if (cost.len && !ck_json_read_int(&added->cost_micros, cost)) added->cost_micros = -1;
  if (strcmp(added->status, "denied") == 0) added->begun_ms = event->at_ms; /* it never began */
  self->waiting++;
}

static void take_replay(reading *self, const ck_event *event, ck_bytes body) {
  ck_recent_effect *added = add(self, event, body);
  if (!added) return;
  added->status = "replayed";
  free(added->kind); /* a replay tells none */
  added->kind = kind_of_key(self, added->key);
  added->begun = true;
  added->begun_ms = added->ended_ms = event->at_ms;
  added->cost_micros = 0;
}

/* One of that key whose intent, which is older, was not read yet. */
static ck_recent_effect *unbegun(const reading *self, ck_bytes key) {
  for (size_t i = 0; i < self->to->count; i++) {
    ck_recent_effect *one = &self->to->list[i];
    if (!one->begun && one->key && ck_json_is_text(key, one->key)) return one;
  }
  return NULL;
}

/* The verdict on an effect without an outcome, which is older; what came of it may be known. */
static void take_resolution(reading *self, const ck_event *event, ck_bytes body) {
  if (unbegun(self, ck_json_get(body, "key"))) return;
  ck_recent_effect *added = add(self, event, body);
  if (!added) return;
  added->status = "resolved";
  free(added->kind);
  added->kind = kind_of_key(self, added->key);
  added->ended_ms = event->at_ms;
  self->waiting++;
}

static void take_intent(reading *self, const ck_event *event, ck_bytes body) {
  ck_bytes request = ck_json_get(body, "request"), key = ck_json_get(body, "key");
  ck_recent_effect *of = unbegun(self, key);
  bool known = of || knows(self, key);
  if (of)
    self->waiting--;
  else
    of = add(self, event, body);
  if (!of) return;
  of->begun = true;
  of->seq = event->seq;
  of->begun_ms = event->at_ms;
  if (!of->status) of->status = known ? "again" : self->outcomeless;
  ck_bytes name = ck_json_get(request, "name"), model = ck_json_get(body, "model");
  if (!model.len) model = ck_json_get(request, "model");
  of->name = take(self, name.len ? name : model);
}

static bool visit(void *to, const ck_event *event) {
  reading *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (event->kind == CK_EVENT_OUTCOME)
    take_outcome(self, event, body);
  else if (event->kind == CK_EVENT_REPLAY)
    take_replay(self, event, body);
  else if (event->kind == CK_EVENT_RESOLUTION)
    take_resolution(self, event, body);
  else
    take_intent(self, event, body);
  bool full = self->to->count == CK_RECENT_EFFECTS_MAX && self->waiting == 0;
  return !self->failed && !full && ++self->events < EVENTS_MAX;
}

static int by_seq(const void *a, const void *b) {
  int64_t left = ((const ck_recent_effect *)a)->seq, right = ((const ck_recent_effect *)b)->seq;
  return (left > right) - (left < right);
}

ck_status ck_recent_effects_read(ck_recent_effects *out, ck_store *store, const ck_head *head,
                                 int64_t uncalled, bool runs, ck_error *err) {
  ck_session_status at = head->session.status;
  bool over = at == CK_SESSION_COMPLETED || at == CK_SESSION_CANCELLED;
  bool waits = at == CK_SESSION_RUNNING ? runs : ck_queued_from(&head->session) != 0;
  reading self = {.to = out, .outcomeless = over ? "left" : "open", .retries = waits};
  ck_view view;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  ck_event_query query = {.session = head->session.no,
                          .view = &view,
                          .after = uncalled,
                          .kinds = 1ull << CK_EVENT_INTENT | 1ull << CK_EVENT_OUTCOME |
                                   1ull << CK_EVENT_REPLAY | 1ull << CK_EVENT_RESOLUTION,
                          .backward = true};
  if (status == CK_OK) status = ck_store_read_events(store, &query, visit, &self, err);
  qsort(out->list, out->count, sizeof *out->list, by_seq);
  ck_view_clear(&view);
  return status == CK_OK && self.failed ? ck_error_no_memory(err) : status;
}

void ck_recent_effects_clear(ck_recent_effects *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_recent_effect *one = &self->list[i];
    free(one->key);
    free(one->at);
    free(one->kind);
    free(one->name);
    free(one->agent);
    free(one->error);
    free(one->retried_by);
  }
  self->count = 0;
}

void ck_recent_effects_put(ck_document *document, const ck_recent_effects *self) {
  struct cJSON *list = ck_document_put_array(document, NULL, "last_effects");
  for (size_t i = 0; i < self->count; i++) {
    const ck_recent_effect *one = &self->list[i];
    struct cJSON *at = ck_document_put_object(document, list, NULL);
    ck_document_put_int(document, at, "seq", one->seq);
    ck_document_put_text(document, at, "effect", one->key);
    ck_document_put_text(document, at, "at", one->at);
    ck_document_put_text(document, at, "kind", one->kind);
    ck_document_put_text(document, at, "name", one->name);
    ck_document_put_text(document, at, "agent", one->agent);
    ck_document_put_text(document, at, "status", one->status);
    ck_document_put_time(document, at, "begun", one->begun_ms);
    if (one->begun_ms && one->ended_ms)
      ck_document_put_duration(document, at, "duration_ms", (one->ended_ms - one->begun_ms) * 1000);
    if (one->cost_micros >= 0) ck_document_put_money(document, at, "cost_usd", one->cost_micros);
    ck_document_put_text(document, at, "error", one->error);
    if (one->refuses) ck_document_put_bool(document, at, "refuses", true);
    if (!one->retries_ms) continue;
    ck_document_put_time(document, at, "retries_at", one->retries_ms);
    ck_document_put_int(document, at, "next_try", one->next_try);
    ck_document_put_text(document, at, "retried_by", one->retried_by);
  }
}

void ck_recent_effect_append_wait(ck_buffer *out, const ck_recent_effect *self) {
  ck_buffer_append_text(out, "tried again at ");
  ck_format_time(out, self->retries_ms);
  ck_buffer_append_format(out, " (try %lld of %d)", (long long)self->next_try, CK_EFFECT_TRIES);
  if (self->retried_by) ck_buffer_append_format(out, ", by policy \"%s\"", self->retried_by);
}

void ck_recent_effects_put_waits(ck_table *table, const ck_recent_effects *self) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_recent_effect *one = &self->list[i];
    if (!one->retries_ms) continue;
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "%s: ", one->key ? one->key : "?");
    ck_recent_effect_append_wait(&text, one);
    ck_table_put_word(table, "retry");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    table->text.failed |= text.failed;
    ck_buffer_clear(&text);
  }
}

void ck_recent_effects_put_refusals(ck_table *table, const ck_recent_effects *self) {
  for (size_t i = 0; i < self->count; i++) {
    const ck_recent_effect *one = &self->list[i];
    if (!one->refuses) continue;
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "%s: %s", one->key ? one->key : "?", one->error);
    ck_table_put_word(table, "refuses");
    ck_table_put_text(table, ck_buffer_bytes(&text));
    table->text.failed |= text.failed;
    ck_buffer_clear(&text);
  }
}
