/* test_prune_page.c - a page of a plan says of each checkpoint that it looks at what the plan of
 * all says, and counts the others: over random sessions with runs that went back, pins, forks,
 * earlier prunes, checkpoints that no resume takes, and payloads that cannot be read. */
#include <stdio.h>
#include <string.h>

#include "core/store/store_core.h"
#include "tests/dice.h"
#include "tests/store/fixture.h"
#include "tests/store/history.h"
#include "tests/tap.h"

enum { SESSIONS = 12, STEPS = 14 };

static const char *kind;
static ck_error err;

/* ---- a backend with a payload that cannot be read ---- */

static ck_backend real;
static int64_t damaged; /* its seq; 0: none */
static int payloads;    /* that were read */

typedef struct forwarding {
  ck_checkpoint_row_visit visit;
  void *to;
} forwarding;

static bool forward(void *to, const ck_checkpoint_row *row) {
  const forwarding *self = to;
  ck_checkpoint_row changed = *row;
  payloads += row->payload.data != NULL;
  if (row->seq == damaged) changed.payload_digest.bytes[0] ^= 1;
  return self->visit(self->to, &changed);
}

static ck_status read_rows(void *self, const ck_checkpoint_rows *rows,
                           ck_checkpoint_row_visit visit, void *to, ck_error *failure) {
  forwarding through = {visit, to};
  return real.read_checkpoints(self, rows, forward, &through, failure);
}

/* ---- a session ---- */

static void go(history *self, bool resumable) {
  history_step step;
  history_prepare(self, &step, 2);
  step.checkpoint.resumable = resumable;
  history_must(ck_store_commit(self->store, &step.batch, 1, &err), &err, "commit");
  history_must(step.batch.status, &err, "commit a batch");
  history_apply(self, &step);
}

static void prune_some(history *self) {
  ck_prune_report report;
  history_must(
      ck_store_prune_to(self->store, self->lease,
                        STEPS / 2 + (int64_t)dice_pick(&self->random, STEPS), &report, &err),
      &err, "prune");
  ck_prune_report_clear(&report);
}

static bool is_there(const history *self, size_t index) {
  ck_checkpoint_info info;
  ck_error ignored = CK_ERROR_INIT;
  bool there = ck_store_get_checkpoint(&info, self->store, self->lease.session, NULL,
                                       self->seqs[index], &ignored) == CK_OK &&
               !info.pruned;
  ck_checkpoint_info_clear(&info);
  return there;
}

static void make(history *self, ck_store *store, int number) {
  char id[32];
  snprintf(id, sizeof id, "session_%d", number);
  history_begin(self, store, id, (uint64_t)number + 1);
  for (int i = 0; i < STEPS; i++) {
    go(self, dice_pick(&self->random, 3) > 0);
    size_t any = dice_pick(&self->random, self->count);
    if (!is_there(self, any)) continue;
    if (dice_pick(&self->random, 8) == 0) history_resume(self, any);
    if (dice_pick(&self->random, 8) == 0)
      history_must(ck_store_pin(store, self->lease, self->seqs[any], true, &err), &err, "pin");
    if (dice_pick(&self->random, 8) == 0) prune_some(self);
  }
  damaged = dice_pick(&self->random, 2) ? self->seqs[dice_pick(&self->random, self->count / 2)] : 0;
}

/* ---- the promises ---- */

/* Of all that are asked to go, oldest first: whether the n-th goes, and else why it stays. */
typedef struct verdict {
  int64_t seq, kept; /* -1: it goes */
} verdict;

static size_t list(verdict *out, const ck_prune_report *report) {
  size_t count = 0, dropped = 0, kept = 0;
  while (dropped < report->count || kept < report->kept_count) {
    bool goes = kept == report->kept_count ||
                (dropped < report->count && report->seqs[dropped] < report->kept[kept].seq);
    out[count++] = goes ? (verdict){report->seqs[dropped], -1}
                        : (verdict){report->kept[kept].seq, report->kept[kept].reason};
    goes ? dropped++ : kept++;
  }
  return count;
}

typedef struct sums {
  int pages, wrong, over, kept, failed;
} sums;

static void compare(sums *of, const history *self, int64_t keep, int64_t limit) {
  ck_prune_report all, page;
  verdict expected[STEPS * 2], given[STEPS * 2];
  ck_error found = CK_ERROR_INIT;
  ck_status status = ck_store_plan_prune_to(self->store, self->id, keep, &all, &err);
  payloads = 0;
  ck_status paged = ck_store_plan_prune_page(self->store, self->id, keep, limit, &page, &found);
  of->pages++;
  of->failed += status != CK_OK;
  of->wrong += status != paged;
  if (status || paged) return;
  size_t asked = list(expected, &all), looked = list(given, &page);
  size_t most = asked < (size_t)limit ? asked : (size_t)limit;
  of->wrong += looked != most || page.before != all.before ||
               page.more != (int64_t)(asked - looked) ||
               memcmp(expected, given, looked * sizeof *given) != 0;
  of->kept += page.kept_count > 0;
  ck_prune_report_clear(&all);
  ck_prune_report_clear(&page);
}

static void test_kind(const char *name, const char *url) {
  sums of = {0};
  kind = name;
  ck_store *store = fixture_open(url);
  real = store->backend;
  store->backend.read_checkpoints = read_rows;
  for (int i = 0; i < SESSIONS; i++) {
    history past;
    make(&past, store, i);
    for (int64_t keep = 0; keep < STEPS; keep += 3)
      for (int64_t limit = 1; limit < STEPS; limit += 2) compare(&of, &past, keep, limit);
    damaged = 0;
    history_clear(&past);
  }
  tap_is_int(of.wrong, 0, "%s: %d pages say what the whole plan says", kind, of.pages);
  tap_ok(of.kept > of.pages / 8 && of.failed < of.pages / 2,
         "%s: %d of them with some that stay, %d plans fail", kind, of.kept, of.failed);
  ck_store_close(store);
}

static void test_reads(void) {
  char url[600];
  history past;
  ck_prune_report page;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("long.db"));
  ck_store *store = fixture_open(url);
  real = store->backend;
  store->backend.read_checkpoints = read_rows;
  history_begin(&past, store, "long", 3);
  for (int i = 0; i < 200; i++) go(&past, true);
  payloads = 0;
  history_must(ck_store_plan_prune_page(store, "long", 1, 10, &page, &err), &err, "a page");
  tap_ok(page.count == 10 && page.more == 189 && page.before == 200, "10 of 199, of 200");
  tap_ok(payloads < 200, "payloads are read of the page and of the latest one: %d", payloads);
  ck_prune_report_clear(&page);
  history_clear(&past);
  ck_store_close(store);
}

int main(void) {
  char url[600];
  test_kind("memory", "memory:");
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("pages.db"));
  test_kind("sqlite", url);
  ck_key *key = fixture_make_key();
  fixture_key = key;
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("sealed.db"));
  test_kind("sealed", url);
  fixture_key = NULL;
  ck_key_free(key);
  test_reads();
  return tap_done();
}
