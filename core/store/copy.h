/* copy.h - a store copied into a new one of any kind: sqlite to postgres, back, or to its own kind.
 *
 * The copy holds what the store held at one moment: sessions under their numbers and epochs with
 * all their events and checkpoints, forks, pins, requests, kept files and facts, sealed as they are
 * under the same key. Nobody has a lease in it. It is another store: what goes on in one is not in
 * the other, so a session is gone on with in one of them. */
#ifndef CK_STORE_COPY_H
#define CK_STORE_COPY_H

#include "core/store/store.h"

typedef struct ck_copy_report {
  int64_t sessions, events, checkpoints, facts, requests;
  int64_t blobs; /* files that are kept by their content */
  bool was_done; /* the target was this copy already: nothing was written */
} ck_copy_report;

typedef struct ck_copy_order {
  const char *to;              /* the URL of the new store */
  const struct ck_key *key;    /* the source's; NULL: it has none */
  const ck_store_watch *watch; /* of the target's place; NULL */
  const char *session;         /* only this one, and those that it was forked from; NULL: all */
  bool live;                   /* also while sessions are run */
  bool is_new;                 /* whatever is there is CK_E_EXISTS */
  /* Of a target in a file, as in ck_backup_order; NULL: nothing is beside it. */
  ck_status (*before)(void *to, const char *path, ck_error *err);
  void *before_to;
} ck_copy_order;

bool ck_store_can_copy(const ck_store *from);
/* In one transaction of the target, which is compared with the source before its end: whenever this
 * is killed the target holds nothing or all, and the same call completes it. A target that is the
 * same already is left alone. CK_E_EXISTS: it is another store. CK_E_OWNED: a session is being run.
 * CK_E_CORRUPT: a row of the source is not what was written, or the source was set back.
 * CK_E_UNKNOWN: the target's server did not answer the commit: the same call tells. */
CK_CHECKED ck_status ck_store_copy(ck_copy_report *out, ck_store *from, const ck_copy_order *order,
                                   ck_error *err);

#endif
