/* limits.c - reads limits, and counts what runs against them. */
#include "core/host/worker/limits.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MAX = 1024 };

static ck_status refuse(const char *word, ck_error *err) {
  return ck_error_set(err, CK_E_USAGE,
                      "--limit '%.120s': profile=NAME:N or label=NAME:N, N from 1 to %d", word,
                      MOST_MAX);
}

static bool read_one(ck_worker_limit *out, const char *word) {
  const char *equals = strchr(word, '='), *colon = strrchr(word, ':');
  char *end;
  if (!equals || !colon || colon <= equals + 1) return false;
  size_t kind = (size_t)(equals - word);
  out->is_label = kind == 5 && strncmp(word, "label", kind) == 0;
  if (!out->is_label && (kind != 7 || strncmp(word, "profile", kind) != 0)) return false;
  out->name = (ck_bytes){equals + 1, (size_t)(colon - equals - 1)};
  long most = strtol(colon + 1, &end, 10);
  out->most = (size_t)most;
  return colon[1] >= '0' && colon[1] <= '9' && !*end && most >= 1 && most <= MOST_MAX;
}

static bool is_there(const ck_worker_limits *self, const ck_worker_limit *one) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].is_label == one->is_label && ck_bytes_equal(self->list[i].name, one->name))
      return true;
  return false;
}

ck_status ck_worker_limits_read(ck_worker_limits *out, const ck_words *words, ck_error *err) {
  *out = (ck_worker_limits){0};
  for (size_t i = 0; i < words->count; i++) {
    ck_worker_limit one = {0};
    if (!read_one(&one, words->list[i])) return refuse(words->list[i], err);
    if (is_there(out, &one))
      return ck_error_set(err, CK_E_USAGE, "--limit '%.120s' is the second one of its kind",
                          words->list[i]);
    if (out->count == CK_WORKER_LIMITS_MAX)
      return ck_error_set(err, CK_E_USAGE, "--limit: at most %d of them", CK_WORKER_LIMITS_MAX);
    out->list[out->count++] = one;
  }
  return CK_OK;
}

static uint64_t find(const ck_worker_limits *self, bool is_label, ck_bytes name) {
  uint64_t found = 0;
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].is_label == is_label && ck_bytes_equal(self->list[i].name, name))
      found |= UINT64_C(1) << i;
  return found;
}

uint64_t ck_worker_limits_of_profile(const ck_worker_limits *self, const char *profile) {
  return profile ? find(self, false, ck_bytes_text(profile)) : 0;
}

uint64_t ck_worker_limits_of_mark(const ck_worker_limits *self, ck_bytes mark) {
  uint64_t found = 0;
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(mark, "labels")); ck_json_next(&it);) {
    ck_buffer name = {0};
    if (ck_json_read_string(&name, it.value)) found |= find(self, true, ck_buffer_bytes(&name));
    ck_buffer_clear(&name);
  }
  return found;
}

bool ck_worker_limits_allow(const ck_worker_limits *self, uint64_t which) {
  for (size_t i = 0; i < self->count; i++)
    if (which >> i & 1 && self->list[i].running >= self->list[i].most) return false;
  return true;
}

void ck_worker_limits_count(ck_worker_limits *self, uint64_t which, bool begins) {
  for (size_t i = 0; i < self->count; i++) {
    if (!(which >> i & 1)) continue;
    self->list[i].running += begins ? 1 : (size_t)-1;
  }
}
