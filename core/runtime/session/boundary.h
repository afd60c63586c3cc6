/* boundary.h - a place where a checkpoint may be taken. */
#ifndef CK_RUNTIME_SESSION_BOUNDARY_H
#define CK_RUNTIME_SESSION_BOUNDARY_H

#include "core/model/boundary.h"

typedef struct ck_session ck_session;

/* What a boundary came to. */
typedef struct ck_saved {
  bool taken;
  /* the policies ask the caller to wait: its commit may not begin before ck_session_wait or
   * _check */
  bool sync;
  char id[CK_ID_SIZE]; /* of the checkpoint; "" when not taken */
  int64_t seq;         /* of the boundary event */
  uint64_t ticket;
} ck_saved;
/* Asks the policies, records the decision, and queues a checkpoint when they (or the kind) say so.
 * Of `at`, the fields kind, scope, node, agent, depth, node_latency_ms, next, last_error and those
 * that describe it are read. */
CK_CHECKED ck_status ck_session_boundary(ck_saved *out, ck_session *self, const ck_boundary *at,
                                         ck_error *err);

/* ---- within the runtime ---- */

#include "core/runtime/session/policy.h"

/* Fills in what policies see of the session at this moment. */
void ck_session_show_boundary(ck_boundary *at, ck_session *self);
/* The same between boundaries, with those that were reached since the last checkpoint. */
void ck_session_show_place(ck_boundary *at, ck_session *self);
/* An edit boundary without asking the policies: its event is appended, its checkpoint is the
 * caller's. */
CK_CHECKED ck_status ck_session_mark_edit(ck_checkpoint **out, ck_session *self,
                                          const char *description, ck_error *err);
/* The main scope is where a checkpoint with this `info` (NULL: none) was taken. Shared. */
void ck_session_set_reached(ck_session *self, const ck_value *info);

#endif
