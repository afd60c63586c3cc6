/* test_forks.c - a fork sees its origin up to the cut over several generations, holds what it needs
 * of it, and gets it for its own when the origin is deleted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/store/history.h"
#include "tests/tap.h"

static const char *kind;
#define NEVER ((ck_kept_reason)99)

static void must_fork(history *out, history *past, size_t index, const char *id, uint64_t seed) {
  ck_error err = CK_ERROR_INIT;
  history_must(history_fork(out, past, index, id, seed, &err), &err, "fork");
}

static bool loads_inherited(history *fork, history *past, size_t index) {
  ck_error err = CK_ERROR_INIT;
  ck_state *state;
  if (ck_store_get_state(&state, fork->store, fork->lease.session, past->seqs[index], &err) !=
      CK_OK)
    return false;
  bool same = history_equal(state, past->states[index]);
  ck_state_free(state);
  return same;
}

typedef struct reading {
  int64_t seqs[4096];
  int64_t at_ms[4096];
  size_t count;
} reading;

static bool note(void *to, const ck_event *event) {
  reading *self = to;
  self->seqs[self->count] = event->seq;
  self->at_ms[self->count++] = event->kind * 1000000 + event->timeline;
  return true;
}

static void read_events(reading *out, ck_store *store, int64_t session, const ck_view *view,
                        size_t last, bool backward) {
  ck_error err = CK_ERROR_INIT;
  ck_event_query query = {.session = session, .view = view, .last = last, .backward = backward};
  out->count = 0;
  history_must(ck_store_read_events(store, &query, note, out, &err), &err, "read events");
}

static ck_view view_of(history *of) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  ck_view view;
  history_must(ck_store_get_head(&head, of->store, of->id, &err), &err, "head");
  history_must(
      ck_view_make(&view, head.timelines, head.timeline_count, head.session.timeline, &err), &err,
      "view");
  ck_head_clear(&head);
  return view;
}

/* Every seq once, ascending; the part up to the cut is the origin's. */
static bool reads_on(history *fork, history *past, int64_t cut) {
  static reading mine, theirs;
  read_events(&mine, fork->store, fork->lease.session, NULL, 0, false);
  read_events(&theirs, past->store, past->lease.session, NULL, 0, false);
  bool good = (int64_t)mine.count == fork->seq;
  for (size_t i = 0; i < mine.count && good; i++) {
    good = mine.seqs[i] == (int64_t)i + 1;
    if (mine.seqs[i] <= cut) good = good && mine.at_ms[i] == theirs.at_ms[i];
  }
  read_events(&mine, fork->store, fork->lease.session, NULL, 5, false);
  good = good && mine.count == 5 && mine.seqs[4] == fork->seq;
  read_events(&mine, fork->store, fork->lease.session, NULL, 0, true);
  return good && mine.seqs[0] == fork->seq && mine.seqs[mine.count - 1] == 1;
}

static bool view_is_whole(history *fork) {
  static reading seen;
  ck_view view = view_of(fork);
  read_events(&seen, fork->store, fork->lease.session, &view, 0, false);
  bool good = seen.count > 0 && seen.seqs[0] == 1 && seen.seqs[seen.count - 1] == fork->seq &&
              view.ranges[0].session != 0;
  for (size_t i = 1; i < seen.count; i++) good = good && seen.seqs[i] > seen.seqs[i - 1];
  ck_view_clear(&view);
  return good;
}

/* ---- three generations ---- */

static void live(history *of, int steps) {
  for (int i = 0; i < steps; i++) history_go(of, 4);
}

/* ---- a fork's head reads the fork's row once ---- */

static struct looking {
  ck_status (*get_identity)(ck_identity *out, void *self, int64_t session, ck_error *err);
  int64_t session;
  int count;
} looking;

static ck_status look(ck_identity *out, void *self, int64_t session, ck_error *problem) {
  looking.count += session == looking.session;
  return looking.get_identity(out, self, session, problem);
}

static void test_looks(ck_store *store, const history *fork) {
  ck_error err = CK_ERROR_INIT;
  ck_head head;
  looking = (struct looking){store->backend.get_identity, fork->lease.session, 0};
  store->backend.get_identity = look;
  history_must(ck_store_get_head(&head, store, fork->id, &err), &err, "head");
  store->backend.get_identity = looking.get_identity;
  tap_is_int(looking.count, 0, "%s: a fork's head reads the fork's row once", kind);
  ck_head_clear(&head);
}

static void test_generations(ck_store *store) {
  history first, second, third;
  ck_head head;
  ck_error err = CK_ERROR_INIT;
  history_begin(&first, store, "first", 1);
  live(&first, 10);
  history_resume(&first, 6);
  live(&first, 4);
  must_fork(&second, &first, 8, "second", 2);
  live(&first, 5);
  live(&second, 6);
  history_resume(&second, 3);
  live(&second, 2);
  must_fork(&third, &second, second.count - 1, "third", 3);
  live(&second, 3);
  live(&third, 4);
  tap_ok(reads_on(&second, &first, first.seqs[8]),
         "%s: a fork's events follow those that it inherits", kind);
  tap_ok(reads_on(&third, &second, third.seqs[0] - 2), "%s: so do those of a fork's fork", kind);
  tap_ok(view_is_whole(&second) && view_is_whole(&third), "%s: views go back to the first event",
         kind);
  tap_ok(loads_inherited(&second, &first, 8) && loads_inherited(&third, &first, 2),
         "%s: inherited checkpoints load", kind);
  tap_ok(history_loads(&third, third.count - 1) && history_loads(&second, 0), "%s: and its own",
         kind);
  history_must(ck_store_get_head(&head, store, "third", &err), &err, "head");
  tap_ok(head.session.origin.session == second.lease.session && head.last_seq == third.seq &&
             head.timelines[0].no == 1 && head.timelines[0].session == first.lease.session,
         "%s: the head tells the lineage", kind);
  ck_head_clear(&head);
  test_looks(store, &third);
  ck_checkpoint_info info;
  history_must(
      ck_store_get_checkpoint(&info, store, third.lease.session, NULL, third.seqs[0], &err), &err,
      "checkpoint");
  tap_ok(info.keyframe == info.seq && info.parent == second.seqs[second.count - 4],
         "%s: its first one is a keyframe behind the cut", kind);
  ck_checkpoint_info_clear(&info);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  history_clear(&first);
  history_clear(&second);
  history_clear(&third);
}

/* ---- what a fork holds ---- */

static ck_kept_reason reason_of(const ck_prune_report *report, int64_t seq) {
  for (size_t i = 0; i < report->kept_count; i++)
    if (report->kept[i].seq == seq) return report->kept[i].reason;
  return NEVER;
}

/* A new run of the fork, from an older checkpoint that it inherits. */
static void continue_inherited(ck_store *store, history *fork, const history *past) {
  ck_error err = CK_ERROR_INIT;
  ck_store_release(store, fork->lease);
  ck_timeline timeline = {.no = fork->timeline + 1,
                          .parent = 1,
                          .cut = past->seqs[2],
                          .begin = fork->seq + 1,
                          .checkpoint = past->seqs[2],
                          .attempt = 2,
                          .run = "run_older"};
  ck_opening opening = {.timeline = &timeline};
  history_must(ck_store_acquire(&fork->lease, store, "holder", fork->lease.epoch, &opening, &err),
               &err, "acquire");
}

static void test_protection(ck_store *store) {
  history past, fork;
  ck_prune_report report;
  ck_error err = CK_ERROR_INIT;
  history_begin(&past, store, "held", 4);
  live(&past, 12);
  must_fork(&fork, &past, 5, "holder", 5);
  live(&fork, 3);
  continue_inherited(store, &fork, &past);
  history_must(ck_store_pin(store, past.lease, past.seqs[7], true, &err), &err, "pin");
  tap_is_status(ck_store_pin(store, fork.lease, past.seqs[1], true, &err), CK_E_NOT_FOUND, &err,
                "%s: an inherited one is not pinned", kind);
  history_must(ck_store_prune(store, past.lease, past.seqs, past.count, &report, &err), &err,
               "prune");
  tap_ok(report.count == 8 && reason_of(&report, past.seqs[5]) == CK_KEPT_FORK &&
             reason_of(&report, past.seqs[2]) == CK_KEPT_FORK &&
             reason_of(&report, past.seqs[7]) == CK_KEPT_PINNED &&
             reason_of(&report, past.seqs[11]) == CK_KEPT_HEAD,
         "%s: what forks go on from, what is pinned and the head stay, each with its reason", kind);
  ck_prune_report_clear(&report);
  tap_ok(loads_inherited(&fork, &past, 5) && loads_inherited(&fork, &past, 2), "%s: and load",
         kind);
  history late;
  tap_is_status(history_fork(&late, &past, 3, "late", 6, &err), CK_E_NOT_FOUND, &err,
                "%s: none is cut from one that was pruned", kind);
  ck_store_delete_session(store, past.lease, false, &err) == CK_E_REFUSED
      ? tap_ok(strstr(err.text, "holder") != NULL, "%s: its deletion is refused, the fork named",
               kind)
      : tap_ok(false, "%s: deleted", kind);
  tap_is_status(ck_store_delete_session(store, past.lease, true, &err), CK_E_OWNED, &err,
                "%s: a fork that runs is not detached", kind);
  ck_store_release(store, fork.lease);
  tap_is_status(ck_store_delete_session(store, past.lease, true, &err), CK_E_REFUSED, &err,
                "%s: nor one that stands at an inherited checkpoint", kind);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  history_clear(&past);
  history_clear(&fork);
}

/* ---- a fork beside a prune ---- */

/* Another process forks as soon as a prune has read which checkpoints forks go on from. */
typedef struct race {
  ck_store *store; /* of the prune */
  history *past, fork;
  ck_status (*list)(int64_t **out, size_t *count, void *self, int64_t session, ck_error *err);
  bool forked;
} race;
static race racing;

static ck_status list_then_fork(int64_t **out, size_t *count, void *self, int64_t session,
                                ck_error *err) {
  ck_status status = racing.list(out, count, self, session, err);
  if (racing.forked) return status;
  racing.forked = true;
  history elsewhere = *racing.past;
  elsewhere.store = fixture_open(ck_store_url(racing.store));
  must_fork(&racing.fork, &elsewhere, 1, "beside", 22);
  return status;
}

static void test_beside(ck_store *store) {
  history past;
  ck_prune_report report;
  ck_error err = CK_ERROR_INIT;
  history_begin(&past, store, "raced", 21);
  live(&past, 5);
  racing = (race){.store = store, .past = &past, .list = store->backend.list_bases};
  store->backend.list_bases = list_then_fork;
  tap_is_status(ck_store_prune(store, past.lease, past.seqs, 3, &report, &err), CK_E_BUSY, &err,
                "%s: a fork that another process makes while a prune is planned ends it", kind);
  ck_store *other = racing.fork.store;
  tap_ok(history_loads(&past, 0) && history_loads(&racing.fork, 0) &&
             loads_inherited(&racing.fork, &past, 1),
         "%s: and goes on from what it was made of", kind);
  tap_is_status(ck_store_prune(store, past.lease, past.seqs, 3, &report, &err), CK_OK, &err,
                "%s: asked again it is done", kind);
  tap_ok(report.count == 2 && reason_of(&report, past.seqs[1]) == CK_KEPT_FORK,
         "%s: and leaves that one", kind);
  ck_prune_report_clear(&report);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  history_clear(&racing.fork);
  ck_store_close(other);
  history_clear(&past);
}

/* ---- the end of an origin ---- */

/* Deletes the other sessions of a family whose first one is gone: `second` with its fork `third`,
 * then `third`. `highest`: the greatest number of a session so far. */
static void delete_others(ck_store *store, history *second, history *third, int64_t highest) {
  ck_session_record record;
  ck_error err = CK_ERROR_INIT;
  history_must(ck_store_get_session(&record, store, "b", &err), &err, "b");
  tap_ok(record.origin.session == 0 && record.origin.cut == 0,
         "%s: and it is nobody's fork any more", kind);
  history_must(ck_store_lock_session(&second->lease, store, "b", record.epoch, &err), &err, "hold");
  ck_session_record_clear(&record);
  tap_is_status(ck_store_delete_session(store, second->lease, true, &err), CK_OK, &err,
                "%s: the middle one too", kind);
  tap_ok(history_loads(third, 3) && fixture_verify(store) == 0, "%s: the last one stands alone",
         kind);
  fixture fresh;
  history_must(ck_store_get_session(&record, store, "d", &err), &err, "d");
  history_must(ck_store_lock_session(&third->lease, store, "d", record.epoch, &err), &err, "hold");
  ck_session_record_clear(&record);
  tap_is_status(ck_store_delete_session(store, third->lease, false, &err), CK_OK, &err,
                "%s: a session without forks goes as it is", kind);
  history_must(fixture_create(&fresh, store, "e", &err), &err, "create");
  tap_ok(fresh.lease.session > highest, "%s: numbers are not given twice", kind);
  ck_store_release(store, fresh.lease);
}

static void test_detach(ck_store *store) {
  static reading before, after;
  history first, second, third, other;
  ck_session_record record;
  ck_error err = CK_ERROR_INIT;
  history_begin(&first, store, "a", 11);
  live(&first, 8);
  must_fork(&second, &first, 6, "b", 12);
  must_fork(&other, &first, 2, "c", 13);
  live(&second, 5);
  must_fork(&third, &second, 4, "d", 14);
  live(&third, 3);
  ck_store_release(store, second.lease);
  ck_store_release(store, third.lease);
  ck_store_release(store, other.lease);
  read_events(&before, store, third.lease.session, NULL, 0, false);
  tap_is_status(ck_store_delete_session(store, first.lease, true, &err), CK_OK, &err,
                "%s: an origin is deleted, its forks detached", kind);
  tap_is_status(ck_store_get_session(&record, store, "a", &err), CK_E_NOT_FOUND, &err,
                "%s: it is gone", kind);
  read_events(&after, store, third.lease.session, NULL, 0, false);
  tap_ok(before.count == after.count &&
             memcmp(before.at_ms, after.at_ms, before.count * sizeof *before.at_ms) == 0,
         "%s: a fork's fork reads what it read before", kind);
  tap_ok(history_loads(&third, 3) && history_loads(&second, 5) && history_loads(&other, 0),
         "%s: their own checkpoints load", kind);
  tap_ok(!loads_inherited(&second, &first, 3), "%s: inherited ones are pruned ones", kind);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  int64_t highest =
      first.lease.session > third.lease.session ? first.lease.session : third.lease.session;
  delete_others(store, &second, &third, highest);
  history_clear(&first);
  history_clear(&second);
  history_clear(&third);
  history_clear(&other);
}

static void test_hold(ck_store *store) {
  fixture session;
  ck_lease lease, other;
  ck_session_record record;
  ck_error err = CK_ERROR_INIT;
  history_must(fixture_create(&session, store, "hold", &err), &err, "create");
  tap_is_status(ck_store_lock_session(&lease, store, "hold", 1, &err), CK_E_OWNED, &err,
                "%s: a session that runs is not held", kind);
  ck_store_release(store, session.lease);
  tap_is_status(ck_store_lock_session(&lease, store, "hold", 7, &err), CK_E_FENCED, &err,
                "%s: nor at another epoch", kind);
  tap_is_status(ck_store_lock_session(&lease, store, "hold", 1, &err), CK_OK, &err,
                "%s: one at rest is", kind);
  tap_is_status(ck_store_lock_session(&other, store, "hold", 1, &err), CK_E_OWNED, &err,
                "%s: by one alone", kind);
  session.lease = lease;
  const ck_session_update update = {
      .status = CK_SESSION_FAILED, .reason = "no more", .failure = "context"};
  tap_is_int(fixture_commit(&session, &(fixture_step){.update = &update}, &err), CK_OK,
             "%s: and can be given a status", kind);
  ck_store_release(store, lease);
  history_must(ck_store_get_session(&record, store, "hold", &err), &err, "get");
  tap_ok(record.status == CK_SESSION_FAILED && record.epoch == 1 && record.failure &&
             strcmp(record.failure, "context") == 0,
         "%s: which stays, with its class, at the same epoch", kind);
  ck_session_record_clear(&record);
  ck_timeline timeline = {
      .no = 2, .parent = 1, .cut = 1, .begin = session.seq + 1, .attempt = 2, .run = "run_b"};
  ck_opening opening = {.timeline = &timeline, .restarts = {2, 1234, 5}};
  history_must(ck_store_acquire(&lease, store, "hold", 1, &opening, &err), &err, "acquire");
  history_must(ck_store_get_session(&record, store, "hold", &err), &err, "get");
  tap_ok(record.restarts.count == 2 && record.restarts.at_ms == 1234 &&
             record.restarts.progress_seq == 5 && !record.failure &&
             record.status == CK_SESSION_RUNNING,
         "%s: restarts are kept as given, a failure is cleared", kind);
  ck_session_record_clear(&record);
  ck_store_release(store, lease);
}

static void test_all(const char *url, const char *name) {
  kind = name;
  ck_store *store = fixture_open(url);
  test_generations(store);
  ck_store_close(store);
  char second[600];
  snprintf(second, sizeof second, "%s%s", url, strcmp(url, "memory:") == 0 ? "" : "_2");
  store = fixture_open(second);
  test_protection(store);
  ck_store_close(store);
  snprintf(second, sizeof second, "%s%s", url, strcmp(url, "memory:") == 0 ? "" : "_3");
  store = fixture_open(second);
  test_detach(store);
  test_hold(store);
  ck_store_close(store);
  if (strcmp(url, "memory:") == 0) return; /* no other process has it */
  snprintf(second, sizeof second, "%s_4", url);
  store = fixture_open(second);
  test_beside(store);
  ck_store_close(store);
}

static void test_postgres(const char *prefix, const char *name) {
  const char *url = postgres_server_store(prefix, name);
  if (url) test_all(url, name);
}

int main(void) {
  char url[500];
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("forks.db"));
  test_all("memory:", "memory");
  test_all(url, "sqlite");
  test_postgres("forks", "postgres");
  ck_key *key = fixture_make_key();
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("sealed.db"));
  test_all("memory:", "sealed memory");
  test_all(url, "sealed sqlite");
  test_postgres("sealed", "sealed postgres");
  ck_key_free(key);
  return tap_done();
}
