/* load.h - what a run goes on from: its timeline and view, what was spent, the ledger of what it
 * can meet again. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_LOAD_H
#define CK_RUNTIME_SESSION_OPENING_LOAD_H

#include "core/base/json.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

/* Makes the timeline that goes on from the checkpoint `from` (its seq 0: from the first event), and
 * loads what it sees; the session's state is the checkpoint's already. `edited`: the attempt rises
 * in any case. */
CK_CHECKED ck_status ck_session_load_history(ck_session *self, const ck_head *head,
                                             const ck_checkpoint_info *from, bool edited,
                                             ck_error *err);
/* The run has gone on from the checkpoint at `seq` (0: the first event), which the next one
 * follows. */
void ck_session_set_resumed_from(ck_session *self, int64_t seq);
/* Writes the member "cuts": the seq up to which the conversation of each scope that has a position
 * is gone on with. */
CK_CHECKED ck_status ck_session_write_cuts(const ck_session *self, ck_json_writer *w,
                                           ck_error *err);

#endif
