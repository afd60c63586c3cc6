/* scope.h - one scope's transcript, folded: its conversation and how many outcomes it has had. */
#ifndef CK_RUNTIME_SESSION_SCOPE_H
#define CK_RUNTIME_SESSION_SCOPE_H

#include "core/model/conversation.h"
#include "core/model/session.h"
#include "core/runtime/session/turn.h"
#include "core/store/store.h"

typedef struct ck_scope ck_scope;

CK_CHECKED ck_status ck_scope_new(ck_scope **out, const char *name, ck_error *err);
void ck_scope_free(ck_scope *self);
const char *ck_scope_name(const ck_scope *self);
/* Borrowed: JSON array of the sources that are not trusted which its events name, see sources.h; no
 * bytes: none. A rewind takes none away: its report may repeat what it stands for. */
ck_bytes ck_scope_untrusted(const ck_scope *self);
ck_conversation *ck_scope_conversation(const ck_scope *self);
/* Borrowed; of this run alone. */
ck_turn *ck_scope_turn(ck_scope *self);
/* Borrowed: a person's reports that came before the conversation has begun, which they wait for;
 * NULL: none. */
const ck_conversation *ck_scope_early(const ck_scope *self);

/* Whether an outcome with this body is one that a recording holds: of a model, a tool that a driver
 * has, or an ask; ended well, with an error or without telling how. */
bool ck_scope_counts(ck_bytes body);
/* Such outcomes in this scope's view: how much of the recording is consumed. */
uint64_t ck_scope_consumed(const ck_scope *self);
/* Folds the body of a message or outcome event: appends its message, counts the outcome. */
CK_CHECKED ck_status ck_scope_apply(ck_scope *self, const ck_value *body, ck_error *err);
/* The same; models are sent `seen` in the place of its message, see conversation.h. NULL: as it is
 * stored. */
CK_CHECKED ck_status ck_scope_apply_seen(ck_scope *self, const ck_value *body, const ck_value *seen,
                                         ck_error *err);
/* Folds the body of a rewind event. */
CK_CHECKED ck_status ck_scope_rewind(ck_scope *self, const ck_value *body, ck_error *err);

/* Folds the scope's events in `view` up to seq `until` (the scope's cut); for a replay, the outcome
 * that it refers to. */
CK_CHECKED ck_status ck_scope_fold(ck_scope *self, ck_store *store, int64_t session,
                                   const ck_view *view, int64_t until, ck_error *err);

#endif
