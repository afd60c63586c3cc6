/* spills_verify.c - checks that each long output which a recorded outcome names is there, and is
 * what was written. */
#include "core/host/run/spills_verify.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json.h"
#include "core/effect/process/spill.h"
#include "core/host/run/spill_file.h"

/* ---- what is named ---- */

void ck_spills_references_clear(ck_spills_references *self) {
  for (size_t i = 0; i < self->count; i++) free(self->list[i].name);
  free(self->list);
  *self = (ck_spills_references){0};
}

static void add(ck_spills_references *self, const char *session, int64_t seq, const char *name) {
  struct ck_spills_reference *list =
      ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  char *copy = list ? strdup(name) : NULL;
  if (list) self->list = list;
  self->failed |= !copy;
  if (!copy) return;
  struct ck_spills_reference *one = &list[self->count++];
  *one = (struct ck_spills_reference){.seq = seq, .name = copy};
  memcpy(one->session, session, strnlen(session, sizeof one->session - 1));
}

/* NULL: it is no text, or there is no memory, which is noted. */
static char *read_text(ck_spills_references *self, ck_bytes json) {
  char *text = ck_json_dup_string(json);
  self->failed |= !text && ck_json_type_of(json) == CK_JSON_STRING;
  return text;
}

/* A path, or a name in the store; the store may have been moved since, and its folder with it. */
static void add_reference(ck_spills_references *self, const char *session, int64_t seq,
                          const char *begin, ck_bytes reference) {
  char *path = read_text(self, reference);
  const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
  if (name && strncmp(name, begin, strlen(begin)) == 0) add(self, session, seq, name);
  free(path);
}

/* What others wrote into their results is not taken for a long output: those of an effect have the
 * names that its key gives them. */
void ck_spills_references_take(ck_spills_references *self, const char *session, int64_t seq,
                               ck_event_kind kind, ck_bytes body) {
  char *begin = NULL;
  if (kind != CK_EVENT_OUTCOME) return;
  ck_bytes spill = ck_json_get(ck_json_get(body, "result"), "spill");
  if (ck_json_type_of(spill) != CK_JSON_OBJECT ||
      !ck_json_is_text(ck_json_get(body, "kind"), ck_effect_kind_name(CK_EFFECT_EXEC)))
    return;
  char *key = read_text(self, ck_json_get(body, "key"));
  if (key) self->failed |= ck_spill_name(&begin, session, key, NULL) != CK_OK;
  ck_json_iterator it = ck_json_iterate(spill);
  while (begin && ck_json_next(&it)) add_reference(self, session, seq, begin, it.value);
  free(begin);
  free(key);
}

/* ---- what is there ---- */

/* A session that is deleted meanwhile takes its long outputs with it. */
static bool is_deleted(ck_store *store, const char *session) {
  ck_session_record record;
  ck_error absent = CK_ERROR_INIT;
  ck_status status = ck_store_get_session(&record, store, session, &absent);
  if (status == CK_OK) ck_session_record_clear(&record);
  return status == CK_E_NOT_FOUND;
}

ck_status ck_spills_verify(int64_t *unsealed, const ck_spills_references *references,
                           const ck_spills_check *check, ck_error *err) {
  const char *place = check->shelf->place ? check->shelf->place : "a store that keeps none";
  *unsealed = 0;
  if (references->failed) return ck_error_no_memory(err);
  for (size_t i = 0; i < references->count; i++) {
    const struct ck_spills_reference *at = &references->list[i];
    const ck_spill_file file = {check->shelf, at->name, ck_store_fingerprint_key(check->store)};
    ck_error found = CK_ERROR_INIT;
    bool sealed;
    ck_status status = ck_spill_file_check(&sealed, &file, &found);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    *unsealed += status == CK_OK && file.key && !sealed;
    if (status == CK_OK || (status == CK_E_NOT_FOUND && is_deleted(check->store, at->session)))
      continue;
    if (status == CK_E_NOT_FOUND)
      ck_error_set(&found, status, "the long output %s, which event %lld names, is gone from %s",
                   at->name, (long long)at->seq, place);
    check->visit(check->to, at->session, at->seq, status, found.text);
  }
  return CK_OK;
}
