/* history.c - random changes: values set, grown, edited in the middle, cut, removed. */
#include "tests/store/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

/* splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014). */
void history_must(ck_status status, const ck_error *err, const char *what) {
  if (status) tap_must(false, "%s: %s %s", what, ck_status_name(status), err->text);
}

/* ---- values ---- */

static ck_value *make_value(const ck_buffer *text) {
  ck_value *value;
  ck_error err = CK_ERROR_INIT;
  history_must(ck_value_from(&value, text, &err), &err, "make a value");
  return value;
}

static void append_letters(ck_buffer *text, test_dice *random, size_t len) {
  for (size_t i = 0; i < len; i++) ck_buffer_append_char(text, (char)('a' + dice_pick(random, 26)));
}

static ck_value *fresh_value(history *self) {
  ck_buffer text = {0};
  ck_buffer_append_char(&text, '"');
  append_letters(&text, &self->random, dice_pick(&self->random, self->value_max));
  ck_buffer_append_char(&text, '"');
  ck_value *value = make_value(&text);
  ck_buffer_clear(&text);
  return value;
}

/* Prefix and suffix of the old text, with something else in between. */
static ck_value *edited_value(history *self, ck_bytes old) {
  ck_buffer text = {0};
  size_t inside = old.len - 2, at = self->grow ? inside : dice_pick(&self->random, inside + 1);
  size_t cut = self->grow ? 0 : dice_pick(&self->random, inside - at + 1);
  if (dice_pick(&self->random, 2)) cut = 0;
  ck_buffer_append(&text, old.data, 1 + at);
  append_letters(&text, &self->random, dice_pick(&self->random, self->value_max / 8 + 2));
  ck_buffer_append(&text, old.data + 1 + at + cut, old.len - 1 - at - cut);
  ck_value *value = make_value(&text);
  ck_buffer_clear(&text);
  return value;
}

/* ---- changes ---- */

static ck_change random_change(history *self, const char *key) {
  ck_change change = {.key = strdup(key)};
  const ck_value *old = ck_state_get(self->state, key);
  uint64_t dice = dice_pick(&self->random, 10);
  if (old && (self->grow || dice < 6))
    change.value = edited_value(self, ck_value_bytes(old));
  else if (!old || dice < 9)
    change.value = fresh_value(self);
  return change;
}

static bool is_changed(const ck_checkpoint *checkpoint, const char *key) {
  for (size_t i = 0; i < checkpoint->change_count; i++) {
    if (strcmp(checkpoint->changes[i].key, key) == 0) return true;
  }
  return false;
}

static void change_randomly(history *self, history_step *step, size_t changes) {
  ck_error err = CK_ERROR_INIT;
  step->checkpoint.changes = calloc(changes + 1, sizeof *step->checkpoint.changes);
  for (size_t i = 0; i < changes; i++) {
    char key[CK_STATE_KEY_MAX];
    snprintf(key, sizeof key, "memory.key_%d", (int)dice_pick(&self->random, self->keys));
    if (is_changed(&step->checkpoint, key)) continue;
    ck_change change = random_change(self, key);
    step->checkpoint.changes[step->checkpoint.change_count++] = change;
    if (change.value)
      history_must(ck_state_put(step->state, key, change.value, &err), &err, "put a key");
    else
      ck_state_remove(step->state, key);
    self->changed_bytes += strlen(key) + (change.value ? ck_value_bytes(change.value).len : 0);
  }
}

/* ---- steps ---- */

static ck_value *format_value(const char *format, const char *id, long long number) {
  ck_buffer text = {0};
  ck_buffer_append_format(&text, format, id, number);
  ck_value *value = make_value(&text);
  ck_buffer_clear(&text);
  return value;
}

static ck_event make_event(const history *self, int64_t seq, ck_event_kind kind, ck_value *body) {
  return (ck_event){.seq = seq,
                    .timeline = self->timeline,
                    .kind = kind,
                    .at_ms = 1000 + 300 * seq,
                    .scope = "main",
                    .agent = kind == CK_EVENT_MESSAGE ? "agent" : NULL,
                    .body = body};
}

void history_prepare(history *self, history_step *step, size_t changes) {
  ck_error err = CK_ERROR_INIT;
  int64_t seq = self->seq + 2;
  *step = (history_step){.checkpoint = {.seq = seq,
                                        .parent = self->parent,
                                        .kind = CK_BOUNDARY_TOOL_ROUND,
                                        .created_ms = 1000 + seq,
                                        .clean = true,
                                        .resumable = true}};
  ck_checkpoint *checkpoint = &step->checkpoint;
  snprintf(checkpoint->id, sizeof checkpoint->id, "checkpoint_%lld", (long long)seq);
  step->events[0] = make_event(self, seq - 1, CK_EVENT_MESSAGE,
                               format_value("{\"message\":\"of %s at %lld\"}", self->id, seq));
  step->events[1] = make_event(
      self, seq, CK_EVENT_BOUNDARY,
      format_value("{\"kind\":\"tool_round\",\"checkpoint\":\"%s_%lld\"}", "checkpoint", seq));
  step->pointers[0] = &step->events[0];
  step->pointers[1] = &step->events[1];
  checkpoint->info = format_value("{\"node\":\"%s\",\"step\":%lld}", "work", seq);
  history_must(ck_state_copy(&step->state, self->state, &err), &err, "copy the state");
  change_randomly(self, step, changes);
  step->batch = (ck_batch){.lease = self->lease,
                           .events = step->pointers,
                           .event_count = 2,
                           .checkpoint = checkpoint,
                           .durability = CK_DURABLE_POWER};
}

void history_drop(history_step *step) {
  for (size_t i = 0; i < 2; i++) ck_value_free(step->events[i].body);
  for (size_t i = 0; i < step->checkpoint.change_count; i++) {
    free(step->checkpoint.changes[i].key);
    ck_value_free(step->checkpoint.changes[i].value);
  }
  free(step->checkpoint.changes);
  ck_value_free(step->checkpoint.info);
  ck_state_free(step->state);
}

void history_apply(history *self, history_step *step) {
  ck_error err = CK_ERROR_INIT;
  if (self->count == self->cap) {
    self->cap = self->cap * 2 + 16;
    self->seqs = realloc(self->seqs, self->cap * sizeof *self->seqs);
    self->states = realloc(self->states, self->cap * sizeof *self->states);
  }
  self->seq = self->parent = self->seqs[self->count] = step->checkpoint.seq;
  ck_state_free(self->state);
  self->state = self->states[self->count++] = step->state;
  step->state = NULL;
  history_must(ck_state_copy(&self->state, self->state, &err), &err, "copy the state");
  history_drop(step);
}

void history_go(history *self, size_t changes) {
  ck_error err = CK_ERROR_INIT;
  history_step step;
  history_prepare(self, &step, changes);
  history_must(ck_store_commit(self->store, &step.batch, 1, &err), &err, "commit");
  history_must(step.batch.status, &err, "commit a batch");
  history_apply(self, &step);
}

/* ---- runs ---- */

void history_begin(history *self, ck_store *store, const char *id, uint64_t seed) {
  ck_error err = CK_ERROR_INIT;
  *self = (history){
      .store = store, .random = {seed}, .timeline = 1, .seq = 1, .keys = 20, .value_max = 200};
  snprintf(self->id, sizeof self->id, "%s", id);
  ck_session_record record = {.run = "run_1", .created_ms = 1000};
  memcpy(record.id, self->id, sizeof record.id);
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_1"};
  ck_event event = make_event(self, 1, CK_EVENT_SESSION_STARTED,
                              format_value("{\"run\":\"%s\",\"n\":%lld}", "run_1", 1));
  ck_event *events[] = {&event};
  ck_opening opening = {.timeline = &timeline, .events = events, .event_count = 1};
  history_must(ck_state_new(&self->state, &err), &err, "make a state");
  history_must(ck_store_create_session(&self->lease, store, &record, &opening, &err), &err,
               "create a session");
  ck_value_free(event.body);
}

void history_resume(history *self, size_t index) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  ck_store_release(self->store, self->lease);
  history_must(ck_store_get_head(&head, self->store, self->id, &err), &err, "get the head");
  ck_timeline timeline = {.no = head.timelines[head.timeline_count - 1].no + 1,
                          .cut = self->seqs[index],
                          .begin = head.last_seq + 1,
                          .checkpoint = self->seqs[index],
                          .attempt = 1};
  for (size_t i = 0; i < head.timeline_count; i++) {
    if (head.timelines[i].begin <= self->seqs[index]) timeline.parent = head.timelines[i].no;
  }
  snprintf(timeline.run, sizeof timeline.run, "run_%lld", (long long)timeline.no);
  self->timeline = timeline.no;
  self->seq = head.last_seq + 1;
  ck_event event = make_event(self, self->seq, CK_EVENT_SESSION_RESUMED,
                              format_value("{\"run\":\"%s\",\"n\":%lld}", timeline.run, 1));
  ck_event *events[] = {&event};
  ck_opening opening = {.timeline = &timeline, .events = events, .event_count = 1};
  history_must(
      ck_store_acquire(&self->lease, self->store, self->id, head.session.epoch, &opening, &err),
      &err, "acquire");
  self->parent = self->seqs[index];
  ck_state_free(self->state);
  history_must(ck_state_copy(&self->state, self->states[index], &err), &err, "copy a state");
  ck_value_free(event.body);
  ck_head_clear(&head);
}

ck_status history_fork(history *out, const history *of, size_t index, const char *id, uint64_t seed,
                       ck_error *err) {
  ck_checkpoint_info base;
  *out = (history){.store = of->store, .random = {seed}, .keys = 20, .value_max = 200};
  snprintf(out->id, sizeof out->id, "%s", id);
  ck_status status =
      ck_store_get_checkpoint(&base, of->store, of->lease.session, NULL, of->seqs[index], err);
  if (status != CK_OK) return status;
  ck_session_record record = {
      .run = "run_fork",
      .created_ms = 2000,
      .origin = {base.session ? base.session : of->lease.session, base.seq}};
  memcpy(record.id, out->id, sizeof record.id);
  out->timeline = base.timeline + 1;
  out->parent = out->seq = base.seq;
  ck_checkpoint_info_clear(&base);
  ck_error ignored = CK_ERROR_INIT;
  history_must(ck_state_copy(&out->state, of->states[index], &ignored), &ignored, "copy a state");
  ck_timeline timeline = {.no = out->timeline,
                          .parent = out->timeline - 1,
                          .cut = out->seq,
                          .begin = out->seq + 1,
                          .checkpoint = out->seq,
                          .attempt = 1,
                          .run = "run_fork"};
  history_step step;
  history_prepare(out, &step, 3);
  const ck_session_update paused = {.status = CK_SESSION_PAUSED, .reason = "forked"};
  ck_opening opening = {.timeline = &timeline,
                        .events = step.batch.events,
                        .event_count = step.batch.event_count,
                        .checkpoint = step.batch.checkpoint,
                        .update = &paused};
  status = ck_store_create_session(&out->lease, of->store, &record, &opening, err);
  if (status == CK_OK) {
    history_apply(out, &step);
    return CK_OK;
  }
  history_drop(&step);
  ck_state_free(out->state);
  out->state = NULL;
  return status;
}

void history_clear(history *self) {
  ck_store_release(self->store, self->lease);
  for (size_t i = 0; i < self->count; i++) ck_state_free(self->states[i]);
  free(self->states);
  free(self->seqs);
  ck_state_free(self->state);
}

/* ---- comparing ---- */

bool history_equal(const ck_state *a, const ck_state *b) {
  ck_error err = CK_ERROR_INIT;
  ck_state_entry *entries;
  size_t count, same = 0;
  history_must(ck_state_list(&entries, &count, a, &err), &err, "list a state");
  for (size_t i = 0; i < count; i++) {
    const ck_value *other = ck_state_get(b, entries[i].key);
    same += other && ck_bytes_equal(ck_value_bytes(entries[i].value), ck_value_bytes(other));
  }
  free(entries);
  return same == count && count == ck_state_count(b);
}

bool history_loads(history *self, size_t index) {
  ck_error err = CK_ERROR_INIT;
  ck_state *state;
  ck_status status =
      ck_store_get_state(&state, self->store, self->lease.session, self->seqs[index], &err);
  bool same = !status && history_equal(state, self->states[index]);
  if (!same)
    tap_diag("session %s, checkpoint at %lld: %s %s", self->id, (long long)self->seqs[index],
             ck_status_name(status), err.text);
  ck_state_free(state);
  return same;
}
