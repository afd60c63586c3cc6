/* cuts.h - from where each scope of a view went on when the session was resumed or rewound: what
 * it had done behind that it does again. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_TAIL_CUTS_H
#define CK_RUNTIME_SESSION_TAIL_CUTS_H

#include "core/store/store.h"

/* Where a scope went on. */
typedef struct ck_cut {
  char *scope;
  int64_t at;    /* seq of the resume */
  int64_t least; /* the least cut of the scope at this resume and all later ones */
} ck_cut;

/* Zero-initialise. */
typedef struct ck_cuts {
  ck_cut *list; /* ascending by scope, then by `at` */
  size_t count, cap;
} ck_cuts;
void ck_cuts_clear(ck_cuts *self);

typedef struct ck_cuts_query {
  int64_t session;
  const ck_view *view; /* NULL: every timeline */
  int64_t until;       /* resumes behind it are not looked at; 0: all are */
  /* The same for one scope; NULL: no scope has a bound of its own. */
  int64_t (*until_of)(void *to, const char *scope);
  void *to;
} ck_cuts_query;
/* Caller clears. */
CK_CHECKED ck_status ck_cuts_read(ck_cuts *out, ck_store *store, const ck_cuts_query *query,
                                  ck_error *err);

/* Whether a resume behind `seq` went on from before it. Takes about log2(resumes) comparisons. */
bool ck_cuts_take_back(const ck_cuts *self, const char *scope, int64_t seq);

#endif
