/* refusal.h - a resume that policies refuse is written down. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_REFUSAL_H
#define CK_RUNTIME_SESSION_OPENING_REFUSAL_H

#include "core/store/store.h"

typedef struct ck_session ck_session;

typedef struct ck_refusal {
  const char *policy; /* NULL: a rule of the profile */
  const char *reason;
} ck_refusal;

/* At the end of the live timeline: no resume sees it there, and it stays in the log. Where the
 * session's last event says the same, nothing is written. What cannot be written is logged: the
 * resume is refused all the same. */
void ck_session_record_refusal(ck_session *self, const ck_head *head, const ck_refusal *refusal);

#endif
