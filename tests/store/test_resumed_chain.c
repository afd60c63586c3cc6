/* test_resumed_chain.c - a run that goes on from its session's last checkpoint writes the changes
 * alone; from any other one, or one of another session, a keyframe. However short the runs are, a
 * load reads no more than twice the state, and each checkpoint loads what it held. */
#include <stdio.h>

#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/tap.h"

enum { RUNS = 120 };

static const char *kind;
static ck_error err;

/* ---- what the rows say ---- */

typedef struct row {
  int64_t seq, parent, keyframe, plain_len;
} row;
typedef struct rows {
  row list[RUNS * 4];
  size_t count;
} rows;

static bool add_row(void *to, const ck_checkpoint_row *from) {
  rows *self = to;
  self->list[self->count++] = (row){from->seq, from->parent, from->keyframe, from->plain_len};
  return self->count < sizeof self->list / sizeof *self->list;
}

static void read_rows(rows *out, const history *of) {
  out->count = 0;
  history_must(of->store->backend.read_checkpoints(
                   of->store->backend.self, &(ck_checkpoint_rows){.session = of->lease.session},
                   add_row, out, &err),
               &err, "read the checkpoints");
}

static const row *row_at(const rows *self, int64_t seq) {
  for (size_t i = 0; i < self->count; i++)
    if (self->list[i].seq == seq) return &self->list[i];
  tap_must(false, "there is no checkpoint at %lld", (long long)seq);
  return NULL;
}

static bool is_keyframe(const history *of, size_t index) {
  rows all;
  read_rows(&all, of);
  const row *at = row_at(&all, of->seqs[index]);
  return at->keyframe == at->seq;
}

/* What a load of it reads: its own bytes, and those of its parents up to the keyframe. */
static int64_t bytes_to_load(const rows *self, int64_t seq, size_t *deltas) {
  int64_t bytes = 0;
  for (*deltas = 0;; ++*deltas) {
    const row *at = row_at(self, seq);
    bytes += at->plain_len;
    if (at->keyframe == at->seq) return bytes;
    seq = at->parent;
  }
}

/* ---- the promises ---- */

/* As a resume does: the state is read for the next checkpoint, then the session is acquired. */
static void go_on(history *self, size_t index) {
  ck_state *state;
  history_must(ck_store_get_state_to_go_on(&state, self->store, self->lease.session,
                                           self->seqs[index], &err),
               &err, "the state to go on from");
  ck_state_free(state);
  history_resume(self, index);
}

static bool all_load(history *self) {
  bool loads = true;
  for (size_t i = 0; i < self->count; i++) loads &= history_loads(self, i);
  return loads;
}

static void test_last(history *past) {
  for (size_t i = 0; i < 4; i++) history_go(past, 2);
  go_on(past, past->count - 1);
  history_go(past, 1);
  tap_ok(!is_keyframe(past, past->count - 1), "%s: behind the last one stands a delta", kind);
  history_resume(past, past->count - 1);
  history_go(past, 1);
  tap_ok(is_keyframe(past, past->count - 1), "%s: a keyframe, where nobody read the state before",
         kind);
  tap_ok(all_load(past), "%s: each loads", kind);
}

static void test_older(history *past) {
  go_on(past, past->count - 3);
  history_go(past, 1);
  tap_ok(is_keyframe(past, past->count - 1), "%s: behind an older one stands a keyframe", kind);
  go_on(past, past->count - 1);
  history_go(past, 1);
  tap_ok(!is_keyframe(past, past->count - 1), "%s: and behind that a delta again", kind);
  tap_ok(all_load(past), "%s: each loads", kind);
}

static void test_fork(history *past) {
  history fork;
  size_t base = past->count - 1;
  tap_must(history_fork(&fork, past, base, "fork", 5, &err) == CK_OK, "a fork: %s", err.text);
  tap_ok(is_keyframe(&fork, 0), "%s: a fork begins with a keyframe of its own", kind);
  history_clear(&fork);
}

/* Keyframes and deltas as one run would have them: the first one of each run is no exception. */
static void test_short_runs(history *past) {
  rows all;
  size_t deltas, most = 0, keyframes = 0, over = 0;
  for (int run = 0; run < RUNS; run++) {
    go_on(past, past->count - 1);
    for (uint64_t step = dice_pick(&past->random, 3) + 1; step--;) history_go(past, 1);
  }
  read_rows(&all, past);
  for (size_t i = 0; i < past->count; i++) {
    const row *at = row_at(&all, past->seqs[i]);
    bool is_one = at->keyframe == at->seq;
    int64_t bytes = bytes_to_load(&all, at->seq, &deltas);
    keyframes += is_one;
    most = deltas > most ? deltas : most;
    over += !is_one && bytes >= 2 * (int64_t)ck_state_bytes(past->states[i]);
  }
  tap_is_int((int64_t)over, 0, "%s: no load reads more than twice the state", kind);
  tap_ok(most > 4 && keyframes < past->count / 4, "%s: up to %zu deltas, %zu keyframes of %zu",
         kind, most, keyframes, past->count);
  tap_ok(all_load(past), "%s: each loads what it held", kind);
  tap_is_int(fixture_verify(past->store), 0, "%s: the chain is sound", kind);
}

static void test_pruned(history *past) {
  ck_prune_report report;
  history_must(ck_store_prune_to(past->store, past->lease, 3, &report, &err), &err, "prune");
  tap_ok(report.count > 0 && report.hidden > 0, "%s: %zu are dropped, %lld of them hidden", kind,
         report.count, (long long)report.hidden);
  ck_prune_report_clear(&report);
  bool loads = true;
  for (size_t i = past->count - 3; i < past->count; i++) loads &= history_loads(past, i);
  tap_ok(loads, "%s: those that are kept load through runs that were dropped", kind);
  go_on(past, past->count - 1);
  history_go(past, 1);
  tap_ok(history_loads(past, past->count - 1), "%s: a run goes on from there", kind);
  tap_is_int(fixture_verify(past->store), 0, "%s: the chain is sound", kind);
}

static void test_kind(const char *name, const char *url) {
  history past;
  kind = name;
  ck_store *store = fixture_open(url);
  history_begin(&past, store, "one", 23);
  past.keys = 40;
  for (int i = 0; i < 6; i++) history_go(&past, 12);
  test_last(&past);
  test_older(&past);
  test_fork(&past);
  test_short_runs(&past);
  test_pruned(&past);
  history_clear(&past);
  ck_store_close(store);
}

int main(void) {
  char url[600];
  test_kind("memory", "memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("resumed.db"));
  test_kind("sqlite", url);
  ck_key *key = fixture_make_key();
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("sealed.db"));
  test_kind("sealed", url);
  ck_key_free(key);
  return tap_done();
}
