/* run_checkpoint.h - a failed run as one portable document that another run, here or elsewhere,
 * goes on from.
 *
 *   {"version": 1, "runId", "history": [message], "lastCompletedIteration", "originalInput":
 *   {"message"},
 *    "checkpointedAt" (ms since 1970), "failurePoint"?: {"iteration", "phase":
 *    "iteration"|"tool"|"llm"|"unknown", "stage"?}}
 *
 * `history` is the main scope's conversation up to its last boundary, so the next request to a
 * model is valid. An iteration is complete when its boundary was reached. The phase is what was
 * seen: the effect that failed or was open (a model: llm; a tool, a program or an agent: tool),
 * iteration when nothing was, unknown otherwise. `stage` is the name of a tool or
 * node. */
#ifndef CK_RUNTIME_PORTABLE_RUN_CHECKPOINT_H
#define CK_RUNTIME_PORTABLE_RUN_CHECKPOINT_H

#include "core/redact/redact.h"
#include "core/runtime/session/session.h"

enum { CK_RUN_CHECKPOINT_VERSION = 1, CK_RUN_CHECKPOINT_ITERATIONS_MAX = 1000000 };

/* Appends the document of the session's last run. CK_E_REFUSED with the reason: it did not fail, no
 * iteration was completed, or it failed in a way that another run would meet again (its
 * conversation is too long, its credentials or its request were refused). */
CK_CHECKED ck_status ck_run_checkpoint_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                             ck_redactor *redactor, ck_error *err);

/* The parts of a document; spans of its text. */
typedef struct ck_run_checkpoint {
  ck_bytes run, history, input, failure; /* JSON; failure: no bytes when there is none */
  int64_t last_completed;
  int64_t at_ms;
} ck_run_checkpoint;
/* True for a JSON object that means to be one, however badly. */
bool ck_run_checkpoint_is(ck_bytes document);
/* Borrows `document`, which ck_json_check has accepted. CK_E_PARSE: "missing required field: NAME",
 * or what another field must be; CK_E_UNSUPPORTED: another version. */
CK_CHECKED ck_status ck_run_checkpoint_read(ck_run_checkpoint *out, ck_bytes document,
                                            ck_error *err);

/* Gives a new session the conversation of the run and the position of an agent loop at "agent#(last
 * + 1)" ("agent#1" when the session's profile resets rounds at a resume), and ends its run as
 * paused. */
CK_CHECKED ck_status ck_run_checkpoint_restore(const ck_run_checkpoint *self, ck_session *session,
                                               ck_error *err);

#endif
