/* fork.h - a new session that goes on from a checkpoint of another one. */
#ifndef CK_RUNTIME_HISTORY_FORK_H
#define CK_RUNTIME_HISTORY_FORK_H

#include "core/runtime/history/history_edit.h"

/* A new session that goes on from a checkpoint of this one, which may be running or over. The
 * origin's spending until then is the fork's base: constraints count from there. The origin's
 * effects behind the cut are unknown to the fork, which does them again. CK_E_NOT_FOUND,
 * CK_E_REFUSED (no checkpoint to go on from; an edit that looks like a secret), CK_E_EXISTS. */
CK_CHECKED ck_status ck_session_fork(ck_history_edit_result *out, ck_runtime *runtime,
                                     const char *id, const ck_history_edit_options *options,
                                     ck_error *err);

/* Visits the effects of the session behind `seq` that a fork cut there does again when it comes to
 * them, because it does not know of them: those of class once, idempotent and reconcilable with an
 * outcome, or begun. */
typedef void (*ck_effect_visit)(void *to, const char *key, const char *kind, const char *class,
                                bool open);
CK_CHECKED ck_status ck_session_list_effects(ck_runtime *runtime, int64_t session, int64_t after,
                                             ck_effect_visit visit, void *to, ck_error *err);

#endif
