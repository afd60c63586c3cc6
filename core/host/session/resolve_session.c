/* resolve_session.c - accepts a whole id, an unambiguous part of an id that ckrun made, or the id
 * of a run. */
#include "core/host/session/resolve_session.h"

#include <string.h>

#include "core/base/id.h"
#include "core/base/suggest.h"
#include "core/host/session/short_id.h"

typedef struct search {
  ck_store *store;
  const ck_session_filter *filter; /* NULL: all sessions */
  const char *word;
  size_t len;
  ck_candidates fit;
  int64_t back;          /* "@{N}": how many newer ones are passed over */
  char near[CK_ID_SIZE]; /* "": none */
  size_t distance;
} search;

static const char run_prefix[] = "run_";

/* Of a run's id also a beginning is enough, with 4 characters behind the prefix. */
static bool names_run(const search *self, const char *run) {
  size_t least = sizeof run_prefix - 1 + CK_SHORT_ID_MIN;
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
  if (!ck_session_filter_has(self->filter, self->store, record)) return true;
  suggest_near(self, record->id);
  bool begins = ck_short_id_tail(record->id) && self->len >= CK_SHORT_ID_MIN &&
                strncmp(record->id, self->word, self->len) == 0;
  if (begins || ck_short_id_fits(record->id, self->word) || has_run(self, record))
    ck_candidates_add(&self->fit, record->id);
  return true;
}

static bool look_back(void *to, const ck_session_record *record) {
  search *self = to;
  if (!ck_session_filter_has(self->filter, self->store, record)) return true;
  if (self->back-- > 0) return true;
  ck_candidates_add(&self->fit, record->id);
  return false;
}

static ck_status find_back(search *self, ck_error *err) {
  int64_t back = self->back;
  ck_status status = ck_store_list_sessions(self->store, 0, look_back, self, err);
  if (status != CK_OK || self->fit.count) return status;
  return ck_error_set(err, CK_E_NOT_FOUND, "there %s %lld session%s in store %s: '%s' is none",
                      back - self->back == 1 ? "is" : "are", (long long)(back - self->back),
                      back - self->back == 1 ? "" : "s", ck_store_url(self->store), self->word);
}

ck_status ck_session_word_check(const char *word, ck_error *err) {
  return ck_short_id_back(word) >= 0 ? CK_OK : ck_id_check_new("session", word, err);
}

/* Of a session that is not in the filter nothing is read but what says so, and nothing said, not
 * that it is damaged either. */
static ck_status find_exact(const search *self, ck_error *absent) {
  ck_session_record record;
  ck_status status = ck_session_filter_fits(self->filter, self->word)
                         ? ck_store_get_session(&record, self->store, self->word, absent)
                         : CK_E_NOT_FOUND;
  if (status == CK_OK && !ck_session_filter_has(self->filter, self->store, &record))
    status = CK_E_NOT_FOUND, ck_session_record_clear(&record);
  else if (status == CK_OK)
    ck_session_record_clear(&record);
  if (status != CK_E_NOT_FOUND || !self->filter) return status;
  return ck_session_filter_absent(self->store, self->word, absent);
}

ck_status ck_resolve_session_within(char out[CK_ID_SIZE], ck_store *store,
                                    const ck_session_filter *filter, const char *word,
                                    ck_error *err) {
  ck_error absent = CK_ERROR_INIT, ignored = CK_ERROR_INIT;
  search s = {.store = store,
              .filter = filter,
              .word = word,
              .len = strlen(word),
              .back = ck_short_id_back(word)};
  out[0] = 0;
  ck_status status = ck_session_word_check(word, err);
  if (status != CK_OK) return status;
  status = find_exact(&s, &absent);
  if (status == CK_OK) strcpy(out, word);
  if (status == CK_OK) return CK_OK;
  if (s.back >= 0) {
    status = find_back(&s, err);
    if (status != CK_OK) return status;
  } else if (status == CK_E_NOT_FOUND &&
             ck_store_list_sessions(store, 0, look_at, &s, &ignored) != CK_OK) {
    s = (search){0};
  }
  if (s.fit.count == 1) strcpy(out, s.fit.ids[0]);
  if (s.fit.count == 1) return CK_OK;
  if (s.fit.count > 1) return ck_candidates_refuse(&s.fit, "sessions", word, err);
  if (s.near[0]) return ck_error_set(err, status, "%s; did you mean '%s'?", absent.text, s.near);
  return ck_error_set(err, status, "%s", absent.text);
}

ck_status ck_resolve_session(char out[CK_ID_SIZE], ck_store *store, const char *word,
                             ck_error *err) {
  return ck_resolve_session_within(out, store, NULL, word, err);
}
