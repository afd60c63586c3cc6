/* rollback.h - a counter outside of the store: the last generation of its inventory
 * (sqlite/inventory.h) that was on disk, so that an older copy in the store's place, and commits
 * that were cut off its end, are found.
 *
 * One small file for each store and place that it was written at, 0600, in a folder that who can
 * write the store cannot: a copy at another place has none, and begins its own. It only goes up,
 * and behind syncs alone, so no power loss is taken for a rollback: what it names was on disk
 * before. It need not be synced itself. Private to core/store/. */
#ifndef CK_STORE_ROLLBACK_H
#define CK_STORE_ROLLBACK_H

#include "core/base/clock.h"
#include "core/store/store.h"

typedef struct ck_rollback {
  char *path;          /* of the counter; NULL: the store has none */
  char *store;         /* the store's path, its links resolved */
  uint64_t generation; /* as the file says; 0: not known */
  int64_t at_ms;       /* when it was written */
  uint64_t synced;     /* as it was last told; the file follows */
  int64_t written_us;  /* when this process wrote it last; 0: not yet */
  ck_clock clock;
} ck_rollback;

/* Reads the counter of the store at `store_path` with that identity. CK_E_NOT_FOUND, CK_E_IO,
 * CK_E_READ_ONLY, CK_E_REFUSED (somebody else's, or others can write it), CK_E_CORRUPT: why there
 * is none; the store goes on without. `make`: the folder and the file are made. */
CK_CHECKED ck_status ck_rollback_open(ck_rollback *out, const ck_store_watch *watch,
                                      const char *store_path, const uint8_t identity[32], bool make,
                                      ck_error *err);
void ck_rollback_close(ck_rollback *self); /* behind a flush */
/* CK_E_CORRUPT: the store, which says `generation`, is older than the counter. */
CK_CHECKED ck_status ck_rollback_check(const ck_rollback *self, uint64_t generation, ck_error *err);
/* ck_generation_visit. Written at once when a second has passed since it was written last, else by
 * the flush: at the end of a run and of the use. A lower one is ignored, and so are failures: the
 * counter says less then. */
void ck_rollback_advance(void *self, uint64_t generation);
void ck_rollback_flush(ck_rollback *self);

#endif
