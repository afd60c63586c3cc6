/* resolve_session.c - accepts a whole id, an unambiguous part of an id that ckrun made, or the id
 * of a run. */
#include "core/host/session/resolve_session.h"

#include <string.h>

#include "core/base/id.h"
#include "core/host/cli/suggest.h"

enum { PART_MIN = 4, TAIL = 8 };

typedef struct search {
  ck_store *store;
  const char *word;
  size_t len, matches;
  char ids[2][CK_ID_SIZE]; /* the first two matches */
  char near[CK_ID_SIZE];   /* "": none */
  size_t distance;
} search;

/* The beginning of the random part of an id that ckrun made; NULL: a person chose the id. */
static const char *tail_of(const char *id) {
  size_t len = strlen(id);
  const char *tail = id + len - TAIL;
  return len > TAIL + 1 && tail[-1] == '_' && strspn(tail, "0123456789abcdef") == TAIL ? tail
                                                                                       : NULL;
}

static const char run_prefix[] = "run_";

/* Of a run's id also a beginning is enough, with 4 characters behind the prefix. */
static bool names_run(const search *self, const char *run) {
  size_t least = sizeof run_prefix - 1 + PART_MIN;
  return self->len >= least && strncmp(run, self->word, self->len) == 0;
}

/* The last run is part of the record; the earlier ones are timelines. Runs that a fork has
 * inherited are its origin's. */
static bool has_run(const search *self, const ck_session_record *record) {
  ck_head head;
  ck_error ignored = CK_ERROR_INIT;
  if (strncmp(self->word, run_prefix, sizeof run_prefix - 1) != 0) return false;
  if (names_run(self, record->run)) return true;
  if (ck_store_get_head(&head, self->store, record->id, &ignored) != CK_OK) return false;
  bool found = false;
  for (size_t i = 0; i < head.timeline_count; i++)
    found |= !head.timelines[i].session && names_run(self, head.timelines[i].run);
  ck_head_clear(&head);
  return found;
}

static void suggest_near(search *self, const char *id) {
  ck_suggestion meant = {.typed = self->word};
  ck_suggestion_check(&meant, id);
  if (!meant.best || (self->near[0] && meant.distance >= self->distance)) return;
  self->distance = meant.distance;
  strcpy(self->near, id);
}

static bool look_at(void *to, const ck_session_record *record) {
  search *self = to;
  const char *tail = tail_of(record->id);
  suggest_near(self, record->id);
  bool fits = tail && self->len >= PART_MIN &&
              (strncmp(record->id, self->word, self->len) == 0 ||
               strncmp(tail, self->word, self->len) == 0);
  fits = fits || has_run(self, record);
  if (fits && self->matches < 2) memcpy(self->ids[self->matches], record->id, CK_ID_SIZE);
  self->matches += fits;
  return true;
}

ck_status ck_resolve_session(char out[CK_ID_SIZE], ck_store *store, const char *word,
                             ck_error *err) {
  ck_session_record record;
  ck_error absent = CK_ERROR_INIT, ignored = CK_ERROR_INIT;
  search s = {.store = store, .word = word, .len = strlen(word)};
  out[0] = 0;
  ck_status status = ck_id_check("session", word, err);
  if (status != CK_OK) return status;
  status = ck_store_get_session(&record, store, word, &absent);
  if (status == CK_OK) ck_session_record_clear(&record);
  if (status == CK_E_NOT_FOUND && ck_store_list_sessions(store, 0, look_at, &s, &ignored) != CK_OK)
    s = (search){0};
  if (status == CK_OK || s.matches == 1) {
    strcpy(out, s.matches == 1 ? s.ids[0] : word);
    return CK_OK;
  }
  if (s.matches > 1)
    return ck_error_set(
        err, CK_E_USAGE,
        "%zu sessions are meant by '%s', such as %s and %s: a few more characters tell them apart",
        s.matches, word, s.ids[0], s.ids[1]);
  if (s.near[0]) return ck_error_set(err, status, "%s; did you mean '%s'?", absent.text, s.near);
  return ck_error_set(err, status, "%s", absent.text);
}
