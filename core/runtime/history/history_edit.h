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
  /* of a rewind: the only scope that gets the report; NULL: everyone whose conversation is cut */
  const char *scope;
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

#endif
