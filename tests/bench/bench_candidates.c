/* bench_candidates.c - what it costs to keep who said what of which checkpoint at a prune, against
 * the same prune without, under the profile graph: at each tenth checkpoint, of 110. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/runtime/session/checkpoint_list.h"
#include "tests/bench/bench.h"

enum { ROUNDS = 100, BATCH = 200, CHECKPOINTS = 110, KEPT = 100, EVERY = 10 };

/* Of all threads: the machine's other work is not in it. */
static double cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* `self`: whether it tells who. */
static ck_status drop_oldest(ck_prune_plan *out, void *self, const ck_history *history,
                             ck_error *err) {
  const bool *tells = self;
  (void)err;
  for (size_t i = 0; i < history->count - KEPT; i++) {
    out->drop[i] = true;
    if (*tells) out->dropped_by[i] = 2;
  }
  return CK_OK;
}

/* Microseconds of one prune, from the question to the event's body. */
static double ask_batch(const ck_checkpoint_list *list, bool tells, double *bytes) {
  static char ids[CHECKPOINTS][CK_ID_SIZE];
  int64_t seqs[CHECKPOINTS];
  ck_error err;
  ck_policy_engine engine = {.self = &tells, .prune = drop_oldest};
  ck_prune_report report = {.seqs = seqs, .ids = ids, .count = CHECKPOINTS - KEPT};
  for (int i = 0; i < CHECKPOINTS; i++) memcpy(ids[i], list->list[i].id, sizeof ids[i]);
  double begun = cpu_us();
  for (unsigned i = 0; i < BATCH; i++) {
    ck_prune_choice choice = {.seqs = seqs};
    ck_value *body;
    if (ck_checkpoint_list_ask(&choice, list, &engine, 0, &err) != CK_OK ||
        ck_prune_report_describe(&body, &report, NULL, choice.candidates, &err) != CK_OK)
      bench_die("%s", err.text);
    *bytes += (double)ck_value_bytes(body).len;
    ck_value_free(body);
    ck_value_free(choice.candidates);
  }
  return (cpu_us() - begun) / BATCH;
}

void bench_candidates(void) {
  static double with[ROUNDS], without[ROUNDS];
  static ck_checkpoint_info infos[CHECKPOINTS];
  double told = 0, untold = 0;
  ck_checkpoint_list list = {.list = infos, .count = CHECKPOINTS};
  for (int i = 0; i < CHECKPOINTS; i++) {
    infos[i].seq = 100000 + 3 * i;
    snprintf(infos[i].id, sizeof infos[i].id, "checkpoint_20261123_123524_%08x", 0x48b0e400 + i);
  }
  for (unsigned i = 0; i < ROUNDS; i++) {
    without[i] = ask_batch(&list, false, &untold);
    with[i] = ask_batch(&list, true, &told);
  }
  double least = bench_percentile(without, ROUNDS, 50), most = bench_percentile(with, ROUNDS, 50);
  bench_add((figure){.name = "a prune of 110 checkpoints keeps who said what: CPU, by checkpoint",
                     .unit = "us",
                     .value = most > least ? (most - least) / EVERY : 0,
                     .target = 1,
                     .compared = true});
  bench_add((figure){.name = "  bytes, by checkpoint",
                     .unit = "bytes",
                     .value = (told - untold) / (ROUNDS * BATCH * EVERY),
                     .target = 24,
                     .compared = true});
}
