/* candidates.c - finds sessions that wait for a worker, and remembers those that are none of its
 * own, so that a look costs one query. */
#include "core/host/worker/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fnv.h"
#include "core/host/session/queued.h"
#include "core/host/worker/unbegun.h"
#include "core/store/session_query.h"

enum { DEATH_WAIT_MS = 1000, DEATH_WAIT_MAX_MS = 60000 };
enum { REFUSAL_WAIT_MS = 60000, REFUSAL_WAIT_MAX_MS = 600000, DOUBLINGS_MAX = 10 };
enum { TOLD_MAX = 200 };

void ck_candidates_clear(ck_candidates *self) {
  for (size_t i = 0; i < self->known.cap; i++) free(self->known.slots[i].value);
  ck_map_clear(&self->known);
  free(self->list);
  *self = (ck_candidates){0};
}

/* `wait` after the first, twice as long after each further one. */
static int64_t wait_after(int64_t times, int64_t wait, int64_t most) {
  int64_t doublings = times - 1 < DOUBLINGS_MAX ? times - 1 : DOUBLINGS_MAX;
  wait <<= doublings > 0 ? doublings : 0;
  return wait < most ? wait : most;
}

/* ---- looking ---- */

typedef struct looking {
  ck_candidates *of;
  size_t at; /* of the list, for those that run */
  ck_status status;
  ck_error *err;
} looking;

/* Whose it is, not what it is called, decides whose turn it is. */
static uint64_t hash_of(const char *name) {
  return ck_fnv_add(CK_FNV_BEGIN, name, name ? strlen(name) : 0);
}

static void take_row(ck_candidate *self, const ck_candidates *of, const ck_session_record *record) {
  *self = (ck_candidate){.no = record->no,
                         .timeline = record->timeline,
                         .epoch = record->epoch,
                         .updated_ms = record->updated_ms,
                         .restarts = record->restarts.count,
                         .runs = record->status == CK_SESSION_RUNNING,
                         .from_ms = ck_queued_from(record),
                         .limits = ck_worker_limits_of_profile(of->limits, record->profile),
                         .profile = hash_of(record->profile),
                         .deaths = self->deaths,
                         .not_before_ms = self->deaths ? self->not_before_ms : 0};
  memcpy(self->id, record->id, sizeof self->id);
}

static bool is_same(const ck_candidate *self, const ck_session_record *record) {
  return self->epoch == record->epoch && self->updated_ms == record->updated_ms &&
         self->restarts == record->restarts.count &&
         self->runs == (record->status == CK_SESSION_RUNNING);
}

static ck_status add_known(ck_candidate **out, ck_candidates *self, const ck_session_record *record,
                           ck_error *err) {
  ck_candidate *made = calloc(1, sizeof *made);
  *out = NULL;
  if (!made) return ck_error_no_memory(err);
  take_row(made, self, record);
  ck_status status = ck_map_add(&self->known, made->id, made, err);
  if (status != CK_OK)
    free(made);
  else
    *out = made;
  return status;
}

static ck_status list_candidate(ck_candidates *self, ck_candidate *candidate, ck_error *err) {
  ck_candidate **list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  self->list = list;
  candidate->present = true;
  self->list[self->count++] = candidate;
  return CK_OK;
}

static bool visit(void *to, const ck_session_record *record) {
  looking *self = to;
  if (!ck_queued_is_due(record)) return true;
  ck_candidates *of = self->of;
  ck_candidate *candidate = ck_map_get(&of->known, record->id);
  if (!candidate)
    self->status = add_known(&candidate, of, record, self->err);
  else if (!is_same(candidate, record))
    take_row(candidate, of, record);
  if (self->status == CK_OK) self->status = list_candidate(of, candidate, self->err);
  return self->status == CK_OK;
}

static bool visit_running(void *to, const ck_session_record *record) {
  looking *self = to;
  ck_candidates *of = self->of;
  if (!visit(to, record)) return false;
  ck_candidate *found = of->list[of->count - 1];
  memmove(&of->list[self->at + 1], &of->list[self->at],
          (of->count - 1 - self->at) * sizeof *of->list);
  of->list[self->at] = found;
  return true;
}

/* They come in again, those that still run; of one that does not the next look at all tells. */
static void drop_running(ck_candidates *self, size_t *at) {
  size_t kept = 0, before = 0;
  for (size_t i = 0; i < self->count; i++) {
    ck_candidate *candidate = self->list[i];
    if (candidate->runs) candidate->present = false;
    if (candidate->runs) continue;
    before += i < *at;
    self->list[kept++] = candidate;
  }
  *at = before;
  self->count = kept;
}

ck_status ck_candidates_look_running(ck_candidates *self, size_t *at, ck_error *err) {
  const ck_session_query query = {.statuses = 1ull << CK_SESSION_RUNNING, .lean = true};
  drop_running(self, at);
  looking look = {.of = self, .at = *at, .err = err};
  ck_status status = ck_store_find_sessions(self->store, &query, visit_running, &look, err);
  return status == CK_OK ? look.status : status;
}

/* Those that are gone, or not due any more. */
static void forget_absent(ck_candidates *self) {
  for (size_t i = 0; i < self->known.cap;) {
    ck_candidate *candidate = self->known.slots[i].value;
    if (!self->known.slots[i].key || candidate->present) {
      i++;
      continue;
    }
    ck_map_remove(&self->known, candidate->id);
    free(candidate);
  }
}

static int by_age(const ck_candidate *x, const ck_candidate *y) {
  return x->no < y->no ? -1 : x->no > y->no;
}

static int by_profile(const void *a, const void *b) {
  const ck_candidate *x = *(ck_candidate *const *)a, *y = *(ck_candidate *const *)b;
  return x->profile == y->profile ? by_age(x, y) : x->profile < y->profile ? -1 : 1;
}

static int by_turn(const void *a, const void *b) {
  const ck_candidate *x = *(ck_candidate *const *)a, *y = *(ck_candidate *const *)b;
  return x->rank == y->rank ? by_age(x, y) : x->rank < y->rank ? -1 : 1;
}

static void put_in_order(ck_candidates *self, int64_t now_ms) {
  size_t rank = 0;
  if (!self->count) return;
  qsort(self->list, self->count, sizeof *self->list, by_profile);
  for (size_t i = 0; i < self->count; i++) {
    ck_candidate *at = self->list[i];
    if (i > 0 && at->profile != self->list[i - 1]->profile) rank = 0;
    at->rank = rank;
    rank += at->from_ms <= now_ms;
  }
  qsort(self->list, self->count, sizeof *self->list, by_turn);
}

ck_status ck_candidates_look(ck_candidates *self, int64_t now_ms, ck_error *err) {
  const ck_session_query query = {.statuses = 1ull << CK_SESSION_RUNNING |
                                              1ull << CK_SESSION_PAUSED |
                                              1ull << CK_SESSION_FAILING,
                                  .lean = true};
  looking look = {.of = self, .err = err};
  for (size_t i = 0; i < self->count; i++) self->list[i]->present = false;
  self->count = self->told = 0;
  ck_status status = ck_store_find_sessions(self->store, &query, visit, &look, err);
  if (status == CK_OK) status = look.status;
  if (status != CK_OK) return status;
  forget_absent(self);
  put_in_order(self, now_ms);
  return CK_OK;
}

/* ---- examining one ---- */

/* People look at one of a long queue, and the first of it stand for the others. */
static void tell_labels(ck_candidates *of, const char *session, ck_bytes mark) {
  ck_buffer text = {0};
  if (of->told++ >= TOLD_MAX) return;
  ck_buffer_append_text(&text, "it is ");
  ck_queued_append_words(&text, mark);
  ck_buffer_append_text(&text,
                        of->labels->count ? ", and this one has" : ", and this one has none");
  for (size_t i = 0; i < of->labels->count; i++)
    ck_buffer_append_format(&text, "%s %s", i ? "," : "", of->labels->list[i]);
  ck_buffer_append(&text, "", 1);
  if (!text.failed) ck_unbegun_tell(of->store, of->redactor, session, text.data);
  ck_buffer_clear(&text);
}

/* One question, where the live timeline is that of a run; a person may have left another one. */
static ck_status read_last_run(ck_last_run *out, const ck_candidate *self, ck_store *store,
                               ck_error *err) {
  ck_head head = {0};
  ck_status status = ck_store_get_about(&out->about, store, self->no, self->timeline, err);
  if (status != CK_OK || ck_last_run_policies(out).len) return status;
  ck_last_run_clear(out);
  status = ck_store_get_head(&head, store, self->id, err);
  if (status == CK_OK) status = ck_last_run_read(out, store, &head, err);
  ck_head_clear(&head);
  return status;
}

static ck_status examine(ck_candidate *self, ck_candidates *of, ck_error *err) {
  ck_last_run last = {0};
  ck_status status = read_last_run(&last, self, of->store, err);
  if (status == CK_OK) {
    ck_bytes mark = ck_queued_of(&last);
    self->ours = mark.len && ck_queued_fits(mark, of->labels);
    self->limits |= ck_worker_limits_of_mark(of->limits, mark);
    self->examined = true;
    if (mark.len && !self->ours) tell_labels(of, self->id, mark);
  }
  ck_last_run_clear(&last);
  return status;
}

/* One that was deleted meanwhile, or whose rows are damaged, is none; the run that somebody begins
 * of it tells why. */
static bool is_of_the_store(ck_status status) {
  return status == CK_E_NOT_FOUND || status == CK_E_CORRUPT;
}

static ck_status check_row(bool *due, const ck_candidates *self, const ck_candidate *candidate,
                           ck_error *err) {
  ck_session_record record = {0};
  ck_error problem = CK_ERROR_INIT;
  ck_status status = ck_store_get_session(&record, self->store, candidate->id, &problem);
  *due = status == CK_OK && is_same(candidate, &record);
  ck_session_record_clear(&record);
  return status == CK_OK || is_of_the_store(status) ? CK_OK
                                                    : ck_error_set(err, status, "%s", problem.text);
}

ck_status ck_candidates_check(bool *due, int64_t *later_ms, ck_candidates *self,
                              ck_candidate *candidate, int64_t now_ms, ck_error *err) {
  *due = false;
  *later_ms = 0;
  if (!candidate->present) return CK_OK;
  ck_status status = candidate->examined ? CK_OK : examine(candidate, self, err);
  if (is_of_the_store(status)) {
    candidate->examined = true;
    return CK_OK;
  }
  if (status != CK_OK || !candidate->ours) return status;
  if (candidate->runs) {
    ck_error owned = CK_ERROR_INIT;
    status = ck_store_check_owner(self->store, candidate->id, &owned);
    if (status == CK_E_OWNED || is_of_the_store(status)) return CK_OK;
    if (status != CK_OK) return ck_error_set(err, status, "%s", owned.text);
  }
  int64_t from = candidate->not_before_ms;
  if (from < candidate->from_ms) from = candidate->from_ms;
  *due = now_ms >= from;
  if (!*due && !candidate->refusals) *later_ms = from;
  return CK_OK;
}

/* Others walk through the same queue: since the look somebody may have taken it, or is about to,
 * and to begin a run in vain costs far more than to ask twice. The row is asked for behind the
 * reservation: whoever had that before has changed it. */
ck_status ck_candidates_reserve(bool *mine, ck_reservation *reserved, ck_candidates *self,
                                const ck_candidate *candidate, ck_error *err) {
  *mine = ck_store_reserve(reserved, self->store, (ck_lease){candidate->no, candidate->epoch});
  ck_status status = *mine ? check_row(mine, self, candidate, err) : CK_OK;
  if (status != CK_OK || !*mine) ck_store_unreserve(self->store, reserved);
  return status;
}

void ck_candidates_put_off(ck_candidate *self, const ck_session_record *record, int64_t now_ms) {
  self->epoch = record->epoch;
  self->updated_ms = record->updated_ms;
  self->restarts = record->restarts.count;
  self->runs = record->status == CK_SESSION_RUNNING;
  self->from_ms = ck_queued_from(record);
  self->examined = true;
  self->refusals++;
  self->not_before_ms = now_ms + wait_after(self->refusals, REFUSAL_WAIT_MS, REFUSAL_WAIT_MAX_MS);
}

/* The first death is nobody's habit. */
void ck_candidates_note_end(ck_candidate *self, bool died, int64_t now_ms) {
  self->present = false;
  self->deaths = died ? self->deaths + 1 : 0;
  self->not_before_ms = 0;
  if (self->deaths > 1)
    self->not_before_ms = now_ms + wait_after(self->deaths - 1, DEATH_WAIT_MS, DEATH_WAIT_MAX_MS);
}
