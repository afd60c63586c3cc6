/* checkpoint.h - a durable restore point, as it is written and as it is listed. */
#ifndef CK_MODEL_CHECKPOINT_H
#define CK_MODEL_CHECKPOINT_H

#include "core/base/digest.h"
#include "core/model/session.h"
#include "core/model/state.h"

/* X(enumerator, number on disk, name, always checkpointed, counted as). always: a checkpoint is
 * taken whatever the policies decide. counted: as policies count boundaries and iterations. */
/* clang-format off */
#define CK_BOUNDARY_TABLE(X) \
  X(CK_BOUNDARY_NODE_START, 1, "node_start", false, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_NODE_COMPLETE, 2, "node_complete", false, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_EDGE_TRANSITION, 3, "edge_transition", false, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_LOOP_ITERATION, 4, "loop_iteration", false, CK_COUNT_ITERATION) \
  X(CK_BOUNDARY_BEFORE_CALL, 14, "before_call", false, CK_COUNT_NONE) \
  X(CK_BOUNDARY_TOOL_ROUND, 5, "tool_round", false, CK_COUNT_ITERATION) \
  X(CK_BOUNDARY_ROUND_COMPLETE, 6, "round_complete", false, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_STEP_COMPLETE, 7, "step_complete", false, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_SAFE_POINT, 8, "safe_point", false, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_USER_CHECKPOINT, 9, "user_checkpoint", true, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_PAUSE, 10, "pause", true, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_FAILURE, 11, "failure", true, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_EDIT, 12, "edit", true, CK_COUNT_BOUNDARY) \
  X(CK_BOUNDARY_FINAL, 13, "final", true, CK_COUNT_BOUNDARY)
/* clang-format on */

typedef enum {
  CK_COUNT_NONE,     /* a part of a turn */
  CK_COUNT_BOUNDARY, /* a boundary */
  CK_COUNT_ITERATION /* a boundary that ends an iteration */
} ck_boundary_count;

typedef enum {
#define X(name, number, ...) name = number,
  CK_BOUNDARY_TABLE(X)
#undef X
} ck_boundary_kind;

const char *ck_boundary_kind_name(ck_boundary_kind kind); /* NULL outside the table */
ck_boundary_kind ck_boundary_kind_of(const char *name);   /* 0 when there is none */
bool ck_boundary_kind_always(ck_boundary_kind kind);
ck_boundary_count ck_boundary_kind_counted(ck_boundary_kind kind);

/* A checkpoint as listed. Texts and info owned; ck_checkpoint_info_clear frees them. */
typedef struct ck_checkpoint_info {
  char id[CK_ID_SIZE];
  int64_t seq, parent, timeline;
  int64_t session;  /* number of the session it is inherited from; 0: the session's own */
  int64_t keyframe; /* seq of the keyframe from which it is loaded; its own seq when it is one */
  ck_boundary_kind kind;
  int64_t created_ms;
  bool clean, resumable;
  bool pinned; /* never pruned */
  bool pruned; /* its state cannot be loaded any more; it is not listed */
  ck_totals totals;
  int64_t changed;                    /* keys changed against the parent */
  int64_t stored_bytes;               /* payload as stored */
  int64_t plain_bytes;                /* payload before compression */
  ck_digest digest;                   /* logical: chained, never changes */
  char signature[CK_DIGEST_HEX_SIZE]; /* the signature of its row, in a store with a key; else "" */
  ck_value *info;
} ck_checkpoint_info;
void ck_checkpoint_info_clear(ck_checkpoint_info *self);

/* ---- within ckrun ---- */

/* A checkpoint about to be written. Its seq is that of the boundary event that announces it, which
 * it covers. */
typedef struct ck_checkpoint {
  char id[CK_ID_SIZE];
  int64_t seq;
  int64_t parent; /* seq of the checkpoint it follows; 0: none, the state was empty */
  ck_boundary_kind kind;
  int64_t created_ms;
  bool clean; /* no retry or failure before it, since the session began */
  bool resumable;
  ck_totals totals; /* of the whole session, all timelines, up to seq */
  /* JSON object for people: {node?, next?, agent?, tool? (that comes next), description?, reasons?
   * (of policies: [{policy, version, reason}]), retries?, failed? (nodes)}; never NULL. Without a
   * description: made by a version that gave none */
  ck_value *info;
  ck_change *changes; /* against the parent's state; each key at most once */
  size_t change_count;
} ck_checkpoint;
/* Frees the key and the value of each change, the changes, info and the checkpoint itself (one
 * malloc each). */
void ck_checkpoint_free(ck_checkpoint *self);

#endif
