/* acceptance.h - takes a store that was set back, or changed from outside, as it is. */
#ifndef CK_STORE_ACCEPTANCE_H
#define CK_STORE_ACCEPTANCE_H

#include "core/store/store.h"

typedef struct ck_acceptance {
  uint64_t before;     /* the store's generation; 0: none, or it could not be read */
  uint64_t known;      /* that of its counter; 0: none */
  uint64_t generation; /* the store's, now */
  int64_t differences; /* tables that are not as its inventory has them */
  bool is_needless;    /* nothing was set back, nothing differs, nothing was changed */
} ck_acceptance;

/* Of a store that was opened to write with accept_rollback: its inventory is made anew from what is
 * there, and later than its counter knows. CK_E_UNSUPPORTED: it has no inventory. */
CK_CHECKED ck_status ck_store_accept_rollback(ck_acceptance *out, ck_store *self, ck_error *err);

#endif
