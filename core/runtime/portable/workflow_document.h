/* workflow_document.h - what the steps of a workflow came to, as one portable document.
 *
 *   {"schema_version": 1, "workflow_id", "steps": [{"task_id", "outcome"}], "checkpoint_ms",
 *    "run_id"?, "parent_run_id"?, "total_usage"?, "tool_calls_count"?, "input"?, "memory"?: {KEY},
 *    "flow"?: {"name", "digest"}}
 *
 * Steps that completed, in the order in which they did (those that no checkpoint holds yet are told
 * by their boundaries); an outcome is any JSON value, given back as
 * it is. A step that failed is not among them, also an optional one: it runs again. Whoever goes on
 * runs the others alone. Usage is that of carried.h. */
#ifndef CK_RUNTIME_PORTABLE_WORKFLOW_DOCUMENT_H
#define CK_RUNTIME_PORTABLE_WORKFLOW_DOCUMENT_H

#include "core/redact/redact.h"
#include "core/runtime/portable/carried.h"
#include "core/runtime/session/flow_manifest.h"
#include "core/runtime/session/session.h"

/* What the document is made of. Borrowed. */
typedef struct ck_workflow_source {
  const ck_head *head;
  const ck_totals *totals; /* what the session has spent by now */
  /* the id of one: what was complete there, and what was spent until then, by the run that took it;
   * NULL: as the session stands, also while it runs, with steps that no checkpoint holds yet */
  const char *checkpoint;
} ck_workflow_source;
/* Appends the document. CK_E_REFUSED: no step was complete. CK_E_NOT_FOUND: there is no such
 * checkpoint. */
CK_CHECKED ck_status ck_workflow_document_write(ck_buffer *out, ck_store *store,
                                                const ck_workflow_source *of, ck_redactor *redactor,
                                                ck_error *err);

/* Spans of the document's text; no bytes: it lacks the member. */
typedef struct ck_workflow_document {
  ck_bytes workflow, steps, input, memory, flow_digest;
  int64_t at_ms;
  ck_carried carried;
} ck_workflow_document;

/* True for a JSON object that means to be one, however badly. */
bool ck_workflow_document_is(ck_bytes document);
/* Borrows `document`, which ck_json_check has accepted. CK_E_PARSE names the field;
 * CK_E_UNSUPPORTED: a newer schema. */
CK_CHECKED ck_status ck_workflow_document_read(ck_workflow_document *out, ck_bytes document,
                                               ck_error *err);
/* CK_E_REFUSED: the flow lacks a step of the document. */
CK_CHECKED ck_status ck_workflow_document_check(const ck_workflow_document *self,
                                                const ck_flow_manifest *flow, ck_error *err);
/* Gives a new session of a flow.steps the outcomes, the position behind them and what was spent;
 * ends its run as paused. */
CK_CHECKED ck_status ck_workflow_document_restore(const ck_workflow_document *self,
                                                  ck_session *session, ck_error *err);

#endif
