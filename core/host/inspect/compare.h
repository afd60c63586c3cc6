/* compare.h - two checkpoints of a session side by side: their states, and what happened on the way
 * from one to the other. */
#ifndef CK_HOST_INSPECT_COMPARE_H
#define CK_HOST_INSPECT_COMPARE_H

#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/model/state.h"

enum { CK_COMPARE_KINDS = 64 }; /* event kinds are below */

/* A unit of work that was finished. Texts owned. */
typedef struct ck_compare_node {
  ck_boundary_kind kind;
  char *name, *scope; /* name NULL: the boundary has none */
  int64_t seq;
} ck_compare_node;

/* One of the two, and what only it has behind it. */
typedef struct ck_compare_side {
  ck_checkpoint_info checkpoint;
  ck_state *state; /* redacted as for an export */
  ck_state_entry *entries;
  size_t entry_count;
  ck_view view;
  int64_t events[CK_COMPARE_KINDS]; /* by kind, since both went the same way */
  ck_compare_node *nodes;
  size_t node_count, node_cap;
} ck_compare_side;

typedef struct ck_compare {
  ck_compare_side from, to;
  int64_t common; /* seq of the last event that both have behind them; 0: none */
} ck_compare;

/* `from` and `to` are words of ck_resolve_checkpoint. Caller clears, also after a failure. */
CK_CHECKED ck_status ck_compare_read(ck_compare *out, ck_inspection *inspection,
                                     ck_redactor *redactor, const char *from, const char *to,
                                     ck_error *err);
void ck_compare_clear(ck_compare *self);

/* Each key whose value differs, in order; `old` or `now` is NULL where it is missing. */
typedef void (*ck_compare_visit)(void *to, const ck_state_entry *old, const ck_state_entry *now);
void ck_compare_visit_keys(const ck_compare *self, ck_compare_visit visit, void *to);

/* Adds session, common, from, to, keys, spent: all of it, see cmd_sessions_diff.c. */
void ck_compare_put(ck_document *document, struct cJSON *at, const ck_compare *self,
                    const char *session);

#endif
