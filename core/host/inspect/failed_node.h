/* failed_node.h - where a session that did not get on has failed. */
#ifndef CK_HOST_INSPECT_FAILED_NODE_H
#define CK_HOST_INSPECT_FAILED_NODE_H

#include "core/store/store.h"

/* The name of the node at which the session failed, or that it paused for; NULL in *out: nothing
 * has failed, the flow has no nodes, or nobody knows where. Owned by the caller. */
CK_CHECKED ck_status ck_failed_node_read(char **out, ck_store *store, const ck_head *head,
                                         ck_error *err);

#endif
