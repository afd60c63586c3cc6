/* unread.h - edits of keys that nothing in a flow reads: a word that was probably spelt wrong. */
#ifndef CK_HOST_PREFLIGHT_UNREAD_H
#define CK_HOST_PREFLIGHT_UNREAD_H

#include "core/host/print/output.h"
#include "core/model/state.h"
#include "core/runtime/session/flow_manifest.h"
#include "core/runtime/session/opening/edit.h"

/* Says on stderr which keys of `edits` below memory. nothing reads, as far as `flow` declares what
 * it reads, and which are outputs of nodes that it does not have; a key that `state` (NULL: none)
 * has is read. Of a flow that declares nothing nothing is known. It is a warning: a function can
 * read what it did not declare. */
void ck_unread_report(ck_output *output, const ck_flow_manifest *flow, const ck_state_edits *edits,
                      const ck_state *state);

#endif
