/* amend.h - a person's edits of a session's state: checked before anything is acquired, announced
 * in the opening of a run, then made and kept by a checkpoint. Within the runtime. */
#ifndef CK_RUNTIME_SESSION_OPENING_AMEND_H
#define CK_RUNTIME_SESSION_OPENING_AMEND_H

#include "core/runtime/session/opening/edit.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

/* Answers as ck_state_edit_check for each, in a dry run, whose host has seen to the rules, as
 * ck_state_edit_check_policies. `edits` NULL: none. */
CK_CHECKED ck_status ck_session_check_edits(ck_session *self, const ck_state_edits *edits,
                                            bool dry_run, ck_error *err);
/* Makes them; the checkpoint that keeps them is durable on return. `edits` NULL: none. */
CK_CHECKED ck_status ck_session_make_edits(ck_session *self, const ck_state_edits *edits,
                                           ck_error *err);
/* A flow that had ended goes on from its last boundary. */
CK_CHECKED ck_status ck_session_take_end_back(ck_session *self, ck_error *err);
/* Appends to `out` the edits that the live timeline announces and no checkpoint of it holds yet: a
 * crash came in between. `from`: seq of the checkpoint that is resumed from. */
CK_CHECKED ck_status ck_session_find_edits(ck_state_edits *out, ck_session *self,
                                           const ck_head *head, int64_t from, ck_error *err);

#endif
