/* stats.h - how much is in a store, in rows and in bytes. */
#ifndef CK_STORE_STATS_H
#define CK_STORE_STATS_H

#include "core/store/store.h"

typedef struct ck_store_stats {
  int64_t sessions, events, checkpoints, keyframes; /* without pruned checkpoints */
  int64_t event_bytes;                              /* bodies as stored */
  int64_t event_plain_bytes;
  int64_t payload_bytes; /* checkpoint payloads as stored */
  int64_t payload_plain_bytes;
  int64_t file_bytes, wal_bytes, free_bytes; /* 0 in memory */
  int schema;
} ck_store_stats;
CK_CHECKED ck_status ck_store_get_stats(ck_store_stats *out, ck_store *self, ck_error *err);

#endif
