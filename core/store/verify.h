/* verify.h - walks all rows, digests and payloads of a store and reports what is not as written. */
#ifndef CK_STORE_VERIFY_H
#define CK_STORE_VERIFY_H

#include "core/store/store.h"

typedef struct ck_verify_report {
  int64_t sessions, events, checkpoints, problems;
} ck_verify_report;
/* One problem: the session's id ("": of the store itself), the seq of the row (0: of no row), and
 * one line. Borrowed for the call. */
typedef void (*ck_problem_visit)(void *to, const char *session_id, int64_t seq, ck_status status,
                                 const char *text);
/* `session_id` NULL: all sessions, and the structure of the file. `visit` may be NULL. CK_OK when
 * the walk could be made, whatever it found: see report->problems. Never writes. CK_E_REFUSED,
 * CK_E_OTHER_KEY: the store's key is being changed, or was, since the store was opened, and from
 * there on nothing can be told of it; a problem told before is one. */
CK_CHECKED ck_status ck_store_verify(ck_verify_report *out, ck_store *self, const char *session_id,
                                     ck_problem_visit visit, void *to, ck_error *err);

/* The same with a look at the bodies of events on the way: what they refer to may lie beside the
 * store. One that cannot be read is a problem, and not shown. */
typedef void (*ck_verify_see)(void *to, const char *session_id, int64_t seq, ck_event_kind kind,
                              ck_bytes body);
typedef struct ck_verify_order {
  const char *session_id; /* NULL: all */
  ck_problem_visit visit; /* NULL */
  ck_verify_see see;      /* NULL; may read the store. Borrowed for the call */
  void *to;               /* of both */
} ck_verify_order;
CK_CHECKED ck_status ck_store_verify_order(ck_verify_report *out, ck_store *self,
                                           const ck_verify_order *order, ck_error *err);

#endif
