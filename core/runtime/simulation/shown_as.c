/* shown_as.c - takes the text of a message away, or puts it in. */
#include "core/runtime/simulation/shown_as.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/turn.h"

ck_shown_as ck_shown_as_recorded(void) {
  return (ck_shown_as){.limit_micros = CK_SIMULATE_AS_RECORDED};
}

ck_shown_as ck_shown_as_profile(const ck_profile *profile) {
  if (!profile || profile->budget_micros == CK_SIMULATE_AS_RECORDED) return ck_shown_as_recorded();
  return (ck_shown_as){.limit_micros = profile->budget_micros,
                       .text = profile->message_text ? CK_TEXT_SHOWN : CK_TEXT_HIDDEN};
}

/* ---- a message ---- */

void ck_shown_message_clear(ck_shown_message *self) {
  free((char *)self->with.data);
  free((char *)self->without.data);
  *self = (ck_shown_message){0};
}

static ck_status take(ck_bytes *out, ck_buffer *from, ck_error *err) {
  ck_status status = ck_buffer_check(from, err);
  size_t len = from->len;
  if (status == CK_OK) *out = (ck_bytes){ck_buffer_take(from), len};
  ck_buffer_clear(from);
  return status;
}

/* The same message with that text; no bytes: without one. */
static ck_status write_with(ck_bytes *out, ck_bytes object, ck_bytes text, ck_error *err) {
  static const char *const names[] = {"role", "length", "text", "calls"};
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ck_bytes value = ck_json_get(object, names[i]);
    if (strcmp(names[i], "text") != 0 && value.len) ck_json_member_raw(&w, names[i], value);
    if (strcmp(names[i], "text") == 0 && text.data) ck_json_member_string(&w, "text", text);
  }
  ck_json_end(&w, '}');
  return take(out, &buffer, err);
}

static ck_status copy(ck_bytes *out, ck_bytes text, ck_error *err) {
  *out = (ck_bytes){strndup(text.data, text.len), text.len};
  return out->data ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_shown_message_read(ck_shown_message *out, ck_bytes recorded, ck_error *err) {
  *out = (ck_shown_message){0};
  if (!recorded.len) return CK_OK;
  out->recorded_with = ck_json_get(recorded, "text").len > 0;
  if (!out->recorded_with) return copy(&out->without, recorded, err);
  ck_status status = copy(&out->with, recorded, err);
  return status == CK_OK ? write_with(&out->without, recorded, (ck_bytes){0}, err) : status;
}

/* Another length: it is not the message that was seen then. */
static bool is_as_long(ck_bytes recorded, size_t len) {
  int64_t length;
  return ck_json_read_int(&length, ck_json_get(recorded, "length")) && length == (int64_t)len;
}

ck_status ck_shown_message_complete(ck_shown_message *self, const ck_value *message,
                                    ck_error *err) {
  ck_buffer text = {0};
  if (!message || self->with.len || !self->without.len) return CK_OK;
  ck_turn_append_text(&text, message);
  ck_status status = ck_buffer_check(&text, err);
  ck_bytes found = {text.data ? text.data : "", text.len};
  if (status == CK_OK && is_as_long(self->without, text.len))
    status = write_with(&self->with, self->without, found, err);
  ck_buffer_clear(&text);
  return status;
}

/* ---- a boundary ---- */

static bool shows_text(const ck_shown_message *self, const ck_shown_as *as) {
  return as->text == CK_TEXT_SHOWN || (as->text == CK_TEXT_AS_RECORDED && self->recorded_with);
}

bool ck_shown_message_lacks(const ck_shown_message *self, const ck_shown_as *as) {
  return shows_text(self, as) && self->without.len && !self->with.len;
}

void ck_shown_as_apply(ck_boundary *at, const ck_shown_as *as, const ck_shown_message *message) {
  if (as->limit_micros != CK_SIMULATE_AS_RECORDED && !at->budget.is_set)
    at->budget.limit_micros = as->limit_micros;
  at->message = shows_text(message, as) && message->with.len ? message->with : message->without;
}
