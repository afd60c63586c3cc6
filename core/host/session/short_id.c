/* short_id.c - parts of ids by which people name sessions, runs and checkpoints. */
#include "core/host/session/short_id.h"

#include <stdlib.h>
#include <string.h>

const char *ck_short_id_tail(const char *id) {
  size_t len = strlen(id);
  if (len <= CK_SHORT_ID_LEN + 1) return NULL;
  const char *tail = id + len - CK_SHORT_ID_LEN;
  return tail[-1] == '_' && strspn(tail, "0123456789abcdef") == CK_SHORT_ID_LEN ? tail : NULL;
}

const char *ck_short_id(const char *id) {
  const char *tail = ck_short_id_tail(id);
  return tail ? tail : id;
}

bool ck_short_id_fits(const char *id, const char *word) {
  const char *tail = ck_short_id_tail(id);
  size_t len = strlen(word);
  return tail && len >= CK_SHORT_ID_MIN && strncmp(tail, word, len) == 0;
}

int64_t ck_short_id_back(const char *word) {
  if (strcmp(word, "latest") == 0 || strcmp(word, "@") == 0) return 0;
  if (strncmp(word, "@{", 2) != 0) return -1;
  size_t digits = strspn(word + 2, "0123456789");
  bool whole = digits > 0 && digits <= 9 && strcmp(word + 2 + digits, "}") == 0;
  return whole ? strtoll(word + 2, NULL, 10) : -1;
}

void ck_candidates_add(ck_candidates *self, const char *id) {
  if (self->count < CK_CANDIDATES_MAX) strcpy(self->ids[self->count], id);
  self->count++;
}

ck_status ck_candidates_refuse(const ck_candidates *self, const char *what, const char *word,
                               ck_error *err) {
  ck_buffer list = {0};
  size_t shown = self->count < CK_CANDIDATES_MAX ? self->count : CK_CANDIDATES_MAX;
  for (size_t i = 0; i < shown; i++)
    ck_buffer_append_format(&list, "%s%s", i ? ", " : "", self->ids[i]);
  if (self->count > shown) ck_buffer_append_format(&list, " and %zu more", self->count - shown);
  ck_status status = ck_buffer_check(&list, err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_USAGE,
                          "%zu %s are meant by '%.64s': %s: a few more characters tell them apart",
                          self->count, what, word, list.data ? list.data : "");
  ck_buffer_clear(&list);
  return status;
}
