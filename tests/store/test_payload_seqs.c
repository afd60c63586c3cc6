/* test_payload_seqs.c - a session that prunes while it runs goes over what its prunes have left,
 * not over all that it ever had; and decides the same as who reads everything. */
/* link: -Wl,--wrap=ck_payload_is_stub */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/store/checkpoint_list.h"
#include "core/store/format/payload.h"
#include "tests/store/history.h"
#include "tests/tap.h"

enum { SEQS_MAX = 4096 };

static test_dice dice = {2206};
static ck_error err;
static int looked; /* at rows of checkpoints, since it was set to 0 */

bool __real_ck_payload_is_stub(const ck_checkpoint_row *row);
bool __wrap_ck_payload_is_stub(const ck_checkpoint_row *row);
bool __wrap_ck_payload_is_stub(const ck_checkpoint_row *row) {
  looked++;
  return __real_ck_payload_is_stub(row);
}

static ck_store *open_store(const char *url) {
  ck_store *store;
  history_must(ck_store_open(&store, url, &(ck_store_options){.create = true}, &err), &err, url);
  return store;
}

/* ---- what there is ---- */

typedef struct list {
  int64_t seqs[SEQS_MAX];
  size_t count;
} list;

static bool add(void *to, const ck_checkpoint_info *checkpoint) {
  list *self = to;
  if (!checkpoint->session) self->seqs[self->count++] = checkpoint->seq;
  return self->count < SEQS_MAX;
}

static void read_all(list *out, history *past) {
  out->count = 0;
  history_must(ck_store_list_checkpoints(past->store, past->lease.session, add, out, &err), &err,
               "list all");
}

static bool lists_the_same(history *past) {
  static list all, own;
  read_all(&all, past);
  own.count = 0;
  history_must(ck_store_list_own_checkpoints(past->store, past->lease, add, &own, &err), &err,
               "list its own");
  return all.count == own.count && memcmp(all.seqs, own.seqs, all.count * sizeof *all.seqs) == 0;
}

/* ---- prunes ---- */

static bool reports_the_same(const ck_prune_report *a, const ck_prune_report *b) {
  bool same = a->count == b->count && a->bytes == b->bytes && a->emptied == b->emptied &&
              a->hidden == b->hidden && a->before == b->before && a->broken == b->broken &&
              a->kept_count == b->kept_count;
  for (size_t i = 0; same && i < a->count; i++) same = a->seqs[i] == b->seqs[i];
  for (size_t i = 0; same && i < a->kept_count; i++)
    same = a->kept[i].seq == b->kept[i].seq && a->kept[i].reason == b->kept[i].reason;
  return same;
}

/* Planned without the lease, by who knows nothing, and carried out under it. */
static bool prunes_the_same(history *past, const int64_t *seqs, size_t count) {
  ck_prune_report plan, done;
  history_must(ck_store_plan_prune(past->store, past->id, seqs, count, &plan, &err), &err, "plan");
  history_must(ck_store_prune(past->store, past->lease, seqs, count, &done, &err), &err, "prune");
  bool same = reports_the_same(&plan, &done);
  ck_prune_report_clear(&plan);
  ck_prune_report_clear(&done);
  return same;
}

/* Of those that are there each one goes by chance; now and then one that went before, too. */
static bool prune_randomly(history *past) {
  static list all;
  static int64_t gone;
  int64_t seqs[SEQS_MAX + 1];
  size_t count = 0;
  uint64_t stay = 1 + dice_pick(&dice, 5);
  read_all(&all, past);
  for (size_t i = 0; i < all.count; i++)
    if (dice_pick(&dice, stay) == 0) seqs[count++] = all.seqs[i];
  if (gone && dice_pick(&dice, 3) == 0) seqs[count++] = gone;
  if (count) gone = seqs[dice_pick(&dice, count)];
  return prunes_the_same(past, seqs, count);
}

static void test_random_prunes(const char *url, const char *what) {
  ck_store *store = open_store(url);
  int wrong = 0, prunes = 0, unlike = 0;
  for (int i = 0; i < 60; i++) {
    history past;
    char id[CK_ID_SIZE];
    snprintf(id, sizeof id, "random_%d", i);
    history_begin(&past, store, id, (uint64_t)i);
    past.keys = 1 + dice_pick(&dice, 12);
    past.value_max = 2 + dice_pick(&dice, 300);
    for (int round = 0; round < 12; round++) {
      for (uint64_t steps = dice_pick(&dice, 12); steps > 0; steps--)
        history_go(&past, dice_pick(&dice, 4));
      if (past.count && dice_pick(&dice, 6) == 0) history_resume(&past, past.count - 1);
      prunes++;
      wrong += !prune_randomly(&past);
      unlike += !lists_the_same(&past);
    }
    history_clear(&past);
  }
  tap_is_int(wrong, 0, "%s: %d random prunes do what a plan that reads everything says", what,
             prunes);
  tap_is_int(unlike, 0, "%s: and leave the same list", what);
  ck_verify_report report;
  history_must(ck_store_verify(&report, store, NULL, NULL, NULL, &err), &err, "verify");
  tap_is_int(report.problems, 0, "%s: verify finds nothing", what);
  ck_store_close(store);
}

/* ---- what it costs ---- */

static int64_t prune_to_ten(history *past) {
  static list all;
  all.count = 0;
  looked = 0;
  history_must(ck_store_list_own_checkpoints(past->store, past->lease, add, &all, &err), &err,
               "list its own");
  ck_prune_report done;
  history_must(ck_store_prune(past->store, past->lease, all.seqs,
                              all.count > 10 ? all.count - 10 : 0, &done, &err),
               &err, "prune");
  ck_prune_report_clear(&done);
  return looked;
}

/* A pinned one at the beginning does not make it go over all behind it. */
static void test_cost(void) {
  ck_store *store = open_store("memory:");
  history past;
  int64_t early = 0, late = 0;
  history_begin(&past, store, "long", 1);
  past.keys = 5;
  past.value_max = 40;
  for (int i = 1; i <= 1500; i++) {
    history_go(&past, 1);
    if (i == 3)
      history_must(ck_store_pin(store, past.lease, past.seqs[2], true, &err), &err, "pin");
    if (i % 10) continue;
    int64_t cost = prune_to_ten(&past);
    if (i <= 300 && cost > early) early = cost;
    if (i > 1200 && cost > late) late = cost;
  }
  tap_ok(late > 0 && late <= early + 20,
         "the 150th prune looks at no more rows than the 30th (%lld, %lld)", (long long)late,
         (long long)early);
  history_clear(&past);
  ck_store_close(store);
}

int main(void) {
  char url[600];
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile("seqs.db"));
  test_random_prunes("memory:", "memory");
  test_random_prunes(url, "sqlite");
  test_cost();
  return tap_done();
}
