/* checkpoint_words.h - what a checkpoint is, in words: its description, the policies' reasons, the
 * nodes around it, and what went wrong before it. */
#ifndef CK_HOST_SESSION_CHECKPOINT_WORDS_H
#define CK_HOST_SESSION_CHECKPOINT_WORDS_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/model/checkpoint.h"

/* "completed collector"; of a checkpoint that has no description, one made of what it holds. Not
 * redacted. */
void ck_checkpoint_words_append(ck_buffer *out, const ck_checkpoint_info *checkpoint);
/* Members description (a text) and reasons ([{policy, version, reason}]; empty: its kind alone
 * asked for it). */
void ck_checkpoint_words_put(ck_document *document, struct cJSON *at,
                             const ck_checkpoint_info *checkpoint);
/* Members current_node and next_node: names of nodes; null: the flow has none, or it is not known.
 */
void ck_checkpoint_words_put_nodes(ck_document *document, struct cJSON *at,
                                   const ck_checkpoint_info *checkpoint);
/* Members total_retries and nodes_with_failures, since the start of the session. */
void ck_checkpoint_words_put_incidents(ck_document *document, struct cJSON *at,
                                       const ck_checkpoint_info *checkpoint);
/* "smart: 12 changed keys; …", of a checkpoint's info, which may be NULL. */
void ck_checkpoint_words_append_reasons(ck_buffer *out, const ck_value *info);
/* A cell with the description, and one with the reasons: "smart: 12 changed keys; …". */
void ck_checkpoint_words_put_cells(ck_table *table, const ck_checkpoint_info *checkpoint);

#endif
