/* test_chain.c - every checkpoint of every history loads byte for byte, whatever failed on the way,
 * and costs what it should. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/store_core.h"
#include "tests/store/history.h"
#include "tests/tap.h"

static test_dice dice = {4711};

static ck_store *open_store(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  history_must(ck_store_open(&store, "memory:", &(ck_store_options){.create = true}, &err), &err,
               "open a store");
  return store;
}

static void show_problem(void *to, const char *session_id, int64_t seq, ck_status status,
                         const char *text) {
  (void)to;
  tap_diag("%s %lld %s: %s", session_id, (long long)seq, ck_status_name(status), text);
}

static int64_t problems_of(ck_store *store) {
  ck_error err = CK_ERROR_INIT;
  ck_verify_report report;
  history_must(ck_store_verify(&report, store, NULL, show_problem, NULL, &err), &err, "verify");
  return report.problems;
}

static ck_checkpoint_info info_of(history *past, size_t index) {
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info info;
  int64_t seq = past->seqs[index];
  history_must(ck_store_get_checkpoint(&info, past->store, past->lease.session, NULL, seq, &err),
               &err, "get a checkpoint");
  ck_value_free(info.info);
  info.info = NULL;
  return info;
}

static bool is_keyframe(history *past, size_t index) {
  ck_checkpoint_info info = info_of(past, index);
  return info.keyframe == info.seq;
}

/* ---- random histories ---- */

static int live_randomly(ck_store *store, int number) {
  history past;
  char id[CK_ID_SIZE];
  int wrong = 0;
  snprintf(id, sizeof id, "random_%d", number);
  history_begin(&past, store, id, (uint64_t)number);
  past.keys = 1 + dice_pick(&dice, 30);
  past.value_max = 2 + dice_pick(&dice, number % 10 ? 400 : 30000);
  for (uint64_t steps = 1 + dice_pick(&dice, 25); steps > 0; steps--) {
    history_go(&past, dice_pick(&dice, 5));
    if (dice_pick(&dice, 8) == 0) history_resume(&past, dice_pick(&dice, past.count));
  }
  for (size_t i = 0; i < past.count; i++) wrong += !history_loads(&past, i);
  history_clear(&past);
  return wrong;
}

static void test_random_histories(void) {
  ck_store *store = open_store();
  int wrong = 0;
  for (int i = 0; i < 1000; i++) wrong += live_randomly(store, i);
  tap_is_int(wrong, 0,
             "each checkpoint of 1,000 random histories with resumes loads byte for byte");
  tap_is_int(problems_of(store), 0, "and verify finds nothing wrong with them");
  ck_store_close(store);
}

/* ---- what it costs ---- */

static void test_bounds(const char *what, bool grow, size_t keys, size_t value_max) {
  ck_store *store = open_store();
  history past;
  size_t written = 0, worst = 0, since = 0;
  history_begin(&past, store, "bounds", 3);
  past.keys = keys;
  past.value_max = value_max;
  for (size_t i = 0; i < keys; i++) history_go(&past, 1);
  past.grow = grow;
  for (int i = 0; i < 1500; i++) history_go(&past, 1);
  for (size_t i = 0; i < past.count; i++) {
    ck_checkpoint_info info = info_of(&past, i);
    written += (size_t)info.plain_bytes;
    since = info.keyframe == info.seq ? (size_t)info.plain_bytes : since + (size_t)info.plain_bytes;
    size_t state = ck_state_bytes(past.states[i]) + 64 * ck_state_count(past.states[i]) + 128;
    size_t percent = since * 100 / state;
    if (percent > worst) worst = percent;
  }
  size_t changed = past.changed_bytes + past.count * 80;
  tap_ok(written <= changed * 2, "%s: %zu bytes written for %zu that changed: below twice", what,
         written, changed);
  tap_ok(worst <= 210, "%s: a load reads at most twice the state (%zu %%)", what, worst);
  tap_ok(history_loads(&past, past.count - 1) && history_loads(&past, past.count / 2),
         "%s: and it loads", what);
  history_clear(&past);
  ck_store_close(store);
}

static void test_growing_list(void) {
  ck_store *store = open_store();
  history past;
  history_begin(&past, store, "list", 5);
  past.keys = 1;
  past.value_max = 20000;
  do history_go(&past, 1);
  while (ck_state_bytes(past.state) < 8000);
  past.grow = true;
  past.value_max = 800;
  size_t begin = past.count, before = ck_state_bytes(past.state), written = 0, keyframes = 0;
  for (int i = 0; i < 1000; i++) history_go(&past, 1);
  for (size_t i = begin; i < past.count; i++) {
    ck_checkpoint_info info = info_of(&past, i);
    keyframes += info.keyframe == info.seq;
    written += info.keyframe == info.seq ? 0 : (size_t)info.plain_bytes;
  }
  size_t grown = ck_state_bytes(past.state) - before;
  tap_ok(written <= grown + 1000 * 100,
         "a list that grew by %zu bytes in 1,000 steps wrote %zu bytes of deltas", grown, written);
  tap_ok(keyframes < 20, "and %zu keyframes", keyframes);
  tap_ok(history_loads(&past, past.count - 1), "and loads");
  tap_is_int(problems_of(store), 0, "and verifies");
  history_clear(&past);
  ck_store_close(store);
}

static void test_delta_limit(void) {
  ck_store *store = open_store();
  history past;
  history_begin(&past, store, "limit", 9);
  past.keys = 1;
  past.value_max = 400000;
  do history_go(&past, 1);
  while (ck_state_bytes(past.state) < 200000);
  past.grow = true;
  past.value_max = 2;
  size_t begin = past.count, run = 0, longest = 0;
  for (int i = 0; i < 1100; i++) history_go(&past, 1);
  for (size_t i = begin; i < past.count; i++) {
    run = is_keyframe(&past, i) ? 0 : run + 1;
    if (run > longest) longest = run;
  }
  tap_is_int((int64_t)longest, 512, "after 512 deltas of a small state there is a keyframe");
  history_clear(&past);
  ck_store_close(store);
}

/* ---- failures on the way ---- */

/* A backend whose next commits fail. */
static ck_status fail_with;
static int fail_count;
static ck_status (*real_commit)(void *self, ck_row_batch *batches, size_t count,
                                ck_durability durability, ck_error *err);

static ck_status failing_commit(void *self, ck_row_batch *batches, size_t count,
                                ck_durability durability, ck_error *err) {
  if (fail_count == 0) return real_commit(self, batches, count, durability, err);
  fail_count--;
  return ck_error_set(err, fail_with, "as the test wishes");
}

static ck_store *open_failing(void) {
  ck_store *store = open_store();
  real_commit = store->backend.commit;
  store->backend.commit = failing_commit;
  return store;
}

static void test_failed_commit(ck_status status) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_failing();
  history past;
  history_step step;
  history_begin(&past, store, "failed", 13);
  for (int i = 0; i < 30; i++) history_go(&past, 3);
  history_prepare(&past, &step, 3);
  fail_count = 1;
  fail_with = status;
  tap_is_int(ck_store_commit(store, &step.batch, 1, &err), status, "%s is passed on",
             ck_status_name(status));
  tap_is_int(step.batch.status, status, "%s: to the batch too", ck_status_name(status));
  history_drop(&step);
  if (status == CK_E_UNKNOWN) {
    history_prepare(&past, &step, 1);
    tap_is_int(ck_store_commit(store, &step.batch, 1, &err), CK_E_UNKNOWN,
               "no write is accepted before a recover");
    tap_is_int(ck_store_sync(store, &err), CK_E_UNKNOWN, "nor a sync");
    history_drop(&step);
    tap_is_int(ck_store_recover(store, &err), CK_OK, "recover");
  }
  for (int i = 0; i < 10; i++) history_go(&past, 3);
  tap_ok(is_keyframe(&past, 30), "%s: the next checkpoint is a keyframe", ck_status_name(status));
  int wrong = 0;
  for (size_t i = 0; i < past.count; i++) wrong += !history_loads(&past, i);
  tap_is_int(wrong, 0, "%s: what failed left no trace in any state", ck_status_name(status));
  tap_is_int(problems_of(store), 0, "%s: nor in any digest", ck_status_name(status));
  history_clear(&past);
  ck_store_close(store);
}

/* A batch of wrong seqs, and one behind it that would follow what is in the store. */
static void test_dropped_batch(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store();
  history past;
  history_step wrong, good;
  history_begin(&past, store, "dropped", 17);
  for (int i = 0; i < 5; i++) history_go(&past, 2);
  past.seq += 4;
  history_prepare(&past, &wrong, 2);
  past.seq -= 4;
  history_prepare(&past, &good, 2);
  ck_batch round[] = {wrong.batch, good.batch};
  tap_is_int(ck_store_commit(store, round, 2, &err), CK_OK,
             "a round with a wrong batch is no failure");
  tap_is_int(round[0].status, CK_E_RANGE, "the wrong batch is dropped");
  tap_is_int(round[1].status, CK_E_RANGE, "and the later ones of its session with it");
  history_drop(&wrong);
  history_drop(&good);
  history_prepare(&past, &good, 2);
  good.checkpoint.parent = 2;
  tap_ok(
      ck_store_commit(store, &good.batch, 1, &err) == CK_OK && good.batch.status == CK_E_NOT_FOUND,
      "an unknown parent is an error");
  history_drop(&good);
  history_prepare(&past, &good, 2);
  good.checkpoint.seq++;
  tap_ok(ck_store_commit(store, &good.batch, 1, &err) == CK_OK && good.batch.status == CK_E_RANGE,
         "a checkpoint without its event is an error");
  history_drop(&good);
  for (int i = 0; i < 5; i++) history_go(&past, 2);
  tap_ok(history_loads(&past, past.count - 1), "the session goes on");
  tap_is_int(problems_of(store), 0, "and verifies");
  history_clear(&past);
  ck_store_close(store);
}

static void test_fenced(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store();
  history past;
  history_step step;
  history_begin(&past, store, "fenced", 19);
  for (int i = 0; i < 5; i++) history_go(&past, 2);
  history_prepare(&past, &step, 2);
  history_resume(&past, 2);
  tap_ok(ck_store_commit(store, &step.batch, 1, &err) == CK_OK && step.batch.status == CK_E_FENCED,
         "an older lease is fenced");
  history_drop(&step);
  history_go(&past, 2);
  ck_store_release(store, past.lease);
  history_prepare(&past, &step, 2);
  tap_ok(ck_store_commit(store, &step.batch, 1, &err) == CK_OK && step.batch.status == CK_E_FENCED,
         "so is one that was given back");
  step.batch.lease.session = 99;
  tap_ok(
      ck_store_commit(store, &step.batch, 1, &err) == CK_OK && step.batch.status == CK_E_NOT_FOUND,
      "a session that does not exist has a status of its own");
  history_drop(&step);
  int wrong = 0;
  for (size_t i = 0; i < past.count; i++) wrong += !history_loads(&past, i);
  tap_is_int(wrong + problems_of(store), 0, "and nothing of it is in the store");
  history_clear(&past);
  ck_store_close(store);
}

/* Several checkpoints of one session, and those of others, in one transaction. */
static void test_round(void) {
  enum { SESSIONS = 5, STEPS = 4 };
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store();
  history past[SESSIONS];
  int wrong = 0;
  for (int i = 0; i < SESSIONS; i++) {
    char id[CK_ID_SIZE];
    snprintf(id, sizeof id, "round_%d", i);
    history_begin(&past[i], store, id, (uint64_t)i);
  }
  for (int round = 0; round < 40; round++) {
    history_step steps[SESSIONS * STEPS];
    ck_batch batches[SESSIONS * STEPS];
    for (int i = 0; i < SESSIONS * STEPS; i++) {
      history *one = &past[i % SESSIONS];
      history_prepare(one, &steps[i], 2);
      batches[i] = steps[i].batch;
      one->seq = one->parent = steps[i].checkpoint.seq;
      ck_state_free(one->state);
      history_must(ck_state_copy(&one->state, steps[i].state, &err), &err, "copy a state");
    }
    history_must(ck_store_commit(store, batches, SESSIONS * STEPS, &err), &err, "commit a round");
    for (int i = 0; i < SESSIONS * STEPS; i++) {
      wrong += batches[i].status != CK_OK;
      history_apply(&past[i % SESSIONS], &steps[i]);
    }
  }
  for (int i = 0; i < SESSIONS; i++) {
    for (size_t k = 0; k < past[i].count; k++) wrong += !history_loads(&past[i], k);
    history_clear(&past[i]);
  }
  tap_is_int(wrong, 0, "four checkpoints of each of five sessions in one round follow each other");
  tap_is_int(problems_of(store), 0, "and verify");
  ck_store_close(store);
}

/* ---- limits ---- */

static void test_oversize(void) {
  enum { KEYS = 17, LEN = 64 << 20 };
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store();
  history past;
  history_step step;
  history_begin(&past, store, "oversize", 23);
  history_prepare(&past, &step, 0);
  ck_buffer text = {0};
  memset(ck_buffer_extend(&text, LEN), '1', LEN);
  ck_value *large;
  history_must(ck_value_copy(&large, ck_buffer_bytes(&text), &err), &err, "make a large value");
  ck_buffer_clear(&text);
  free(step.checkpoint.changes);
  step.checkpoint.changes = calloc(KEYS, sizeof *step.checkpoint.changes);
  for (size_t i = 0; i < KEYS; i++) {
    char key[20];
    snprintf(key, sizeof key, "k%zu", i);
    step.checkpoint.changes[i] = (ck_change){strdup(key), ck_value_share(large)};
  }
  step.checkpoint.change_count = KEYS;
  tap_ok(
      ck_store_commit(store, &step.batch, 1, &err) == CK_OK && step.batch.status == CK_E_OVERSIZE,
      "a state beyond 1 GiB is refused before it is copied");
  history_drop(&step);
  history_prepare(&past, &step, 0);
  step.checkpoint.changes[0] = (ck_change){strdup("twice"), ck_value_share(large)};
  step.checkpoint.changes = realloc(step.checkpoint.changes, 2 * sizeof *step.checkpoint.changes);
  step.checkpoint.changes[1] = (ck_change){strdup("twice"), NULL};
  step.checkpoint.change_count = 2;
  tap_ok(ck_store_commit(store, &step.batch, 1, &err) == CK_OK && step.batch.status == CK_E_USAGE,
         "a key cannot change twice");
  history_drop(&step);
  ck_value_free(large);
  history_go(&past, 1);
  tap_ok(history_loads(&past, 0), "and the session goes on");
  history_clear(&past);
  ck_store_close(store);
}

/* ---- heads ---- */

static int rows_seen;
static ck_checkpoint_row_visit real_visit;
static void *real_to;
static ck_status (*real_read)(void *self, const ck_checkpoint_rows *rows,
                              ck_checkpoint_row_visit visit, void *to, ck_error *err);

static bool count_row(void *to, const ck_checkpoint_row *row) {
  (void)to;
  rows_seen++;
  return real_visit(real_to, row);
}

static ck_status counting_read(void *self, const ck_checkpoint_rows *rows,
                               ck_checkpoint_row_visit visit, void *to, ck_error *err) {
  real_visit = visit;
  real_to = to;
  return real_read(self, rows, count_row, NULL, err);
}

static void test_head(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store = open_store();
  history past;
  ck_head head;
  history_begin(&past, store, "head", 29);
  history_must(ck_store_get_head(&head, store, "head", &err), &err, "get a head");
  tap_ok(!head.has_checkpoint && !head.has_latest && head.last_seq == 1,
         "a session without checkpoints has none");
  ck_head_clear(&head);
  for (int i = 0; i < 200; i++) history_go(&past, 1);
  history_resume(&past, 9);
  real_read = store->backend.read_checkpoints;
  store->backend.read_checkpoints = counting_read;
  rows_seen = 0;
  history_must(ck_store_get_head(&head, store, "head", &err), &err, "get a head");
  tap_is_int(head.checkpoint.seq, past.seqs[9],
             "the head's checkpoint is the one that the live timeline sees");
  tap_is_int(head.latest.seq, past.seqs[199], "the latest is the last of all");
  tap_ok(rows_seen <= 3, "and %d rows were read, not 200", rows_seen);
  ck_head_clear(&head);
  history_clear(&past);
  ck_store_close(store);
}

int main(void) {
  test_random_histories();
  test_bounds("edits of small values", false, 40, 300);
  test_bounds("edits of large values", false, 5, 20000);
  test_bounds("values that grow", true, 10, 2000);
  test_growing_list();
  test_delta_limit();
  test_failed_commit(CK_E_FULL);
  test_failed_commit(CK_E_UNKNOWN);
  test_dropped_batch();
  test_fenced();
  test_round();
  test_oversize();
  test_head();
  return tap_done();
}
