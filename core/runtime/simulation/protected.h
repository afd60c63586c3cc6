/* protected.h - which checkpoints of a recorded session no prune drops, whatever policies say: see
 * CK_KEPT_TABLE. */
#ifndef CK_RUNTIME_SIMULATION_PROTECTED_H
#define CK_RUNTIME_SIMULATION_PROTECTED_H

#include "core/store/store.h"

typedef struct ck_protected_seq {
  int64_t seq;  /* of the checkpoint */
  int64_t from; /* seq from which it stays; 0: always, for pins and forks are not recorded in it */
  bool base; /* a timeline begins at it. Where other checkpoints are taken it begins at the newest
                that there is before it */
} ck_protected_seq;

/* The session's own. Zero-initialise. */
typedef struct ck_protected {
  ck_protected_seq *list;
  size_t count, cap;
} ck_protected;
CK_CHECKED ck_status ck_protected_read(ck_protected *out, ck_store *store, const ck_head *head,
                                       ck_error *err);
void ck_protected_clear(ck_protected *self);
/* Sets flags of the checkpoints at `seqs`, ascending, that stay in a prune at seq `at`, the newest
 * apart. `bases`: those at which timelines begin may go. */
void ck_protected_mark(bool *stays, const ck_protected *self, const int64_t *seqs, size_t count,
                       int64_t at, bool bases);

#endif
