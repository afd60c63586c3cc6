/* resolve_checkpoint.h - resolves a word on the command line to a checkpoint. */
#ifndef CK_HOST_INSPECT_RESOLVE_CHECKPOINT_H
#define CK_HOST_INSPECT_RESOLVE_CHECKPOINT_H

#include "core/host/inspect/inspect.h"

#define CK_RESOLVE_CHECKPOINT_HELP                                                            \
  "an id, the beginning of one or of its last part, a seq, \"first\", \"latest\" or \"@{1}\"" \
  " (the one before)"

/* The operand CHECKPOINT of a command, behind its SESSION. It may have an option for the same
 * `member`, too: of both the last counts. */
#define CK_CHECKPOINT_OPERAND(values, member, optionality, text)                       \
  {                                                                                    \
    .name = "CHECKPOINT", .optional = optionality, .offset = offsetof(values, member), \
    .help = text                                                                       \
  }

/* CK_RESOLVE_CHECKPOINT_HELP; "latest" is the latest that the live timeline sees, "@{N}" the one
 * that is N before it. CK_E_NOT_FOUND, CK_E_USAGE (an ambiguous beginning), each with the
 * alternatives. Caller clears `out`. */
CK_CHECKED ck_status ck_resolve_checkpoint(ck_checkpoint_info *out, const ck_inspection *inspection,
                                           const char *word, ck_error *err);

#endif
