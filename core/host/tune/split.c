/* split.c - sorts sessions by the digest of seed and id. */
#include "core/host/tune/split.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/digest.h"

typedef struct drawn {
  ck_digest lot;
  ck_recording *recording;
} drawn;

static int compare_lots(const void *left, const void *right) {
  const drawn *a = left, *b = right;
  return memcmp(a->lot.bytes, b->lot.bytes, sizeof a->lot.bytes);
}

static int compare_ids(const void *left, const void *right) {
  ck_recording *const *a = left, *const *b = right;
  return strcmp((*a)->id, (*b)->id);
}

static ck_digest draw(const ck_recording *recording, uint64_t seed) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_int(&digester, (int64_t)seed);
  ck_digester_update_field(&digester, ck_bytes_text(recording->id));
  return ck_digester_final(&digester);
}

ck_status ck_tune_split(size_t *held_out, ck_recording **list, size_t count, double holdout,
                        uint64_t seed, ck_error *err) {
  drawn *lots = calloc(count + 1, sizeof *lots);
  if (!lots) return ck_error_no_memory(err);
  for (size_t i = 0; i < count; i++) lots[i] = (drawn){draw(list[i], seed), list[i]};
  qsort(lots, count, sizeof *lots, compare_lots);
  for (size_t i = 0; i < count; i++) list[i] = lots[i].recording;
  free(lots);
  *held_out = (size_t)llround((double)count * holdout);
  if (*held_out >= count) *held_out = count ? count - 1 : 0;
  qsort(list, *held_out, sizeof *list, compare_ids);
  qsort(list + *held_out, count - *held_out, sizeof *list, compare_ids);
  return CK_OK;
}
