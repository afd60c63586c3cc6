/* prune_plan.h - what a prune knows of a session's checkpoints. Private to prune.c and
 * prune_read.c. */
#ifndef CK_STORE_PRUNE_PLAN_H
#define CK_STORE_PRUNE_PLAN_H

#include "core/store/format/payload.h"
#include "core/store/store_core.h"

/* The columns of a checkpoint that pruning needs, and what is decided about it. */
typedef struct ck_prune_node {
  char id[CK_ID_SIZE];
  int64_t seq, parent, keyframe;
  int64_t bytes; /* of its payload, as stored */
  int encoding;
  bool pruned, resumable;
  bool is_protected;
  ck_kept_reason reason;
  bool readable; /* its payload was opened */
  bool loads;    /* it can be loaded: its payload and all from its keyframe on are readable */
  bool drop;
  bool needed; /* it is kept, or a kept one loads through it */
  ck_digest digest, payload_digest;
  ck_digest seal; /* its payload digest once it is a stub; not set when it is one already */
} ck_prune_node;

typedef struct ck_prune_plan {
  ck_store *store;
  ck_payload_seqs *with_payload; /* what is known of the session's checkpoints */
  int64_t session;
  const char *session_id;
  bool bases;       /* also those at which timelines begin may go */
  bool drops;       /* some are to go; else only payloads of those that went before */
  bool latest_stay; /* instead of a list: all go but the latest `keep` */
  int64_t keep;
  /* Of those that are asked to go only the oldest, so many, are looked at; 0: all. `total`: how
   * many there are, pruned ones left out. */
  int64_t page, total;
  bool writes;          /* it will be carried out: what becomes a stub needs its seal */
  ck_prune_node *nodes; /* ascending; without stubs where all are read */
  size_t count, cap;
  ck_timeline *timelines;
  size_t timeline_count;
  ck_view view;          /* of the live timeline */
  ck_prune_node *latest; /* the latest resumable one that the live timeline sees; NULL */
  ck_prune_row *rows;
  size_t row_count;
  ck_payload payload;
  ck_status status;
  ck_error *err;
} ck_prune_plan;

/* Reads the timelines, the view and the nodes of all, ascending; of a page its own, with their
 * payloads, and behind them those from which the session goes on. */
CK_CHECKED ck_status ck_prune_plan_read(ck_prune_plan *self, ck_error *err);

#endif
