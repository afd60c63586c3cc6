/* compare.h - compares two checkpoints of a session: their states, and the events on the way
 * between them. */
#ifndef CK_HOST_INSPECT_COMPARE_H
#define CK_HOST_INSPECT_COMPARE_H

#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/model/state.h"

enum { CK_COMPARE_KINDS = 64 }; /* event kinds are below */

/* A completed unit of work. Texts owned. */
typedef struct ck_compare_node {
  ck_boundary_kind kind;
  char *name, *scope; /* name NULL: the boundary has none */
  int64_t seq;
} ck_compare_node;

/* One of the two checkpoints, and the events that only it covers. */
typedef struct ck_compare_side {
  ck_checkpoint_info checkpoint;
  ck_state *state; /* redacted as for an export */
  ck_state_entry *entries;
  size_t entry_count;
  ck_view view;
  int64_t events[CK_COMPARE_KINDS]; /* by kind, since the two parted */
  ck_compare_node *nodes;
  size_t node_count, node_cap;
} ck_compare_side;

typedef struct ck_compare {
  ck_compare_side from, to;
  int64_t common; /* seq of the last event that both cover; 0: none */
} ck_compare;

/* `from` and `to` are words of ck_resolve_checkpoint. Caller clears, also after a failure. */
CK_CHECKED ck_status ck_compare_read(ck_compare *out, ck_inspection *inspection,
                                     ck_redactor *redactor, const char *from, const char *to,
                                     ck_error *err);
void ck_compare_clear(ck_compare *self);

/* Calls `visit` for each key whose value differs, in order; `old` or `now` is NULL where the key is
 * absent. */
typedef void (*ck_compare_visit)(void *to, const ck_state_entry *old, const ck_state_entry *now);
void ck_compare_visit_keys(const ck_compare *self, ck_compare_visit visit, void *to);

/* Adds session, common, from, to, keys, spent: the output of command/sessions_diff.c. */
void ck_compare_put(ck_document *document, struct cJSON *at, const ck_compare *self,
                    const char *session);

#endif
