/* bench_prune.c - what it costs to drop 10,000 checkpoints at once: 100 KB of state, everything
 * read before anything goes. */
#include <stdio.h>

#include "core/runtime/history/prune_at_rest.h"
#include "tests/bench/bench.h"

enum { CHECKPOINTS = 10000 };

static void build(const char *url) {
  ck_runtime *runtime;
  ck_session *session;
  ck_saved saved = {0};
  ck_error err;
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK ||
      ck_session_start(&session, runtime, &(ck_session_options){.id = "long"}, &err) != CK_OK)
    bench_die("%s", err.text);
  bench_fill_state(session, 100 << 10);
  for (unsigned i = 0; i < CHECKPOINTS; i++) saved = bench_boundary(session, i);
  if (ck_session_wait(session, saved.ticket, &err) != CK_OK) bench_die("%s", err.text);
  ck_session_close(session);
  ck_runtime_close(runtime);
}

static double prune(size_t *dropped, const char *url, bool dry_run) {
  ck_store *store;
  ck_pruned pruned;
  ck_error err;
  ck_prune_order order = {.keep = 10, .dry_run = dry_run};
  if (ck_store_open(&store, url, &(ck_store_options){0}, &err) != CK_OK) bench_die("%s", err.text);
  double begun = bench_now_us();
  if (ck_session_prune_at_rest(&pruned, store, "long", &order, &err) != CK_OK)
    bench_die("%s", err.text);
  double took = bench_now_us() - begun;
  *dropped = pruned.report.count;
  ck_pruned_clear(&pruned);
  ck_store_close(store);
  return took;
}

void bench_prune(void) {
  char url[600];
  size_t dropped;
  snprintf(url, sizeof url, "sqlite:%s", bench_path("prune.db"));
  build(url);
  double dry = prune(&dropped, url, true);
  if (dropped != CHECKPOINTS - 10) bench_die("%zu would be dropped", dropped);
  double real = prune(&dropped, url, false);
  if (dropped != CHECKPOINTS - 10) bench_die("%zu were dropped", dropped);
  bench_add((figure){.name = "prune of 10,000 checkpoints, 100 KB of state, space given back",
                     .unit = "ms",
                     .value = real / 1000,
                     .target = 2000,
                     .compared = true});
  bench_add((figure){.name = "  a dry run of it", .unit = "ms", .value = dry / 1000});
}
