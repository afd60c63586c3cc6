/* answers.c - writes and reads what each policy answered to a hook. */
#include "core/model/answers.h"

#include <string.h>

enum { VERSION = 1 };

const char *ck_hook_name(ck_hook hook) {
  switch (hook) {
#define X(name, number, text, ...) \
  case name:                       \
    return text;
    CK_HOOK_TABLE(X)
#undef X
  }
  return NULL;
}

static const char *const *names_of(ck_hook hook) {
  switch (hook) {
#define X(name, number, text, ...)                                   \
  case name: {                                                       \
    static const char *const names[CK_ANSWER_COUNT] = {__VA_ARGS__}; \
    return names;                                                    \
  }
    CK_HOOK_TABLE(X)
#undef X
  }
  return NULL;
}

const char *ck_answer_name(ck_hook hook, int answer) {
  const char *const *names = names_of(hook);
  if (answer == CK_ANSWER_FAILED) return "failed";
  return names && answer >= 0 && answer < CK_ANSWER_FAILED ? names[answer] : NULL;
}

void ck_answers_put(ck_answers *self, size_t policy, int answer) {
  if (policy < CK_ANSWERS_POLICIES) self->policies[answer] |= UINT64_C(1) << policy;
}

void ck_answers_add(ck_answers *self, const ck_answers *other) {
  self->hook = other->hook;
  self->took_us += other->took_us;
  for (int answer = 0; answer < CK_ANSWER_COUNT; answer++)
    self->policies[answer] |= other->policies[answer];
}

void ck_answers_write_places(ck_json_writer *w, const char *name, uint64_t mask) {
  if (!mask) return;
  ck_json_name(w, name);
  ck_json_begin(w, '[');
  for (int i = 0; i < CK_ANSWERS_POLICIES; i++)
    if (mask >> i & 1) ck_json_put_int(w, i);
  ck_json_end(w, ']');
}

/* ---- writing ---- */

static char *put_varint(char *at, uint64_t number) {
  for (; number >= 0x80; number >>= 7) *at++ = (char)(number | 0x80);
  *at++ = (char)number;
  return at;
}

static char *put_mask(char *at, int answer, uint64_t mask) {
  char *head = at++;
  for (; mask; mask >>= 8) *at++ = (char)mask;
  *head = (char)(answer << 4 | (int)(at - head - 1));
  return at;
}

ck_bytes ck_answers_encode(char out[CK_ANSWERS_SIZE], const ck_answers *self) {
  int count = 0;
  out[0] = VERSION;
  char *at = put_varint(out + 2, self->took_us > 0 ? (uint64_t)self->took_us : 0);
  for (int answer = 0; answer < CK_ANSWER_COUNT; answer++) {
    if (!self->policies[answer]) continue;
    at = put_mask(at, answer, self->policies[answer]);
    count++;
  }
  out[1] = (char)((int)self->hook << 4 | count);
  return (ck_bytes){out, (size_t)(at - out)};
}

/* ---- reading ---- */

static bool read_byte(int *out, ck_bytes *from) {
  ck_bytes one;
  if (!ck_bytes_read(&one, from, 1)) return false;
  *out = (unsigned char)one.data[0];
  return true;
}

static bool read_mask(ck_answers *out, ck_bytes *from) {
  int head;
  ck_bytes mask;
  if (!read_byte(&head, from) || head >> 4 >= CK_ANSWER_COUNT || (head & 15) > 8 ||
      !ck_bytes_read(&mask, from, head & 15))
    return false;
  for (size_t i = mask.len; i-- > 0;)
    out->policies[head >> 4] = out->policies[head >> 4] << 8 | (unsigned char)mask.data[i];
  return true;
}

static bool read_answers(ck_answers *out, ck_bytes *from) {
  int head;
  uint64_t took_us;
  if (!read_byte(&head, from) || !ck_bytes_read_varint(&took_us, from) || took_us > INT64_MAX)
    return false;
  out->hook = (ck_hook)(head >> 4);
  out->took_us = (int64_t)took_us;
  for (int i = head & 15; i > 0; i--) {
    if (!read_mask(out, from)) return false;
  }
  return true;
}

/* There is one way to write them: other bytes were not written by this version. */
static bool is_as_written(const ck_answers *self, ck_bytes bytes) {
  char own[CK_ANSWERS_SIZE];
  return ck_bytes_equal(ck_answers_encode(own, self), bytes);
}

ck_status ck_answers_decode(ck_answers *out, ck_bytes *from, ck_error *err) {
  int version;
  ck_bytes rest = *from;
  *out = (ck_answers){0};
  if (!read_byte(&version, &rest))
    return ck_error_set(err, CK_E_EMPTY, "no answers of policies are recorded");
  if (version > VERSION)
    return ck_error_set(err, CK_E_NEWER,
                        "the answers of policies are of version %d; this ckrun reads version %d",
                        version, VERSION);
  if (version == VERSION && read_answers(out, &rest) &&
      is_as_written(out, (ck_bytes){from->data, from->len - rest.len})) {
    *from = rest;
    return CK_OK;
  }
  *out = (ck_answers){0};
  return ck_error_set(err, CK_E_CORRUPT,
                      "the recorded answers of policies cannot be read: "
                      "%zu bytes that ckrun did not write",
                      from->len);
}
