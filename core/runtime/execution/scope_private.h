/* scope_private.h - the positions of scopes, and how they are forked, joined and opened again. */
#ifndef CK_RUNTIME_EXECUTION_SCOPE_PRIVATE_H
#define CK_RUNTIME_EXECUTION_SCOPE_PRIVATE_H

#include "core/runtime/execution/runner_private.h"

enum { CK_SCOPE_NAME_MAX = 128 }; /* bytes */

/* ---- position.c: the state key position.<scope> ----
 *
 * {"cut": seq, "said"?: seq, "at"?: …, "untrusted"?: see untrusted.h, "counts"?: {KIND or "pauses",
 * "forks", "joins": how many there were at its path, before the calls that it has in "at"}, and of
 * a forked scope "parent", "tag", "born", "agent"?, "task"?, "tagged"?: true (the flow gave the
 * tag), "aside"?: true (not open, but can be forked again), "unknown"?, "refused"?: true (see
 * ck_runner), and once it has ended "done": true, "result"?, "error"?, "status"?, "attempt",
 * "end"}: `cut` is the seq up to which its events are in the checkpoint, `said` that of a person's
 * report behind it, `at` the position that the coroutine yielded at its last boundary. One that
 * failed is run again by a later attempt from there, and has its events up to `end` in the same. */

CK_CHECKED ck_status ck_runner_put_position(ck_runner *self, int64_t cut, ck_error *err);
/* Takes over what `saved` says; `*done` when the scope had ended (and need not run again). */
CK_CHECKED ck_status ck_runner_take_position(ck_runner *self, bool *done, const ck_value *saved,
                                             ck_error *err);
/* Reads the path of self->position, and begins to count effects anew. */
CK_CHECKED ck_status ck_runner_read_path(ck_runner *self, ck_error *err);
/* What it has counted at its path becomes part of its position, and is taken from there again. */
CK_CHECKED ck_status ck_runner_keep_counts(ck_runner *self, ck_error *err);
void ck_runner_restore_counts(ck_runner *self);

/* ---- scope_fork.c ---- */

CK_CHECKED ck_status ck_runner_fork(ck_runner *self, ck_error *err);

/* ---- scope_join.c ---- */

CK_CHECKED ck_status ck_runner_begin_join(ck_runner *self, ck_error *err);
/* Makes the outcome when the scopes that the join waits for have ended; false in *moved
 * otherwise. */
CK_CHECKED ck_status ck_runner_join(bool *moved, ck_runner *self, ck_error *err);

/* ---- scope_end.c ---- */

/* The coroutine of a forked scope has ended, with self->result or self->error. */
CK_CHECKED ck_status ck_runner_end(ck_runner *self, ck_error *err);
/* Past a boundary: the scopes that were joined before it are gone. */
CK_CHECKED ck_status ck_runner_forget_joined(ck_runner *self, ck_error *err);

/* ---- scope_reopen.c ---- */

/* Opens the scopes that were open in the checkpoint and were forked before their parent's cut. */
CK_CHECKED ck_status ck_execution_reopen(ck_execution *self, ck_error *err);
/* The same for those below `self`. */
CK_CHECKED ck_status ck_runner_reopen_below(ck_runner *self, ck_error *err);
/* A new runner goes on at the position `saved`, or has ended and waits for its join. */
CK_CHECKED ck_status ck_runner_reattach(ck_runner *self, const ck_value *saved, ck_error *err);
/* Past a boundary: scopes that an earlier process had forked behind the one before, and this one
 * has not, are put away. */
CK_CHECKED ck_status ck_runner_settle_orphans(ck_runner *self, ck_error *err);
/* An earlier process had forked scopes below it, behind its position, that it has not forked yet.
 */
bool ck_runner_awaits_fork(const ck_runner *self);
/* The coroutine has ended well: scopes that are saved below it are of no use any more. */
CK_CHECKED ck_status ck_runner_remove_orphans(ck_runner *self, ck_error *err);
/* Removes position.<scope> and what the scope wrote (NULL: nothing) from the state. */
CK_CHECKED ck_status ck_execution_remove_keys(ck_execution *self, const char *scope,
                                              const ck_state *written, ck_error *err);
/* What scopes that are gone leave to the others; ck_left_notes_clear. */
typedef struct ck_left_notes {
  ck_state *pads;      /* as by ck_scope_notes_add */
  ck_value *untrusted; /* sources.h: in the context of those that have noted something; NULL */
} ck_left_notes;
CK_CHECKED ck_status ck_left_notes_init(ck_left_notes *self, ck_error *err);
void ck_left_notes_clear(ck_left_notes *self);
/* The same of a scope that is saved and not open, and of all that is saved below it; what they have
 * in the pads of agents is added to `left`. */
CK_CHECKED ck_status ck_execution_remove_saved(ck_execution *self, const char *scope,
                                               ck_left_notes *left, ck_error *err);

/* ---- scope_notes.c ---- */

/* Adds to the pads in `pads` (by key, as scopes write them) what those among `written` (NULL: none)
 * have more: the notes behind those that both begin with. */
CK_CHECKED ck_status ck_scope_notes_add(ck_state *pads, const ck_state *written, ck_error *err);
/* The same to the pads that the runner reads: what it writes of them is its own. It has read what
 * these were made of. */
CK_CHECKED ck_status ck_runner_add_notes(ck_runner *self, const ck_left_notes *left, ck_error *err);

#endif
