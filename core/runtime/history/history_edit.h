/* history_edit.h - a person's edits of the history of a session at rest: fork it, rewind it, undo
 * that.
 *
 * Each begins a new timeline, a fork in a session of its own, with an event that says so and an
 * edit checkpoint, and leaves the session paused: all in one transaction. Nothing is ever taken out
 * of a transcript: events that the new timeline does not see are an abandoned branch. */
#ifndef CK_RUNTIME_HISTORY_HISTORY_EDIT_H
#define CK_RUNTIME_HISTORY_HISTORY_EDIT_H

#include "core/runtime/session/opening/edit.h"
#include "core/runtime/session/session.h"

typedef struct ck_history_edit_options {
  const char *checkpoint;      /* id; NULL: the latest resumable one that the live timeline sees */
  const ck_redactor *secrets;  /* those to redact; may be NULL */
  const char *const *excluded; /* keys that are never written (the profile's); NULL */
  const ck_state_edits *edits; /* of a fork; may be NULL */
  const char *fork;            /* its id; NULL: one is made */
  const char *report;          /* of a rewind: a text */
  const char *scope; /* of a rewind: the only scope that gets the report; NULL: everyone whose
                        conversation is cut */
} ck_history_edit_options;

/* How the edit left the session. */
typedef struct ck_history_edit_result {
  char session[CK_ID_SIZE];    /* the fork; else the session itself */
  char from[CK_ID_SIZE];       /* the checkpoint it goes on from */
  char checkpoint[CK_ID_SIZE]; /* the new one */
  int64_t from_seq;
  char reported[256];     /* the scopes that got the report, cut where it is full */
  int64_t timeline, left; /* the new one; the one that was live. Of a fork: its origin's */
} ck_history_edit_result;

/* A new session that goes on from a checkpoint of this one, which may be running or over. The
 * origin's spending until then is the fork's base: constraints count from there. The origin's
 * effects behind the cut are unknown to the fork, which does them again. CK_E_NOT_FOUND,
 * CK_E_REFUSED (no checkpoint to go on from; an edit that looks like a secret), CK_E_EXISTS. */
CK_CHECKED ck_status ck_session_fork(ck_history_edit_result *out, ck_runtime *runtime,
                                     const char *id, const ck_history_edit_options *options,
                                     ck_error *err);
/* Goes back to `checkpoint`, with the report as a message of the user in the conversation of each
 * scope that had begun there and has gone on since; in the main one's when none has. It never comes
 * before a conversation's prompt. CK_E_OWNED, CK_E_NOT_FOUND (the checkpoint, the scope);
 * CK_E_REFUSED: the session is completed or cancelled; fork it. */
CK_CHECKED ck_status ck_session_rewind(ck_history_edit_result *out, ck_runtime *runtime,
                                       const char *id, const ck_history_edit_options *options,
                                       ck_error *err);
/* Back to the last checkpoint of the timeline that the last rewind, undo or resume from an older
 * checkpoint has left: so the undo of an undo is a redo. CK_E_OWNED; CK_E_REFUSED: there is nothing
 * to undo, or the session is completed or cancelled. */
CK_CHECKED ck_status ck_session_undo(ck_history_edit_result *out, ck_runtime *runtime,
                                     const char *id, ck_error *err);

/* Visits the effects of the session behind `seq` that a fork cut there does again when it comes to
 * them, because it does not know of them: those of class once, idempotent and reconcilable with an
 * outcome, or begun. */
typedef void (*ck_effect_visit)(void *to, const char *key, const char *kind, const char *class,
                                bool open);
CK_CHECKED ck_status ck_session_list_effects(ck_runtime *runtime, int64_t session, int64_t after,
                                             ck_effect_visit visit, void *to, ck_error *err);

#endif
