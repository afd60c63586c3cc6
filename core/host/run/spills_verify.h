/* spills_verify.h - whether the long outputs that recorded outcomes name are what was written. */
#ifndef CK_HOST_RUN_SPILLS_VERIFY_H
#define CK_HOST_RUN_SPILLS_VERIFY_H

#include "core/base/shelf.h"
#include "core/store/verify.h"

/* What outcomes name, in the order in which it was read. Zero-initialise. */
typedef struct ck_spills_references {
  struct ck_spills_reference {
    char session[CK_ID_SIZE];
    int64_t seq; /* of the outcome */
    char *name;
  } * list;
  size_t count, cap;
  bool failed; /* for lack of memory */
} ck_spills_references;
void ck_spills_references_clear(ck_spills_references *self);
/* Adds those of one event, as ck_verify_see shows it. */
void ck_spills_references_take(ck_spills_references *self, const char *session, int64_t seq,
                               ck_event_kind kind, ck_bytes body);

typedef struct ck_spills_check {
  const ck_shelf *shelf;
  ck_store *store;
  ck_problem_visit visit;
  void *to;
} ck_spills_check;
/* Opens each of them, and visits those that are gone or not what was written; *unsealed: those that
 * are not sealed, where the store has a key. */
CK_CHECKED ck_status ck_spills_verify(int64_t *unsealed, const ck_spills_references *references,
                                      const ck_spills_check *check, ck_error *err);

#endif
