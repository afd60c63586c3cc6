/* masked.c - notes what policies took out of what is written, for the event that it belongs to. */
#include "core/runtime/session/masked.h"

#include <stdlib.h>

void ck_masked_clear(ck_masked *self) {
  ck_buffer_clear(&self->words);
  ck_buffer_clear(&self->held.words);
  ck_state_free(self->keys);
  self->keys = NULL;
}

void ck_masked_begin(ck_masked *self, ck_event_kind kind, const char *agent) {
  self->kind = kind;
  self->agent = agent;
  self->answers = (ck_answers){0};
  ck_buffer_reset(&self->words);
}

void ck_masked_hold(ck_masked *self) {
  ck_buffer_clear(&self->held.words);
  self->held.kind = self->kind;
  self->held.answers = self->answers;
  self->held.words = self->words;
  self->words = (ck_buffer){0};
}

/* ---- where texts were replaced ---- */

typedef struct paths {
  ck_json_writer *w;
  ck_buffer at; /* of the value that is looked at */
  int64_t count, more;
} paths;

static void put_path(paths *self) {
  if (self->at.len == 0) return; /* the whole item is one text */
  if (self->count == CK_MASKED_PATHS || self->at.len > CK_MASKED_PATH_MAX) {
    self->more++;
    return;
  }
  if (self->count++ == 0) {
    ck_json_name(self->w, "paths");
    ck_json_begin(self->w, '[');
  }
  ck_json_put_string(self->w, ck_buffer_bytes(&self->at));
}

static void enter(paths *self, ck_bytes name, size_t index) {
  if (name.len == 0) {
    ck_buffer_append_format(&self->at, "[%zu]", index);
    return;
  }
  if (self->at.len) ck_buffer_append_char(&self->at, '.');
  ck_json_read_string(&self->at, name);
}

/* `after` is `before` with other texts. */
static void find_paths(paths *self, ck_bytes before, ck_bytes after) {
  ck_json_type type = ck_json_type_of(before);
  if (type != CK_JSON_OBJECT && type != CK_JSON_ARRAY) {
    if (!ck_bytes_equal(before, after)) put_path(self);
    return;
  }
  ck_json_iterator it = ck_json_iterate(before), by = ck_json_iterate(after);
  for (size_t i = 0; ck_json_next(&it) && ck_json_next(&by); i++) {
    size_t here = self->at.len;
    enter(self, it.name, i);
    find_paths(self, it.value, by.value);
    if (!self->at.failed) self->at.len = here;
  }
}

static void write_paths(ck_json_writer *w, ck_bytes before, ck_bytes after) {
  paths self = {.w = w};
  find_paths(&self, before, after);
  if (self.count) ck_json_end(w, ']');
  if (self.more) ck_json_member_int(w, "more", self.more);
  if (self.at.failed) w->out->failed = true;
  ck_buffer_clear(&self.at);
}

/* ---- one answer ---- */

static void write_rule(ck_json_writer *w, int answer, uint64_t policies) {
  ck_json_name(w, ck_answer_name(CK_HOOK_REDACT, answer));
  ck_json_begin(w, '[');
  for (int place = 0; place < CK_ANSWERS_POLICIES; place++)
    if (policies >> place & 1) ck_json_put_int(w, place);
  ck_json_end(w, ']');
}

static void write_words(ck_buffer *out, const ck_item *item, const ck_redaction *redaction) {
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", item->key);
  for (int answer = CK_REDACT_DROP; answer <= CK_REDACT_REPLACE; answer++) {
    uint64_t policies = redaction->answers.policies[answer];
    if (policies || answer == (int)redaction->verdict) write_rule(&w, answer, policies);
  }
  if (redaction->verdict == CK_REDACT_REPLACE && redaction->value)
    write_paths(&w, ck_value_bytes(item->value), ck_value_bytes(redaction->value));
  ck_json_end(&w, '}');
}

static ck_status note_key(ck_masked *self, const ck_item *item, const ck_redaction *redaction,
                          ck_error *err) {
  ck_buffer text = {0};
  ck_value *words;
  if (redaction->verdict == CK_REDACT_LEAVE) {
    if (self->keys) ck_state_remove(self->keys, item->key);
    return CK_OK;
  }
  ck_status status = self->keys ? CK_OK : ck_state_new(&self->keys, err);
  if (status != CK_OK) return status;
  write_words(&text, item, redaction);
  status = ck_value_from(&words, &text, err);
  ck_buffer_clear(&text);
  if (status != CK_OK) return status;
  status = ck_state_put(self->keys, item->key, words, err);
  ck_value_free(words);
  return status;
}

ck_status ck_masked_note(ck_masked *self, const ck_item *item, const ck_redaction *redaction,
                         int64_t took_us, ck_error *err) {
  ck_answers answers = redaction->answers;
  answers.hook = CK_HOOK_REDACT;
  answers.took_us = took_us;
  ck_answers_add(item->key ? &self->of_keys : &self->answers, &answers);
  if (item->key) return note_key(self, item, redaction, err);
  ck_buffer_reset(&self->words);
  if (redaction->verdict == CK_REDACT_LEAVE) return CK_OK;
  write_words(&self->words, item, redaction);
  return ck_buffer_check(&self->words, err);
}

/* ---- the event ---- */

ck_status ck_masked_write_keys(ck_buffer *out, const ck_masked *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  if (!self->keys || ck_state_count(self->keys) == 0) return CK_OK;
  ck_status status = ck_state_list(&entries, &count, self->keys, err);
  if (status != CK_OK) return status;
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < count; i++) ck_json_put_raw(&w, ck_value_bytes(entries[i].value));
  ck_json_end(&w, ']');
  free(entries);
  return ck_buffer_check(out, err);
}

void ck_masked_forget_keys(ck_masked *self) {
  self->of_keys = (ck_answers){0};
  ck_state_free(self->keys);
  self->keys = NULL;
}

static const ck_buffer *words_of(const ck_masked *self, ck_event_kind kind) {
  if (self->words.len && kind == self->kind) return &self->words;
  return kind == self->held.kind ? &self->held.words : NULL;
}

ck_status ck_masked_mark(ck_value **marked, ck_event *event, const ck_masked *self, ck_error *err) {
  ck_bytes body = ck_value_bytes(event->body);
  const ck_buffer *words = words_of(self, event->kind);
  *marked = NULL;
  if (!words || words->len == 0) return CK_OK;
  if (ck_json_get(body, "redacted").len > 0) return CK_OK; /* a host's note */
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_begin(&w, '{');
  ck_json_put_members(&w, body, NULL);
  ck_json_member_raw(&w, "redacted", ck_buffer_bytes(words));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(marked, &text, err);
  ck_buffer_clear(&text);
  if (status == CK_OK) event->body = *marked;
  return status;
}

size_t ck_masked_encode(char *at, ck_masked *self, ck_event_kind kind) {
  ck_answers all = {0};
  if (self->answers.hook && kind == self->kind) ck_answers_add(&all, &self->answers);
  if (self->of_keys.hook && kind == CK_EVENT_BOUNDARY) ck_answers_add(&all, &self->of_keys);
  if (kind == self->held.kind) {
    if (self->held.answers.hook) ck_answers_add(&all, &self->held.answers);
    self->held.kind = 0;
  }
  return all.hook ? ck_answers_encode(at, &all).len : 0;
}
