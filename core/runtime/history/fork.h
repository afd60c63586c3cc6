/* fork.h - a new session that goes on from a checkpoint of another one. */
#ifndef CK_RUNTIME_HISTORY_FORK_H
#define CK_RUNTIME_HISTORY_FORK_H

#include "core/runtime/history/history_edit.h"

/* A new session that goes on from a checkpoint of this one, which may be running or over. The
 * origin's spending until then is the fork's base: constraints count from there. The origin's
 * effects behind the cut are unknown to the fork, which does them again; but of calls that were
 * pending at the checkpoint it is in doubt, where the origin has begun them. CK_E_NOT_FOUND,
 * CK_E_REFUSED (no checkpoint to go on from; an edit that looks like a secret), CK_E_EXISTS. */
CK_CHECKED ck_status ck_session_fork(ck_history_edit_result *out, ck_runtime *runtime,
                                     const char *id, const ck_history_edit_options *options,
                                     ck_error *err);

/* An effect of an origin behind the cut. */
typedef struct ck_effect_behind {
  const char *key, *kind, *class;
  bool open;  /* it has no outcome */
  bool asked; /* the fork is in doubt of it: see pending_calls.h */
} ck_effect_behind;

/* Visits the effects of the origin, by its number, behind the cut of the fork that was made: those
 * of class once, idempotent and reconcilable with an outcome, or begun. Unless it asks about them
 * the fork does them again when it comes to them, because it does not know of them. */
typedef void (*ck_effect_visit)(void *to, const ck_effect_behind *effect);
CK_CHECKED ck_status ck_session_list_effects(ck_runtime *runtime,
                                             const ck_history_edit_result *made, int64_t origin,
                                             ck_effect_visit visit, void *to, ck_error *err);

#endif
