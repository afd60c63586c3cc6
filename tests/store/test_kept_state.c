/* test_kept_state.c - the state that a run goes on from is read once up to its first checkpoint,
 * which is chained to it; never when its row was pruned or written again meanwhile. */
#include <stdio.h>

#include "core/store/store_core.h"
#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/tap.h"

static const char *kind;
static ck_error err;

/* ---- a backend that counts ---- */

static ck_backend real;
static int payload_reads;
static bool other_digest; /* rows read without payload come with another digest */

typedef struct forwarding {
  ck_checkpoint_row_visit visit;
  void *to;
} forwarding;

static bool forward(void *to, const ck_checkpoint_row *row) {
  const forwarding *self = to;
  ck_checkpoint_row changed = *row;
  changed.digest.bytes[0] ^= 1;
  return self->visit(self->to, other_digest && !row->payload.data ? &changed : row);
}

static ck_status count_reads(void *self, const ck_checkpoint_rows *rows,
                             ck_checkpoint_row_visit visit, void *to, ck_error *failure) {
  forwarding through = {visit, to};
  payload_reads += rows->payloads;
  return real.read_checkpoints(self, rows, forward, &through, failure);
}

static int reads_since(void) {
  int count = payload_reads;
  payload_reads = 0;
  return count;
}

/* ---- the promises ---- */

static bool goes_on(const history *of, int64_t session, size_t index) {
  ck_state *state;
  ck_status status = ck_store_get_state_to_go_on(&state, of->store, session, of->seqs[index], &err);
  bool same = status == CK_OK && history_equal(state, of->states[index]);
  if (status == CK_OK) ck_state_remove(state, "memory.key_1"); /* the caller's own */
  ck_state_free(state);
  return same;
}

static void test_once(history *past) {
  history_resume(past, past->count - 1);
  reads_since();
  tap_ok(goes_on(past, past->lease.session, past->count - 1) && reads_since() == 1,
         "%s: it is read", kind);
  tap_ok(goes_on(past, past->lease.session, past->count - 1) && reads_since() == 0,
         "%s: and not read again", kind);
  tap_ok(history_loads(past, past->count - 1) && reads_since() == 1,
         "%s: who asks for a state as such reads it", kind);
  tap_ok(goes_on(past, past->lease.session, past->count - 1), "%s: it is still there", kind);
  reads_since();
  history_go(past, 3);
  tap_is_int(reads_since(), 0, "%s: the next checkpoint is made without reading it", kind);
  for (size_t i = 0; i < 3; i++) history_go(past, 3);
  bool loads = true;
  for (size_t i = 0; i < past->count; i++) loads &= history_loads(past, i);
  tap_ok(loads, "%s: every checkpoint loads as it was", kind);
  tap_is_int(fixture_verify(past->store), 0, "%s: the chain is sound", kind);
  reads_since();
  tap_ok(goes_on(past, past->lease.session, past->count - 5) && reads_since() == 1,
         "%s: it was dropped with that checkpoint", kind);
}

static void test_another(history *past, ck_store *store) {
  history fork;
  int64_t session = past->lease.session;
  tap_ok(goes_on(past, session, 2) && goes_on(past, session, 3), "%s: another checkpoint", kind);
  tap_must(history_fork(&fork, past, 2, "fork", 5, &err) == CK_OK, "a fork: %s", err.text);
  reads_since();
  tap_ok(goes_on(past, fork.lease.session, 2) && reads_since() == 1 &&
             goes_on(past, fork.lease.session, 2) && reads_since() == 0,
         "%s: what a fork inherits is kept under its own number", kind);
  tap_is_int(fixture_verify(store), 0, "%s: both are sound", kind);
  history_clear(&fork);
}

static void test_changed(history *past) {
  ck_state *state;
  ck_prune_report report;
  int64_t session = past->lease.session;
  tap_ok(goes_on(past, session, 4), "%s: a state that is kept", kind);
  other_digest = true;
  reads_since();
  ck_status status = ck_store_get_state_to_go_on(&state, past->store, session, past->seqs[4], &err);
  tap_ok(reads_since() == 1, "%s: of a row that is another one now nothing is kept (%d)", kind,
         (int)status);
  ck_state_free(state);
  other_digest = false;
  tap_ok(goes_on(past, session, 4), "%s: it is kept again", kind);
  history_must(ck_store_prune(past->store, past->lease, &past->seqs[4], 1, &report, &err), &err,
               "prune");
  tap_is_int((int64_t)report.count, 1, "%s: and pruned", kind);
  ck_prune_report_clear(&report);
  tap_is_status(ck_store_get_state_to_go_on(&state, past->store, session, past->seqs[4], &err),
                CK_E_NOT_FOUND, &err, "%s: one that was pruned meanwhile is not gone on from",
                kind);
}

static void test_kind(const char *name, const char *url) {
  history past;
  kind = name;
  ck_store *store = fixture_open(url);
  real = store->backend;
  store->backend.read_checkpoints = count_reads;
  history_begin(&past, store, "one", 11);
  for (int i = 0; i < 8; i++) history_go(&past, 4);
  test_once(&past);
  test_changed(&past);
  test_another(&past, store);
  history_clear(&past);
  ck_store_close(store);
}

int main(void) {
  char url[600];
  test_kind("memory", "memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("kept.db"));
  test_kind("sqlite", url);
  ck_key *key = fixture_make_key();
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("sealed.db"));
  test_kind("sealed", url);
  ck_key_free(key);
  return tap_done();
}
