/* otlp_talk.c - keeps what was said until a call of a model takes it. */
#include "core/runtime/portable/otlp_talk.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/effect.h"
#include "core/runtime/portable/message.h"

enum { CALLS_MAX = 64 }; /* of an answer, that are told apart */

/* ---- all of them ---- */

static bool is_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static ck_status add_talk(ck_otlp_talks *self, const char *session, const ck_event *event,
                          ck_error *err) {
  ck_otlp_talk *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  ck_otlp_talk *of = &list[self->count++];
  *of = (ck_otlp_talk){.begin = ck_otlp_time(event->at_ms, event->seq)};
  ck_otlp_span_id(of->id, session, event->seq, "agent");
  ck_status status = ck_text_replace(&of->scope, event->scope, err);
  return status == CK_OK ? ck_text_replace(&of->agent, event->agent, err) : status;
}

ck_status ck_otlp_talks_find(size_t *out, ck_otlp_talks *self, const char *session,
                             const ck_event *event, ck_error *err) {
  for (*out = 0; *out < self->count; ++*out) {
    const ck_otlp_talk *at = &self->list[*out];
    if (is_same(at->scope, event->scope) && is_same(at->agent, event->agent)) return CK_OK;
  }
  return add_talk(self, session, event, err);
}

/* The agent that is at work in a scope: the last one that did something. NULL: none. */
static const ck_otlp_talk *find_agent(const ck_otlp_talks *self, const char *scope, size_t len) {
  const ck_otlp_talk *found = NULL;
  for (size_t i = 0; i < self->count; i++) {
    const ck_otlp_talk *at = &self->list[i];
    bool here = strlen(at->scope) == len && memcmp(at->scope, scope, len) == 0;
    if (at->agent && here && (!found || at->end > found->end)) found = at;
  }
  return found;
}

const char *ck_otlp_talks_around(const ck_otlp_talks *self, const ck_otlp_talk *of, bool within) {
  const ck_otlp_talk *found = NULL;
  if (within && of->agent) return of->id;
  for (size_t len = strlen(of->scope); len && !found;) {
    if (within) found = find_agent(self, of->scope, len);
    within = true;
    do len--;
    while (len && of->scope[len] != '.');
  }
  return found ? found->id : NULL;
}

static void drop_waiting(ck_otlp_talk *self) {
  for (size_t i = 0; i < self->waiting_count; i++) ck_value_free(self->waiting[i].body);
  self->waiting_count = 0;
}

void ck_otlp_talks_clear(ck_otlp_talks *self) {
  for (size_t i = 0; i < self->count; i++) {
    drop_waiting(&self->list[i]);
    free(self->list[i].waiting);
    free(self->list[i].scope);
    free(self->list[i].agent);
    ck_value_free(self->list[i].said);
  }
  free(self->list);
  *self = (ck_otlp_talks){0};
}

/* ---- messages ---- */

static bool is_answer(const ck_event *event) {
  ck_bytes kind = ck_json_get(ck_value_bytes(event->body), "kind");
  return event->kind == CK_EVENT_OUTCOME &&
         ck_json_is_text(kind, ck_effect_kind_name(CK_EFFECT_MODEL));
}

static ck_status wait_for_call(ck_otlp_talk *self, const ck_event *event, ck_bytes message,
                               ck_error *err) {
  ck_otlp_waiting *list =
      ck_array_grow(self->waiting, self->waiting_count, &self->waiting_cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->waiting = list;
  list[self->waiting_count++] = (ck_otlp_waiting){.message = message,
                                                  .body = ck_value_share(event->body),
                                                  .seq = event->seq,
                                                  .at_ms = event->at_ms};
  return CK_OK;
}

ck_status ck_otlp_talk_take(ck_otlp_talk *self, const ck_event *event, ck_error *err) {
  ck_bytes message = ck_json_get(ck_value_bytes(event->body), "message");
  if (ck_json_type_of(message) != CK_JSON_OBJECT) return CK_OK;
  bool answers = is_answer(event), said = answers || ck_message_is(message, "assistant");
  ck_status status = answers ? CK_OK : wait_for_call(self, event, message, err);
  if (!said || status != CK_OK) return status;
  self->earlier += answers;
  self->matched = 0;
  ck_value_free(self->said);
  self->said = NULL;
  return ck_value_copy(&self->said, message, err);
}

/* Appends an element of an array that is open. */
static void append(ck_buffer *out, ck_bytes json) {
  if (out->len > 1) ck_buffer_append_char(out, ',');
  ck_buffer_append_bytes(out, json);
}

static void append_int(ck_buffer *out, int64_t number) {
  if (out->len > 1) ck_buffer_append_char(out, ',');
  ck_buffer_append_format(out, "%lld", (long long)number);
}

void ck_otlp_talk_give(ck_otlp_given *out, ck_otlp_talk *self) {
  ck_buffer *const lists[] = {&out->messages, &out->seqs, &out->times};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ck_buffer_append_char(lists[i], '[');
  for (size_t i = 0; i < self->waiting_count; i++) {
    append(&out->messages, self->waiting[i].message);
    append_int(&out->seqs, self->waiting[i].seq);
    append_int(&out->times, self->waiting[i].at_ms);
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ck_buffer_append_char(lists[i], ']');
  out->earlier = self->earlier;
  self->earlier += (int64_t)self->waiting_count;
  drop_waiting(self);
}

/* ---- calls ---- */

void ck_otlp_talk_match(ck_otlp_talk *self, ck_bytes intent) {
  int64_t index = -1;
  ck_json_read_int(&index, ck_json_get(ck_json_get(intent, "request"), "index"));
  if (index >= 0 && index < CALLS_MAX) self->matched |= UINT64_C(1) << index;
}

ck_status ck_otlp_talk_find_call(ck_otlp_effect *to, ck_otlp_talk *self, ck_error *err) {
  ck_message_calls calls = {0};
  ck_bytes name = ck_json_get(to->outcome, "name");
  if (!self->said || !name.len) return CK_OK;
  ck_message_calls_read(&calls, ck_value_bytes(self->said));
  ck_status status = calls.failed ? ck_error_no_memory(err) : CK_OK;
  for (size_t i = 0; i < calls.count && i < CALLS_MAX; i++) {
    if (self->matched >> i & 1 || !ck_bytes_equal(calls.list[i].name, name)) continue;
    self->matched |= UINT64_C(1) << i;
    to->call_id = calls.list[i].id;
    to->arguments = calls.list[i].arguments;
    break;
  }
  ck_message_calls_clear(&calls);
  return status;
}
