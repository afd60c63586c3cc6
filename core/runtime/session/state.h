/* state.h - a session's keyed state, and which of its keys the next checkpoint writes. */
#ifndef CK_RUNTIME_SESSION_STATE_H
#define CK_RUNTIME_SESSION_STATE_H

#include "core/model/state.h"

typedef struct ck_session ck_session;

/* The key of the result of a flow that has ended. */
#define CK_SESSION_RESULT_KEY "ended.main"

/* Sets a key (value shared) or removes it (value NULL). Durable with the next checkpoint, as far as
 * redaction lets it be written: the running session keeps the whole value, a resumed one has what
 * was written. What would be written as it is already is no change. */
CK_CHECKED ck_status ck_session_put(ck_session *self, const char *key, const ck_value *value,
                                    ck_error *err);
/* Borrowed until the key changes; NULL when absent. */
const ck_value *ck_session_get(const ck_session *self, const char *key);
const ck_state *ck_session_state(const ck_session *self);

/* ---- within the runtime ---- */

/* Takes `state`, also when it fails, in place of what is there: no change. */
CK_CHECKED ck_status ck_session_set_state(ck_session *self, ck_state *state, ck_error *err);
/* Gives a key back the value that a checkpoint keeps as a reference: no change. */
CK_CHECKED ck_status ck_session_restore_value(ck_session *self, const char *key,
                                              const ck_value *value, ck_error *err);
/* Sets a key whose value is a secret: the running session has `value` (NULL: it keeps what it has),
 * checkpoints have the reference ("env:NAME", "file:/PATH"). */
CK_CHECKED ck_status ck_session_put_reference(ck_session *self, const char *key,
                                              const ck_value *value, const char *ref,
                                              ck_error *err);
/* A boundary has told which keys changed before it. */
void ck_session_tell_changes(ck_session *self);
/* A checkpoint has taken the changes; Takes `none`, an empty state, to gather new ones. */
void ck_session_reset_changes(ck_session *self, ck_state *none);

#endif
