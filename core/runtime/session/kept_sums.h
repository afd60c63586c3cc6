/* kept_sums.h - what a session's calls come to, kept in its checkpoints (core/model/sums.h): who
 * shows it need not read every call. Within the runtime.
 *
 * A checkpoint has them when CK_SUMS_EVERY events have passed since the last one that has, and more
 * where they are long; the others say which one that is. A session of before has none until it is
 * resumed while it is short. */
#ifndef CK_RUNTIME_SESSION_KEPT_SUMS_H
#define CK_RUNTIME_SESSION_KEPT_SUMS_H

#include "core/model/sums.h"

typedef struct ck_session ck_session;

/* CK_SUMS_MOST: events of a session without them that a resume reads to have them. */
enum { CK_SUMS_EVERY = 1024, CK_SUMS_MOST = 4096 };

/* Of session number `session` up to seq `until`. */
CK_CHECKED ck_status ck_session_load_sums(ck_session *self, int64_t session, int64_t until,
                                          ck_error *err);
/* An event that was appended, or written with the run's opening. */
void ck_session_take_sums(ck_session *self, const ck_event *event);
/* `info`, which is taken, with the member of a checkpoint at `seq`. */
CK_CHECKED ck_status ck_session_put_sums(ck_value **info, ck_session *self, int64_t seq,
                                         ck_error *err);

#endif
