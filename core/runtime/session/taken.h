/* taken.h - the requests that a run has taken and that stand until they are carried out, so that
 * the next run finds them if this one dies. Within the runtime; see requests.h. */
#ifndef CK_RUNTIME_SESSION_TAKEN_H
#define CK_RUNTIME_SESSION_TAKEN_H

#include "core/base/id.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

typedef struct ck_taken_request {
  int64_t no;          /* in the store */
  char id[CK_ID_SIZE]; /* of the request */
  int kind;            /* a ck_request_kind */
  bool earlier;        /* it was left for a run before this one */
  bool noted;          /* its note is in the transcript */
  bool over;           /* it is carried out or refused, once `ticket` is saved */
  uint64_t ticket;     /* of what says so in the transcript */
} ck_taken_request;

/* Zero-initialise. */
typedef struct ck_taken {
  ck_taken_request *list;
  size_t count, cap;
} ck_taken;
void ck_taken_clear(ck_taken *self);

CK_CHECKED ck_status ck_taken_add(ck_taken *self, const ck_taken_request *request, ck_error *err);
/* NULL: it is none of them. Valid until the next call that changes the list. */
ck_taken_request *ck_taken_find(const ck_taken *self, const char *id);
ck_taken_request *ck_taken_find_no(const ck_taken *self, int64_t no);
/* Another one of its kind was noted before it, and stands: that one is kept for both. */
bool ck_taken_is_repeated(const ck_taken *self, const ck_taken_request *one);

/* Takes those out of the store that are over and saved. */
CK_CHECKED ck_status ck_session_drop_over(ck_session *self, ck_error *err);
/* A checkpoint was queued as `ticket`: those that asked for one are over. */
void ck_session_meet_asked(ck_session *self, uint64_t ticket);
/* The session has come to rest, durably: what that has carried out or made void is taken out of the
 * store. What cannot be taken out now is known to be void by the next run. */
void ck_session_settle_requests(ck_session *self, ck_session_status status, const char *reason);

#endif
