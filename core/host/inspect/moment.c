/* moment.c - finds one event, and makes of it and what came before it what policies are shown. */
#include "core/host/inspect/moment.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/content.h"

static ck_status read_seq(int64_t *seq, const char *word, const char *mark, ck_error *err) {
  char *end = NULL;
  *seq = mark ? strtoll(mark + 1, &end, 10) : 0;
  if (!mark || (*seq > 0 && mark[1] >= '0' && mark[1] <= '9' && !*end)) return CK_OK;
  return ck_error_set(err, CK_E_USAGE, "%s: behind # the number of an event is expected", word);
}

/* The boundary of that event, or the last before it, with what is counted up to there. */
static ck_status find_boundary(ck_moment *self, int64_t seq, const ck_shown_as *as, ck_error *err) {
  const ck_recorded_boundary *last = NULL;
  for (size_t i = 0; i < self->recording->boundary_count; i++) {
    const ck_recorded_boundary *of = &self->recording->boundaries[i];
    if (seq && of->at.seq > seq) return CK_OK;
    if (last && last->taken) ck_changed_keys_clear(&self->changed);
    ck_status status = ck_recorded_boundary_add_changes(&self->changed, of, err);
    if (status != CK_OK) return status;
    ck_view_count(&self->shown.counts, &of->at);
    self->at = ck_recorded_boundary_show(of, as);
    self->at.since.changed = &self->changed;
    self->shown.at = &self->at;
    last = of;
  }
  return CK_OK;
}

typedef struct reading {
  ck_event *event;
  ck_status status;
  ck_error *err;
} reading;

static bool take_event(void *to, const ck_event *event) {
  reading *self = to;
  self->status = ck_event_new(&self->event, event, self->err);
  return false;
}

static ck_status read_event(ck_moment *self, const ck_inspection *inspection, int64_t seq,
                            ck_error *err) {
  reading of = {.err = err};
  ck_event_query query = {.session = inspection->head.session.no, .after = seq - 1, .until = seq};
  ck_status status = ck_store_read_events(inspection->store, &query, take_event, &of, err);
  if (status == CK_OK) status = of.status;
  self->event = of.event;
  if (status != CK_OK || of.event) return status;
  return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no event %lld",
                      inspection->head.session.id, (long long)seq);
}

static ck_status show_effect(ck_moment *self, ck_error *err) {
  ck_bytes body = ck_value_bytes(self->event->body);
  char *kind = ck_json_dup_string(ck_json_get(body, "kind"));
  char *class = ck_json_dup_string(ck_json_get(body, "class"));
  int64_t attempt = 1;
  self->key = ck_json_dup_string(ck_json_get(body, "key"));
  ck_effect *effect = &self->effect;
  *effect = (ck_effect){.scope = self->event->scope,
                        .key = self->key,
                        .agent = self->event->agent,
                        .untrusted = ck_json_get(body, "untrusted"),
                        .request = ck_json_get(body, "request")};
  ck_json_read_int(&attempt, ck_json_get(body, "attempt"));
  ck_json_read_int(&effect->reserve_micros, ck_json_get(body, "reserve"));
  effect->attempt = (uint32_t)attempt;
  bool known = self->key && kind && class && ck_effect_kind_of(&effect->kind, kind) &&
               ck_effect_class_of(&effect->class, class);
  if (known) self->shown.effect = effect;
  bool failed = !kind || !class || !self->key;
  free(kind);
  free(class);
  return failed ? ck_error_no_memory(err) : CK_OK;
}

/* What was asked there stands in the place of what could have been. */
static void show_asked(ck_moment *self) {
  const ck_asked_views *asked = &self->asked;
  if (asked->effect) self->shown.effect = asked->effect;
  if (asked->at) {
    self->shown.at = asked->at;
    self->shown.counts = ck_view_counts_between(asked->at);
  }
  self->shown.failure = asked->failure;
  self->shown.session = asked->resume;
  if (asked->resume) self->shown.checkpoint = asked->resume->checkpoint;
  if (asked->unknown[0]) self->shown.unknown = asked->unknown;
}

/* Its content, as live; none: redact is not asked about it. */
static ck_status show_item(ck_moment *self, ck_error *err) {
  const ck_event *event = self->event;
  ck_value *asked = NULL;
  ck_status status =
      event->body ? ck_content_recorded(&asked, event->kind, event->body, err) : CK_OK;
  if (status == CK_OK && asked)
    status = ck_content_pick(&self->content, (ck_content_of){.kind = event->kind}, asked, err);
  ck_value_free(asked);
  self->item = (ck_item){.kind = event->kind, .agent = event->agent, .value = self->content};
  if (self->content) self->shown.item = &self->item;
  return status;
}

static ck_status show_event(ck_moment *self, ck_error *err) {
  const ck_event *event = self->event;
  self->shown.event = event;
  ck_status status = show_item(self, err);
  if (status != CK_OK) return status;
  return event->kind == CK_EVENT_INTENT ? show_effect(self, err) : CK_OK;
}

/* Those up to the event; the time is that of the boundary. */
static ck_status show_history(ck_moment *self, const ck_inspection *inspection, int64_t seq,
                              ck_error *err) {
  ck_status status = ck_checkpoint_list_read(&self->checkpoints, inspection->store,
                                             inspection->head.session.no, err);
  size_t count = 0;
  if (status != CK_OK) return status;
  while (count < self->checkpoints.count && self->checkpoints.list[count].seq <= seq) count++;
  self->history =
      (ck_history){.checkpoints = self->checkpoints.list,
                   .count = count,
                   .now_ms = self->shown.at ? self->shown.at->now_ms : self->event->at_ms};
  self->shown.history = &self->history;
  if (count) self->shown.checkpoint = &self->checkpoints.list[count - 1];
  return CK_OK;
}

static ck_status read(ck_moment *self, const ck_inspection *inspection, int64_t seq,
                      const ck_profile *profile, ck_error *err) {
  const ck_shown_as as = ck_shown_as_profile(profile);
  const char *id = inspection->head.session.id;
  ck_status status = ck_recording_read(&self->recording, inspection->store, id, err);
  if (status == CK_OK)
    status = ck_recording_read_texts(self->recording, inspection->store, &as, err);
  if (status != CK_OK) return status;
  status = find_boundary(self, seq, &as, err);
  if (status != CK_OK) return status;
  if (!seq && !self->shown.at)
    return ck_error_set(err, CK_E_NOT_FOUND,
                        "session %s has no boundary: name an event, as in %s#2", id, id);
  if (!seq) seq = self->shown.at->seq;
  status = read_event(self, inspection, seq, err);
  if (status == CK_OK) status = show_event(self, err);
  if (status == CK_OK) status = show_history(self, inspection, seq, err);
  if (status == CK_OK)
    status = ck_asked_views_read(&self->asked, inspection->store, id, self->event, profile, err);
  if (status == CK_OK) show_asked(self);
  return status;
}

ck_status ck_moment_open(ck_moment *out, ck_inspection *inspection, const ck_host *host,
                         const char *word, const ck_profile *profile, ck_error *err) {
  int64_t seq;
  const char *mark = strchr(word, '#');
  *out = (ck_moment){0};
  *inspection = (ck_inspection){0};
  ck_status status = read_seq(&seq, word, mark, err);
  if (status != CK_OK) return status;
  char *id = mark ? strndup(word, (size_t)(mark - word)) : strdup(word);
  if (!id) return ck_error_no_memory(err);
  status = ck_inspection_open_session(inspection, host, id, err);
  free(id);
  if (status != CK_OK) return status;
  status = read(out, inspection, seq, profile, err);
  if (status != CK_OK) {
    ck_moment_close(out);
    ck_inspection_close(inspection);
  }
  return status;
}

void ck_moment_close(ck_moment *self) {
  ck_checkpoint_list_clear(&self->checkpoints);
  ck_asked_views_clear(&self->asked);
  ck_changed_keys_clear(&self->changed);
  free(self->key);
  ck_value_free(self->content);
  ck_event_free(self->event);
  ck_recording_free(self->recording);
  *self = (ck_moment){0};
}
