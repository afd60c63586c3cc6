/* history_edit_private.h - one edit of the history under way. Private to core/runtime/history. */
#ifndef CK_RUNTIME_HISTORY_HISTORY_EDIT_PRIVATE_H
#define CK_RUNTIME_HISTORY_HISTORY_EDIT_PRIVATE_H

#include "core/runtime/history/history_edit.h"
#include "core/runtime/session/session_private.h"

/* Zero-initialise; ck_history_edit_close always. */
typedef struct ck_history_edit {
  ck_runtime *runtime;
  ck_head head;
  ck_checkpoint_info from;
  ck_session *session; /* not open: it only gathers events */
} ck_history_edit;

/* The head of the session at rest. CK_E_OWNED; CK_E_REFUSED: it is completed or cancelled, and
 * `doing` needs one that is not. */
CK_CHECKED ck_status ck_history_edit_open(ck_history_edit *self, ck_runtime *runtime,
                                          const char *id, const char *doing, ck_error *err);
/* Selects the checkpoint, loads its state, and makes a session that writes behind it. */
CK_CHECKED ck_status ck_history_edit_begin(ck_history_edit *self,
                                           const ck_history_edit_options *options, ck_error *err);
/* Appends the event that comes first: {run, parent_run, origin?, checkpoint, left?, undone?}. */
CK_CHECKED ck_status ck_history_edit_announce(ck_history_edit *self, ck_event_kind kind,
                                              int64_t undone, ck_error *err);
/* The report as a message of the user in each conversation that is cut, or in that of
 * options->scope: CK_E_NOT_FOUND when there is none. Sets `reported` of the result. */
CK_CHECKED ck_status ck_history_edit_add_report(ck_history_edit_result *out, ck_history_edit *self,
                                                const ck_history_edit_options *options,
                                                ck_error *err);
/* The edit boundary and all appended events in one transaction: `record` is made, or (NULL) the
 * head's session acquired. The session is paused with `reason` and its lock released by the
 * close. */
CK_CHECKED ck_status ck_history_edit_commit(ck_history_edit_result *out, ck_history_edit *self,
                                            const ck_session_record *record, const char *reason,
                                            ck_error *err);
void ck_history_edit_close(ck_history_edit *self);

#endif
