/* chat_export.c - goes over the events that count, and sorts their messages by who said them. */
#include "core/runtime/portable/chat_export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/effect.h"
#include "core/model/sums.h"
#include "core/runtime/portable/chat.h"
#include "core/runtime/portable/imported_usage.h"
#include "core/runtime/portable/line.h"
#include "core/runtime/session/tail/abandoned.h"

/* What the user said first to one that began by itself. */
static const char opening[] = "(nothing was said)";

typedef struct talk {
  char *scope, *agent; /* agent: NULL where none took part */
  char name[24];       /* in the session: its number */
  ck_chat chat;
  ck_totals spent;
} talk;

typedef struct writing {
  ck_abandoned abandoned;
  ck_imported_usage whole;
  talk *list;
  size_t count, cap;
  ck_status status;
  ck_error *err;
} writing;

static bool is_same(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static ck_status find_talk(talk **out, writing *self, const ck_event *event) {
  for (size_t i = 0; i < self->count; i++) {
    *out = &self->list[i];
    if (is_same((*out)->scope, event->scope) && is_same((*out)->agent, event->agent)) return CK_OK;
  }
  talk *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(self->err);
  self->list = list;
  *out = &list[self->count++];
  **out = (talk){.chat.refusals = true};
  snprintf((*out)->name, sizeof(*out)->name, "%zu", self->count);
  ck_status status = ck_text_replace(&(*out)->scope, event->scope, self->err);
  if (status == CK_OK) status = ck_text_replace(&(*out)->agent, event->agent, self->err);
  return status;
}

/* With the words of a refusal, wherever its provider has them. */
static ck_status copy_message(ck_value **out, ck_bytes message, ck_bytes refusal, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  if (!refusal.len) return ck_value_copy(out, message, err);
  ck_json_begin(&w, '{');
  ck_json_put_members(&w, message, "refusal");
  ck_json_member_raw(&w, "refusal", refusal);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

static ck_status take(writing *self, const ck_event *event, ck_bytes json) {
  talk *of = NULL;
  ck_value *message = NULL;
  ck_bytes refusal = ck_json_get(ck_value_bytes(event->body), "refusal");
  ck_status status = find_talk(&of, self, event);
  if (status == CK_OK) status = copy_message(&message, json, refusal, self->err);
  if (status == CK_OK) status = ck_chat_add(&of->chat, message, self->err);
  ck_value_free(message);
  return status;
}

static bool visit(void *to, const ck_event *event) {
  writing *self = to;
  bool says = event->kind == CK_EVENT_MESSAGE || event->kind == CK_EVENT_OUTCOME;
  ck_bytes message = ck_json_get(ck_value_bytes(event->body), "message");
  if (!says || ck_json_type_of(message) != CK_JSON_OBJECT) return true;
  if (!ck_abandoned_has_record(&self->abandoned, event)) self->status = take(self, event, message);
  return self->status == CK_OK;
}

/* All that was paid for, what was lost, refused, or left behind, too. Who has no line of their own
 * said nothing that is left: that counts in the first one. */
static bool spend(void *to, const ck_event *event) {
  writing *self = to;
  ck_imported_usage_meet(&self->whole, event);
  talk *of = self->count ? &self->list[0] : NULL;
  for (size_t i = 0; i < self->count; i++)
    if (is_same(self->list[i].scope, event->scope) && is_same(self->list[i].agent, event->agent))
      of = &self->list[i];
  if (of) ck_totals_add_body(&of->spent, ck_value_bytes(event->body));
  return true;
}

/* Nothing tells whose part is which: the first conversation has it all. */
static void put_whole(writing *self) {
  if (!self->count) return;
  ck_totals *first = &self->list[0].spent;
  first->input_tokens += self->whole.input_tokens;
  first->output_tokens += self->whole.output_tokens;
  if (self->whole.cost_micros < 0) return;
  first->cost_micros = ck_micros_add(first->cost_micros, self->whole.cost_micros);
  first->unmetered = 0;
}

static ck_status write_talk(ck_value **out, const talk *self, const char *session, ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "session_id", session);
  ck_json_member_text(&w, "conversation_id", self->name);
  ck_json_member_text(&w, "scope", self->scope);
  ck_json_member_text(&w, "agent", self->agent);
  ck_json_name(&w, "usage");
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "prompt_tokens", self->spent.input_tokens);
  ck_json_member_int(&w, "completion_tokens", self->spent.output_tokens);
  ck_json_end(&w, '}');
  ck_json_name(&w, "cost_usd");
  if (self->spent.cost_micros || !self->spent.unmetered)
    ck_json_put_decimal(&w, self->spent.cost_micros, 6);
  else
    ck_json_put_raw(&w, ck_bytes_text("null"));
  ck_json_name(&w, "messages");
  ck_status status = ck_chat_write(&w, &self->chat, ck_bytes_text(opening), false, err);
  ck_json_end(&w, '}');
  if (status == CK_OK) status = ck_value_from(out, &json, err);
  ck_buffer_clear(&json);
  return status;
}

static void clear(writing *self) {
  for (size_t i = 0; i < self->count; i++) {
    ck_chat_clear(&self->list[i].chat);
    free(self->list[i].scope);
    free(self->list[i].agent);
  }
  free(self->list);
  ck_abandoned_clear(&self->abandoned);
}

ck_status ck_chat_export(ck_buffer *out, ck_store *store, const ck_head *head,
                         ck_redactor *redactor, ck_error *err) {
  writing self = {.err = err};
  ck_view view = {0};
  ck_imported_usage_read(&self.whole, &head->session);
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  ck_event_query query = {.session = head->session.no, .view = &view};
  if (status == CK_OK)
    status = ck_abandoned_read(&self.abandoned, store, query.session, &view, 0, err);
  if (status == CK_OK) status = ck_store_read_events(store, &query, visit, &self, err);
  if (status == CK_OK) status = self.status;
  ck_event_query paid = {.session = head->session.no, .kinds = 1ull << CK_EVENT_OUTCOME};
  if (status == CK_OK) status = ck_store_read_events(store, &paid, spend, &self, err);
  put_whole(&self);
  for (size_t i = 0; status == CK_OK && i < self.count; i++) {
    ck_value *line = NULL;
    status = write_talk(&line, &self.list[i], head->session.id, err);
    if (status == CK_OK) status = ck_portable_append_line(out, redactor, line, err);
    ck_value_free(line);
  }
  if (status == CK_OK && self.count == 0)
    status = ck_error_set(err, CK_E_UNSUPPORTED,
                          "session %s: it has no messages, of which conversations are made; "
                          "ckrun sessions log %s tells what it has",
                          head->session.id, head->session.id);
  ck_view_clear(&view);
  clear(&self);
  return status;
}
