/* test_prune.c - what is pruned is gone and leaves a sound chain; what is kept loads as before,
 * whatever was dropped around it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "core/store/memory/memory.h"
#include "tests/store/fixture.h"
#include "tests/store/postgres_server.h"
#include "tests/store/history.h"
#include "tests/tap.h"

enum { MEMORY_HISTORIES = 900, SQLITE_HISTORIES = 100, STEPS = 24, THREAD_STEPS = 150 };

static const char *kind;

static ck_prune_report prune(history *past, const int64_t *seqs, size_t count) {
  ck_prune_report report;
  ck_error err = CK_ERROR_INIT;
  history_must(ck_store_prune(past->store, past->lease, seqs, count, &report, &err), &err, "prune");
  return report;
}

static bool count_listed(void *to, const ck_checkpoint_info *checkpoint) {
  *(int64_t *)to += !checkpoint->pruned;
  return true;
}

static int64_t listed(history *past) {
  int64_t count = 0;
  ck_error err = CK_ERROR_INIT;
  history_must(
      ck_store_list_checkpoints(past->store, past->lease.session, count_listed, &count, &err), &err,
      "list");
  return count;
}

static bool is_gone(history *past, size_t index) {
  ck_state *state;
  ck_error err = CK_ERROR_INIT;
  ck_status status =
      ck_store_get_state(&state, past->store, past->lease.session, past->seqs[index], &err);
  ck_state_free(state);
  return status == CK_E_NOT_FOUND && strstr(err.text, "was pruned");
}

/* ---- one by one ---- */

/* Prunes a session again that was pruned before, and once more after it was continued. */
static void prune_again(history *past) {
  ck_prune_report report = prune(past, past->seqs, 5);
  tap_ok(report.count == 0 && report.kept_count == 5 && report.emptied == 0,
         "%s: what is gone does not go again", kind);
  ck_prune_report_clear(&report);
  for (int i = 0; i < 40; i++) history_go(past, 12);
  report = prune(past, past->seqs, 0);
  ck_prune_report_clear(&report);
  tap_ok(history_loads(past, past->count - 1) && history_loads(past, 8),
         "%s: the session goes on after it", kind);
  report = prune(past, past->seqs, past->count - 1);
  tap_ok(report.bytes > 0 && fixture_verify(past->store) == 0,
         "%s: hidden payloads go when nothing needs them", kind);
  ck_prune_report_clear(&report);
}

static void test_one_session(ck_store *store) {
  history past;
  ck_checkpoint_info info;
  ck_error err = CK_ERROR_INIT;
  history_begin(&past, store, "one", 7);
  for (int i = 0; i < 12; i++) history_go(&past, 3);
  history_resume(&past, 8);
  for (int i = 0; i < 12; i++) history_go(&past, 3);
  ck_store_stats before, after;
  history_must(ck_store_get_stats(&before, store, &err), &err, "figures");
  int64_t asked[26];
  memcpy(asked, past.seqs, 24 * sizeof *asked);
  asked[24] = past.seqs[3];
  asked[25] = 1;
  ck_prune_report report = prune(&past, asked, 26);
  history_must(ck_store_get_stats(&after, store, &err), &err, "figures");
  tap_is_int((int64_t)report.count, 22,
             "%s: all go but the latest and the one that a timeline begins at", kind);
  tap_ok(report.kept_count == 3 && report.kept[0].reason == CK_KEPT_TIMELINE &&
             report.kept[1].reason == CK_KEPT_HEAD && report.kept[2].reason == CK_KEPT_GONE,
         "%s: those two and one that does not exist are reported, with the reason", kind);
  tap_ok(report.count && report.seqs[0] == past.seqs[0] && report.seqs[21] == past.seqs[22],
         "%s: the dropped ones are named", kind);
  tap_ok(report.emptied > 0 && report.emptied + report.hidden == 22,
         "%s: some payloads go, some stay hidden", kind);
  tap_is_int(before.payload_bytes - after.payload_bytes, report.bytes,
             "%s: the bytes given back are those that are gone", kind);
  tap_is_int(after.checkpoints, 2, "%s: two are counted", kind);
  tap_is_int(listed(&past), 2, "%s: two are listed", kind);
  tap_ok(history_loads(&past, 8) && history_loads(&past, 23), "%s: and load", kind);
  tap_ok(is_gone(&past, 0) && is_gone(&past, 7) && is_gone(&past, 22),
         "%s: the others answer that they were pruned", kind);
  history_must(ck_store_get_checkpoint(&info, store, past.lease.session, "checkpoint_3", 0, &err),
               &err, "get one");
  tap_ok(info.pruned && info.seq == 3, "%s: by id a pruned one is still known, as pruned", kind);
  ck_checkpoint_info_clear(&info);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  ck_prune_report_clear(&report);
  prune_again(&past);
  history_clear(&past);
}

static void test_fencing(ck_store *store) {
  history past;
  ck_prune_report report;
  ck_error err = CK_ERROR_INIT;
  history_begin(&past, store, "fenced", 8);
  for (int i = 0; i < 6; i++) history_go(&past, 3);
  ck_lease old = past.lease;
  history_resume(&past, 5);
  tap_is_status(ck_store_prune(store, old, past.seqs, 3, &report, &err), CK_E_FENCED, &err,
                "%s: an old lease prunes nothing", kind);
  tap_ok(report.count == 0 && !report.seqs && listed(&past) == 6, "%s: all are still there", kind);
  tap_is_status(ck_store_prune(store, (ck_lease){99, 1}, past.seqs, 3, &report, &err), CK_E_FENCED,
                &err, "%s: nor does none", kind);
  history_clear(&past);
}

/* A taken lease whose holder in this process does not know of it yet. */
static void test_takeover(ck_store *store) {
  fixture session;
  ck_prune_report report;
  ck_error err = CK_ERROR_INIT;
  history_must(fixture_create(&session, store, "taken", &err), &err, "create");
  int64_t first = 0;
  for (int i = 0; i < 3; i++) {
    history_must(
        fixture_commit(&session, &(fixture_step){.key = "memory.a", .value = i ? "2" : "1"}, &err),
        &err, "commit");
    if (i == 0) first = session.parent;
  }
  ck_prune_row row = {.seq = first, .stub = true, .encoding = CK_ENCODING_PRUNED};
  ck_lease stale = {session.lease.session, session.lease.epoch + 1};
  tap_is_status(store->backend.prune(store->backend.self, stale, &row, 1, &err), CK_E_FENCED, &err,
                "%s: the transaction looks at the epoch itself", kind);
  tap_is_status(store->backend.prune(store->backend.self, session.lease, &row, 1, &err),
                CK_E_CORRUPT, &err, "%s: and at each row: another digest is another row", kind);
  history_must(ck_store_prune(store, session.lease, &first, 1, &report, &err), &err, "prune");
  tap_is_int((int64_t)report.count, 1, "%s: with the right ones it is done", kind);
  ck_prune_report_clear(&report);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  ck_store_release(store, session.lease);
}

/* A fork that was made since the prune was planned. */
static void test_fork_since(ck_store *store) {
  history past, fork;
  ck_error err = CK_ERROR_INIT;
  history_begin(&past, store, "forked", 10);
  for (int i = 0; i < 4; i++) history_go(&past, 3);
  history_must(history_fork(&fork, &past, 1, "since", 11, &err), &err, "fork");
  ck_prune_row rows[] = {{.seq = past.seqs[0], .drop = true, .encoding = CK_ENCODING_PRUNED},
                         {.seq = past.seqs[1], .drop = true, .encoding = CK_ENCODING_PRUNED}};
  tap_is_status(store->backend.prune(store->backend.self, past.lease, rows, 2, &err), CK_E_BUSY,
                &err, "%s: the transaction looks for forks of what it drops", kind);
  tap_ok(listed(&past) == 4 && history_loads(&past, 0) && history_loads(&fork, 0),
         "%s: and drops nothing then", kind);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean", kind);
  history_clear(&fork);
  history_clear(&past);
}

/* ---- at random ---- */

typedef struct random_case {
  history past;
  bool gone[512], pinned[512];
  int64_t wrong;
} random_case;

static size_t pick_kept(random_case *self) {
  for (;;) {
    size_t at = (size_t)dice_pick(&self->past.random, self->past.count);
    if (!self->gone[at]) return at;
  }
}

static void check_all(random_case *self) {
  for (size_t i = 0; i < self->past.count; i++)
    self->wrong += !(self->gone[i] ? is_gone(&self->past, i) : history_loads(&self->past, i));
}

/* What a dry run says is what comes of it. */
static bool equal_reports(const ck_prune_report *a, const ck_prune_report *b) {
  bool same = a->count == b->count && a->kept_count == b->kept_count && a->emptied == b->emptied &&
              a->bytes == b->bytes && a->hidden == b->hidden;
  for (size_t i = 0; same && i < a->count; i++)
    same = a->seqs[i] == b->seqs[i] && strcmp(a->ids[i], b->ids[i]) == 0;
  for (size_t i = 0; same && i < a->kept_count; i++)
    same = a->kept[i].seq == b->kept[i].seq && a->kept[i].reason == b->kept[i].reason &&
           strcmp(a->kept[i].id, b->kept[i].id) == 0;
  return same && a->before == b->before && a->broken == b->broken;
}

/* A pin on any that is there; a pinned one never goes. */
static void pin_randomly(random_case *self) {
  ck_error err = CK_ERROR_INIT;
  size_t at = (size_t)dice_pick(&self->past.random, self->past.count);
  if (self->gone[at]) return;
  bool pinned = dice_pick(&self->past.random, 3) > 0;
  history_must(ck_store_pin(self->past.store, self->past.lease, self->past.seqs[at], pinned, &err),
               &err, "pin");
  self->pinned[at] = pinned;
}

/* Each was there, was not pinned, and is named by its own id. */
static void take_report(random_case *self, ck_prune_report *report) {
  size_t at = 0;
  for (size_t i = 0; i < self->past.count; i++) {
    if (at == report->count || self->past.seqs[i] != report->seqs[at]) continue;
    char id[CK_ID_SIZE];
    snprintf(id, sizeof id, "checkpoint_%lld", (long long)report->seqs[at]);
    self->wrong += self->gone[i] || self->pinned[i] || strcmp(id, report->ids[at]) != 0;
    self->gone[i] = true;
    at++;
  }
  self->wrong += at != report->count;
  ck_prune_report_clear(report);
}

static void prune_some(random_case *self) {
  int64_t seqs[512];
  size_t count = 0;
  uint64_t of_ten = 1 + dice_pick(&self->past.random, 9);
  for (size_t i = 0; i < self->past.count; i++)
    if (dice_pick(&self->past.random, 10) < of_ten) seqs[count++] = self->past.seqs[i];
  ck_prune_report planned;
  ck_error err = CK_ERROR_INIT;
  history_must(ck_store_plan_prune(self->past.store, self->past.id, seqs, count, &planned, &err),
               &err, "plan");
  ck_prune_report report = prune(&self->past, seqs, count);
  self->wrong += report.count + report.kept_count != count;
  self->wrong += !equal_reports(&planned, &report);
  ck_prune_report_clear(&planned);
  take_report(self, &report);
}

/* All but the latest: what the store finds itself is what comes of naming them. */
static void prune_older(random_case *self) {
  int64_t seqs[512];
  size_t count = 0, left = 0;
  size_t keep = (size_t)dice_pick(&self->past.random, 2 * STEPS);
  for (size_t i = 0; i < self->past.count; i++) left += !self->gone[i];
  for (size_t i = 0; i < self->past.count; i++)
    if (!self->gone[i] && left-- > keep) seqs[count++] = self->past.seqs[i];
  ck_prune_report named, planned, report;
  ck_error err = CK_ERROR_INIT;
  history *past = &self->past;
  history_must(ck_store_plan_prune(past->store, past->id, seqs, count, &named, &err), &err, "plan");
  history_must(ck_store_plan_prune_to(past->store, past->id, (int64_t)keep, &planned, &err), &err,
               "plan");
  history_must(ck_store_prune_to(past->store, past->lease, (int64_t)keep, &report, &err), &err,
               "prune");
  self->wrong += !equal_reports(&named, &planned) + !equal_reports(&planned, &report);
  ck_prune_report_clear(&named);
  ck_prune_report_clear(&planned);
  take_report(self, &report);
}

static void prune_randomly(random_case *self) {
  if (dice_pick(&self->past.random, 3))
    prune_some(self);
  else
    prune_older(self);
}

static int64_t live_randomly(ck_store *store, const char *id, uint64_t seed) {
  random_case *self = calloc(1, sizeof *self);
  history_begin(&self->past, store, id, seed);
  self->past.keys = 3 + (size_t)dice_pick(&self->past.random, 20);
  self->past.value_max = 20 + (size_t)dice_pick(&self->past.random, 400);
  for (int i = 0; i < STEPS; i++) {
    uint64_t dice = dice_pick(&self->past.random, 10);
    history_go(&self->past, 1 + (size_t)dice_pick(&self->past.random, 6));
    if (dice > 6) pin_randomly(self);
    if (dice < 3) {
      prune_randomly(self);
      check_all(self);
    }
    if (dice == 9) history_resume(&self->past, pick_kept(self));
  }
  prune_randomly(self);
  check_all(self);
  int64_t left = 0;
  for (size_t i = 0; i < self->past.count; i++) left += !self->gone[i];
  self->wrong += left != listed(&self->past);
  int64_t wrong = self->wrong;
  history_clear(&self->past);
  free(self);
  return wrong;
}

static void test_random(const char *url, int histories, uint64_t seed) {
  ck_store *store = fixture_open(url);
  int64_t wrong = 0;
  for (int i = 0; i < histories; i++) {
    char id[32];
    snprintf(id, sizeof id, "random_%d", i);
    wrong += live_randomly(store, id, seed + (uint64_t)i);
  }
  tap_is_int(wrong, 0,
             "%s: over %d random histories all that is kept loads byte for byte, and nothing else",
             kind, histories);
  tap_is_int(fixture_verify(store), 0, "%s: verify is clean over all of them", kind);
  ck_store_close(store);
}

/* ---- readers meanwhile ---- */

typedef struct reader {
  ck_store *store;
  int64_t session;
  _Atomic bool stop;
  int64_t loaded, gone, wrong;
  int64_t seqs[THREAD_STEPS + 1];
  size_t count;
} reader;

static bool note_seq(void *to, const ck_checkpoint_info *checkpoint) {
  reader *self = to;
  if (self->count < sizeof self->seqs / sizeof *self->seqs)
    self->seqs[self->count++] = checkpoint->seq;
  return true;
}

static void *read_on(void *to) {
  reader *self = to;
  ck_error err = CK_ERROR_INIT;
  bool last;
  do {
    last = atomic_load(&self->stop);
    ck_head head;
    self->count = 0;
    self->wrong +=
        ck_store_list_checkpoints(self->store, self->session, note_seq, self, &err) != CK_OK;
    self->wrong += ck_store_get_head(&head, self->store, "read", &err) != CK_OK;
    ck_head_clear(&head);
    for (size_t i = 0; i < self->count; i++) {
      ck_state *state;
      ck_status status =
          ck_store_get_state(&state, self->store, self->session, self->seqs[i], &err);
      self->loaded += status == CK_OK;
      self->gone += status == CK_E_NOT_FOUND;
      self->wrong += status != CK_OK && status != CK_E_NOT_FOUND;
      ck_state_free(state);
    }
    self->wrong += fixture_count_problems(self->store) != 0;
  } while (!last);
  return NULL;
}

static void test_readers(ck_store *store) {
  history past;
  pthread_t thread;
  history_begin(&past, store, "read", 9);
  reader *self = calloc(1, sizeof *self);
  self->store = store;
  self->session = past.lease.session;
  tap_must(pthread_create(&thread, NULL, read_on, self) == 0, "a thread starts");
  for (int i = 0; i < THREAD_STEPS; i++) {
    history_go(&past, 2);
    if (i % 5 != 4) continue;
    ck_prune_report report = prune(&past, past.seqs, past.count - 2);
    ck_prune_report_clear(&report);
  }
  atomic_store(&self->stop, true);
  pthread_join(thread, NULL);
  tap_is_int(self->wrong, 0,
             "%s: who reads meanwhile finds a checkpoint, or that it was pruned, and nothing wrong",
             kind);
  tap_ok(self->loaded > 0, "%s: and did read (%lld loaded, %lld gone meanwhile)", kind,
         (long long)self->loaded, (long long)self->gone);
  free(self);
  history_clear(&past);
}

/* ---- damage ---- */

static void attack(ck_checkpoint_row *row, int how) {
  if (how == 0) row->encoding ^= CK_ENCODING_PRUNED;
  if (how == 1) row->digest.bytes[3] ^= 1;
  if (how == 2) row->payload_digest.bytes[3] ^= 1;
  if (how == 3) row->totals.cost_micros++;
  if (how == 4) row->keyframe = row->seq;
  if (how == 5) row->plain_len++;
}

/* Row by row and field by field, undone each time. */
static void test_damage(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open("memory:");
  history past;
  history_begin(&past, store, "damaged", 12);
  for (int i = 0; i < 60; i++) history_go(&past, 6);
  ck_prune_report report = prune(&past, past.seqs, 55);
  tap_ok(report.hidden > 0 && report.emptied > 0, "stubs and hidden ones are there to be damaged");
  ck_prune_report_clear(&report);
  ck_memory_session *session = ((ck_memory_handle *)store->backend.self)->memory->sessions[0];
  int missed = 0;
  for (size_t i = 0; i < session->checkpoints.count; i++) {
    ck_checkpoint_row *row = session->checkpoints.rows[i], whole = *row;
    for (int how = 0; how < 6; how++) {
      attack(row, how);
      bool changed = how != 4 || whole.keyframe != row->seq;
      if (changed && fixture_count_problems(store) == 0) {
        tap_diag("row %zu, attack %d is not found", i, how);
        missed++;
      }
      *row = whole;
    }
  }
  tap_is_int(missed, 0, "whatever is changed in a stub, a hidden or a kept row is found");
  ck_checkpoint_row *head = session->checkpoints.rows[59];
  ck_head got;
  head->encoding |= CK_ENCODING_PRUNED;
  tap_is_status(ck_store_get_head(&got, store, "damaged", &err), CK_E_CORRUPT, &err,
                "a latest one that says it was pruned is not passed over");
  head->encoding &= ~CK_ENCODING_PRUNED;
  ck_checkpoint_row *older = session->checkpoints.rows[57];
  char *byte = (char *)(uintptr_t)older->payload.data + older->payload.len / 2;
  *byte ^= 1;
  report = prune(&past, &past.seqs[57], 1);
  tap_ok(report.kept_count == 1 && report.kept[0].reason == CK_KEPT_UNREADABLE &&
             report.broken >= 1 && report.count == 0,
         "one that cannot be read is not dropped, and is reported");
  ck_prune_report_clear(&report);
  *byte ^= 1;
  ((char *)(uintptr_t)head->payload.data)[head->payload.len / 2] ^= 1;
  tap_is_status(ck_store_prune(store, past.lease, &past.seqs[56], 1, &report, &err), CK_E_CORRUPT,
                &err, "and nothing is while the latest cannot be loaded");
  tap_ok(report.count == 0 && listed(&past) == 5, "not one");
  history_clear(&past);
  ck_store_close(store);
}

static void run(const char *name, const char *url) {
  static void (*const tests[])(ck_store *) = {test_one_session, test_fencing, test_takeover,
                                              test_fork_since, test_readers};
  kind = name;
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    char full[512];
    snprintf(full, sizeof full, "%s%s", url,
             strcmp(url, "memory:") != 0 ? (char[]){'_', (char)('a' + i), '\0'} : "");
    ck_store *store = fixture_open(full);
    tests[i](store);
    ck_store_close(store);
  }
}

static void run_postgres(const char *name, const char *prefix) {
  char random[40];
  const char *url = postgres_server_store(prefix, name);
  if (!url) return;
  run(name, url);
  snprintf(random, sizeof random, "%s_random", prefix);
  test_random(postgres_server_store(random, name), SQLITE_HISTORIES / 4, 5000);
}

int main(void) {
  char url[400], random[450];
  snprintf(url, sizeof url, "sqlite:%s/plain", tap_tmpdir());
  snprintf(random, sizeof random, "%s-random", url);
  run("memory", "memory:");
  test_random("memory:", MEMORY_HISTORIES, 1000);
  test_damage();
  run("sqlite", url);
  test_random(random, SQLITE_HISTORIES, 5000);
  run_postgres("postgres", "plain");
  ck_key *key = fixture_make_key();
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s/sealed", tap_tmpdir());
  snprintf(random, sizeof random, "%s-random", url);
  run("sealed memory", "memory:");
  run("sealed sqlite", url);
  test_random(random, SQLITE_HISTORIES / 4, 5000);
  run_postgres("sealed postgres", "sealed");
  ck_key_free(key);
  return tap_done();
}
