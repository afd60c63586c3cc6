/* pick.h - which checkpoint a word on the command line means. */
#ifndef CK_HOST_INSPECT_PICK_H
#define CK_HOST_INSPECT_PICK_H

#include "core/host/inspect/look.h"

#define CK_PICK_HELP "an id or the beginning of one, a seq, \"first\" or \"latest\""

/* CK_PICK_HELP; "latest" is the latest that the live timeline sees. CK_E_NOT_FOUND, CK_E_USAGE (more than one begins with the
 * word), each with what else can be given. Caller clears `out`. */
CK_CHECKED ck_status ck_pick_checkpoint(ck_checkpoint_info *out, const ck_look *look, const char *word, ck_error *err);

#endif
