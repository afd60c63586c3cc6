/* test_chain_adds.c - who asks beforehand whether a commit adds what has changed alone is never
 * told so of one that writes or loads the whole state, and mostly of the others. */
/* link: -Wl,--wrap=ck_store_commit */
#include <stdio.h>

#include "core/store/store_core.h"
#include "tests/store/history.h"
#include "tests/tap.h"

static test_dice dice = {1913};
static int wholes, added, lies, missed; /* missed: deltas that were not foreseen */

static bool is_keyframe(ck_store *store, const ck_batch *batch) {
  ck_error err = CK_ERROR_INIT;
  ck_checkpoint_info info;
  history_must(ck_store_get_checkpoint(&info, store, batch->lease.session, NULL,
                                       batch->checkpoint->seq, &err),
               &err, "get a checkpoint");
  bool whole = info.keyframe == info.seq;
  ck_value_free(info.info);
  return whole;
}

ck_status __real_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err);
ck_status __wrap_ck_store_commit(ck_store *store, ck_batch *batches, size_t count, ck_error *err) {
  bool asks = count == 1 && batches[0].checkpoint;
  bool adds = asks && ck_store_adds(store, batches[0].lease, batches[0].checkpoint);
  ck_status status = __real_ck_store_commit(store, batches, count, err);
  if (!asks || status != CK_OK || batches[0].status != CK_OK) return status;
  bool whole = is_keyframe(store, &batches[0]);
  wholes += whole;
  added += !whole;
  lies += adds && whole;
  missed += !adds && !whole;
  return status;
}

static void live(ck_store *store, int number) {
  history past;
  char id[CK_ID_SIZE];
  snprintf(id, sizeof id, "random_%d", number);
  history_begin(&past, store, id, (uint64_t)number);
  past.keys = 1 + dice_pick(&dice, 30);
  past.value_max = 2 + dice_pick(&dice, number % 10 ? 400 : 30000);
  for (uint64_t steps = 1 + dice_pick(&dice, 25); steps > 0; steps--) {
    history_go(&past, dice_pick(&dice, 5));
    if (dice_pick(&dice, 8) == 0) history_resume(&past, dice_pick(&dice, past.count));
  }
  history_clear(&past);
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  ck_store *store;
  history_must(ck_store_open(&store, "memory:", &(ck_store_options){.create = true}, &err), &err,
               "open a store");
  for (int i = 0; i < 500; i++) live(store, i);
  ck_store_close(store);
  tap_is_int(lies, 0, "of %d checkpoints that are whole states none was said to add", wholes);
  tap_ok(added > 1000 && missed * 2 < added, "and of %d others most were (not: %d)", added, missed);
  return tap_done();
}
