/* checkpoint_fields.h - a checkpoint as a document: the state it restores, and the path that led
 * there. */
#ifndef CK_HOST_INSPECT_CHECKPOINT_FIELDS_H
#define CK_HOST_INSPECT_CHECKPOINT_FIELDS_H

#include "core/host/inspect/snapshot.h"
#include "core/host/print/document.h"

/* Adds checkpoint_id, session_id, checkpoint_type, created_at, current_node, next_node,
 * execution_path, shared_memory, branch_memory, conversation_states, accumulated_outputs,
 * metrics_snapshot, is_clean, can_resume_from, description, reasons, signature. Absent values are
 * null: a node of a flow without nodes, the signature of a store without a key. execution_path has
 * the completed nodes, steps and rounds and the safe points in order, each as often as it was
 * completed; a node that failed, or an optional step, is not in it. conversation_states has the
 * conversation of each scope, those that have ended too. accumulated_outputs has the outputs of
 * branches that are not joined yet, too; what these wrote to the memory is in branch_memory, by the
 * names of their branches, steps or agents. Without `memory`, or where the session's profile says
 * so (`documents`), shared_memory, branch_memory and conversation_states are left out. */
CK_CHECKED ck_status ck_checkpoint_fields_put(ck_document *document, struct cJSON *at,
                                              const ck_snapshot *snapshot, bool memory,
                                              ck_error *err);

#endif
