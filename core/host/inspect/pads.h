/* pads.h - the scratch pad of an agent, with what it wrote in scopes that are still open. */
#ifndef CK_HOST_INSPECT_PADS_H
#define CK_HOST_INSPECT_PADS_H

#include "core/host/inspect/snapshot.h"

/* The agent's whole pad at the snapshot; NULL: it has none. `scope`, or NULL, is where it acts:
 * what the flow itself keeps in a pad is told as that scope reads it. The notes are those of all
 * scopes: first those that the main scope has, then what each other scope has added to its
 * parent's. */
CK_CHECKED ck_status ck_pad_read(ck_value **out, const ck_snapshot *snapshot, const char *agent,
                                 const char *scope, ck_error *err);

#endif
