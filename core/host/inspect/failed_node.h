/* failed_node.h - where a session that did not get on has failed. */
#ifndef CK_HOST_INSPECT_FAILED_NODE_H
#define CK_HOST_INSPECT_FAILED_NODE_H

#include "core/host/print/document.h"
#include "core/store/store.h"

/* The name of the node at which the session failed, or that it paused for; NULL in *out: nothing
 * has failed, the flow has no nodes, or nobody knows where. Owned by the caller. */
CK_CHECKED ck_status ck_failed_node_read(char **out, ck_store *store, const ck_head *head,
                                         ck_error *err);

/* What a list says of where a session stopped. Texts owned but last_checkpoint, of the head. */
typedef struct ck_stop {
  char *node;                  /* as above */
  const char *error;           /* the reason of its status, of the head, or that its process is
                                * gone; NULL: none */
  const char *last_checkpoint; /* its id; NULL: none */
} ck_stop;
CK_CHECKED ck_status ck_stop_read(ck_stop *out, ck_store *store, const ck_head *head,
                                  ck_error *err);
void ck_stop_clear(ck_stop *self);
/* Members error, failed_at_node and last_checkpoint; null: none. */
void ck_stop_put(ck_document *document, struct cJSON *at, const ck_stop *self);

#endif
