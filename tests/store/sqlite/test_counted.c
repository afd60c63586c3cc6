/* test_counted.c - checkpoints are counted as many as are listed, whatever of them a row of meta
 * has: random histories of long runs, prunes and further runs, in a store that is opened again. */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/checkpoint_list.h"
#include "core/store/sqlite/counted.h"
#include "core/store/verify.h"
#include "tests/store/history.h"
#include "tests/tap.h"

enum { HISTORIES = 4, STEPS = 14, LONG = 300 };

static ck_error err;

static bool count_one(void *to, const ck_checkpoint_info *checkpoint) {
  ck_checkpoint_count *self = to;
  self->checkpoints++;
  self->keyframes += checkpoint->keyframe == checkpoint->seq;
  self->stored_bytes += checkpoint->stored_bytes;
  return true;
}

static bool agrees(ck_store *store, int64_t session) {
  ck_checkpoint_count counted, listed = {0};
  history_must(ck_store_count_checkpoints(&counted, store, session, &err), &err, "count");
  history_must(ck_store_list_checkpoints(store, session, count_one, &listed, &err), &err, "list");
  bool same = counted.checkpoints == listed.checkpoints && counted.keyframes == listed.keyframes &&
              counted.stored_bytes == listed.stored_bytes;
  if (!same)
    tap_diag("session %lld: %lld counted, %lld listed", (long long)session,
             (long long)counted.checkpoints, (long long)listed.checkpoints);
  return same;
}

static int64_t count_rows(const char *path) {
  sqlite3 *db = NULL;
  sqlite3_stmt *stmt = NULL;
  bool ok = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
            sqlite3_prepare_v2(db, "SELECT count(*) FROM meta WHERE key GLOB 'checkpoints:*'", -1,
                               &stmt, NULL) == SQLITE_OK &&
            sqlite3_step(stmt) == SQLITE_ROW;
  tap_must(ok, "the rows are counted");
  int64_t rows = sqlite3_column_int64(stmt, 0);
  sqlite3_finalize(stmt);
  sqlite3_close(db);
  return rows;
}

/* Some of the last ones, which a row that is not taken away would still count. */
static void prune(history *past) {
  int64_t *seqs = calloc(past->count, sizeof *seqs);
  size_t count = 0;
  ck_prune_report report, plan;
  tap_must(seqs != NULL, "memory");
  for (size_t i = 0; i < past->count; i++)
    if (dice_pick(&past->random, 3)) seqs[count++] = past->seqs[i];
  history_must(ck_store_prune(past->store, past->lease, seqs, count, &report, &err), &err, "prune");
  history_must(ck_store_plan_prune(past->store, past->id, NULL, 0, &plan, &err), &err, "plan");
  ck_checkpoint_count left;
  history_must(ck_store_count_checkpoints(&left, past->store, past->lease.session, &err), &err,
               "count");
  tap_must(plan.before <= left.checkpoints && plan.count == 0, "a plan counts its own");
  ck_prune_report_clear(&plan);
  ck_prune_report_clear(&report);
  free(seqs);
}

static void step(history *past) {
  uint64_t what = dice_pick(&past->random, 8), steps = dice_pick(&past->random, LONG);
  if (what == 0)
    prune(past);
  else if (what == 1 && past->count)
    history_resume(past, past->count - 1);
  else
    for (uint64_t i = 0; i < steps; i++) history_go(past, 1);
}

static void try_history(ck_store *store, const char *path, unsigned seed, int64_t *rows,
                        int *right) {
  history past = {0};
  char id[16];
  snprintf(id, sizeof id, "h%u", seed);
  history_begin(&past, store, id, seed);
  bool same = true;
  for (int i = 0; i < STEPS && same; i++) {
    step(&past);
    same = agrees(store, past.lease.session);
    *rows += count_rows(path);
  }
  *right += same;
  ck_store_release(store, past.lease);
  history_clear(&past);
}

static void tell(void *to, const char *id, int64_t seq, ck_status status, const char *text) {
  (void)to, (void)status;
  tap_diag("%s at %lld: %s", id, (long long)seq, text);
}

int main(void) {
  const char *path = tap_tmpfile("counted.db");
  char url[500];
  ck_store *store;
  ck_verify_report report;
  int64_t rows = 0;
  int right = 0;
  snprintf(url, sizeof url, "sqlite:%s", path);
  for (unsigned seed = 1; seed <= HISTORIES; seed++) {
    history_must(ck_store_open(&store, url, &(ck_store_options){.create = true}, &err), &err,
                 "open");
    try_history(store, path, seed, &rows, &right);
    ck_store_close(store);
  }
  tap_is_int(right, HISTORIES, "as many are counted as are listed, in random histories");
  tap_ok(rows > STEPS, "which have rows that count them (%lld)", (long long)rows);
  history_must(ck_store_open(&store, url, &(ck_store_options){0}, &err), &err, "open");
  history_must(ck_store_verify(&report, store, NULL, tell, NULL, &err), &err, "verify");
  tap_is_int(report.problems, 0, "verify finds that the rows are right");
  ck_store_close(store);
  return tap_done();
}
