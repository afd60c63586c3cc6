/* untrusted.h - the sources that are not trusted whose content is in a scope's context. Within the
 * room.
 *
 * What an effect gives has the member "untrusted" in its outcome: the sources that were in its
 * scope's context when it was asked for, and its own where that is not trusted; so has each message
 * that a flow says. A scope's context is the union of its events' (scope.h), of those of the scopes
 * that it has joined, which are part of its position, and of what the scopes above it have in
 * theirs. It only grows: going back to a checkpoint is what takes away.
 *
 * An agent that is a process has one context for all scopes that prompt it: what the ledger knows
 * of its prompts, and what this run has told it. */
#ifndef CK_RUNTIME_EXECUTION_UNTRUSTED_H
#define CK_RUNTIME_EXECUTION_UNTRUSTED_H

#include "core/runtime/execution/call_private.h"

/* Adds those in the context of the runner's scope. */
CK_CHECKED ck_status ck_untrusted_add(ck_value **to, ck_runner *self, ck_error *err);
/* Adds those in the context of a scope that is not open, as the session's checkpoint has it. */
CK_CHECKED ck_status ck_untrusted_add_saved(ck_value **to, ck_session *session, const char *scope,
                                            ck_error *err);
/* self->context becomes these: what the effects that are asked for now can have been made of. */
CK_CHECKED ck_status ck_untrusted_look(ck_runner *self, ck_error *err);
/* Adds those that the process has heard in earlier runs which the effect prompts; of other effects
 * none. */
CK_CHECKED ck_status ck_untrusted_add_process(ck_value **to, const ck_session *session,
                                              const ck_effect *effect, ck_error *err);
/* The process that the call prompts, if it does, has heard these. */
CK_CHECKED ck_status ck_untrusted_tell(ck_call *self, ck_bytes sources, ck_error *err);
/* Fills in self->effect.untrusted. */
CK_CHECKED ck_status ck_untrusted_show(ck_call *self, ck_error *err);
/* The same of what the agent wants to do that `of` prompts: it has heard that prompt, and may be
 * no source to trust. */
CK_CHECKED ck_status ck_untrusted_show_action(ck_call *self, const ck_call *of, ck_error *err);
/* What has come of the call (self->outcome, which is to be recorded) holds these, and its own. */
CK_CHECKED ck_status ck_untrusted_mark(ck_call *self, ck_error *err);
/* The runner gets what the scope of `child` has come to. */
CK_CHECKED ck_status ck_untrusted_join(ck_runner *self, const ck_runner *child, ck_error *err);

#endif
