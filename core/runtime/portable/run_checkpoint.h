/* run_checkpoint.h - a run that stopped as one portable document, which another run, here or
 * elsewhere, goes on from.
 *
 *   {"version": 1, "runId", "history": [message], "lastCompletedIteration",
 *    "originalInput": {"message"}, "checkpointedAt" (ms since 1970),
 *    "failurePoint"?: {"iteration", "phase": "iteration"|"tool"|"llm"|"unknown", "stage"?},
 *    "agent"?: {"id"}, "flow"?: {"name", "digest"}, "ckrun"? (extension.h)}
 *
 * `history` is the main scope's conversation up to its last completed iteration, as every provider
 * takes it (chat.h); of a flow that holds none there, such as steps or a graph, each completed
 * node is a call with its result. An iteration is complete when its boundary was reached; those of
 * the run that an imported session goes on from count. The phase is what was seen: the effect that
 * failed or was open (a model: llm; a tool, a program or an agent: tool), iteration when nothing
 * was, unknown otherwise. `stage` is the name of the tool, or of the node that it is in. A run that
 * was paused between its actions has no failurePoint. `agent` and `flow` say whose conversation it
 * is. */
#ifndef CK_RUNTIME_PORTABLE_RUN_CHECKPOINT_H
#define CK_RUNTIME_PORTABLE_RUN_CHECKPOINT_H

#include "core/redact/redact.h"
#include "core/runtime/session/flow_manifest.h"
#include "core/runtime/session/session.h"

enum { CK_RUN_CHECKPOINT_VERSION = 1, CK_RUN_CHECKPOINT_ITERATIONS_MAX = 1000000 };

/* Appends the document of the session's last run. CK_E_REFUSED with the reason: it completed, was
 * cancelled or is running, no iteration was completed, or it failed in a way that another run would
 * meet again (its conversation is too long, its credentials or its request were refused). */
CK_CHECKED ck_status ck_run_checkpoint_write(ck_buffer *out, ck_store *store, const ck_head *head,
                                             ck_redactor *redactor, ck_error *err);

/* The parts of a document; spans of its text. */
typedef struct ck_run_checkpoint {
  ck_bytes run, history, input, failure; /* JSON; failure: no bytes when there is none */
  /* JSON strings; no bytes: the document does not say */
  ck_bytes agent, flow, flow_digest;
  ck_bytes extension; /* JSON; no bytes: none */
  int64_t last_completed;
  int64_t at_ms;
} ck_run_checkpoint;
/* True for a JSON object that means to be one, however badly. */
bool ck_run_checkpoint_is(ck_bytes document);
/* Borrows `document`, which ck_json_check has accepted. CK_E_PARSE: "missing required field: NAME",
 * or what another field must be; CK_E_UNSUPPORTED: another version. */
CK_CHECKED ck_status ck_run_checkpoint_read(ck_run_checkpoint *out, ck_bytes document,
                                            ck_error *err);

/* The turn that a session of this profile (NULL: none) begins at: the one behind the last completed
 * one, or 1 when the profile resets rounds at a resume. */
int64_t ck_run_checkpoint_turn(const ck_run_checkpoint *self, const ck_profile *profile);
/* Gives a new session the conversation of the run, as that of the flow's agent, behind the flow's
 * prompt where the document has none, and the position of an agent loop at "agent#TURN"; ends its
 * run as paused. */
CK_CHECKED ck_status ck_run_checkpoint_restore(const ck_run_checkpoint *self, ck_session *session,
                                               const ck_flow_manifest *flow, ck_error *err);

#endif
