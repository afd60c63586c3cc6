/* standing.h - the word that people see for how a session stands: its status, or, of one that is
 * paused and goes on by itself, what it waits for. The status itself stays what it is: "paused". */
#ifndef CK_HOST_SESSION_STANDING_H
#define CK_HOST_SESSION_STANDING_H

#include "core/store/store.h"

/* X(enumerator, word): of paused sessions that workers go on with. */
/* clang-format off */
#define CK_STANDING_TABLE(X) \
  X(CK_STANDING_QUEUED, "queued")     /* for a worker that is free and may run it */ \
  X(CK_STANDING_SLEEPING, "sleeping") /* for a moment, which its reason names */ \
  X(CK_STANDING_RETRYING, "retrying") /* so, before a try that a policy asked for */
/* clang-format on */

/* A ck_session_status, or one of the table, which come behind it. */
typedef enum {
  CK_STANDING_STATUSES_END = CK_SESSION_CANCELLED,
#define X(name, word) name,
  CK_STANDING_TABLE(X)
#undef X
      CK_STANDING_END
} ck_standing;

const char *ck_standing_name(ck_standing standing); /* NULL: there is none of that number */
ck_standing ck_standing_named(const char *name);    /* 0 when there is none */
/* The stored status. */
ck_session_status ck_standing_status(ck_standing standing);
/* Its word where it is one of the table; NULL: it is a status. */
const char *ck_standing_awaits(ck_standing standing);
/* All words, ended by a NULL. */
extern const char *const ck_standing_names[];

/* `queued`: workers have it (queued.h). */
ck_standing ck_standing_of(const ck_session_record *record, bool queued);
/* Asks the store whether workers have it where the record does not tell: of one that was answered,
 * or resolved. */
CK_CHECKED ck_status ck_standing_read(ck_standing *out, ck_store *store,
                                      const ck_session_record *record, ck_error *err);
/* The same for whoever has read more of it already. */
CK_CHECKED ck_status ck_standing_read_head(ck_standing *out, ck_store *store, const ck_head *head,
                                           ck_error *err);

#endif
