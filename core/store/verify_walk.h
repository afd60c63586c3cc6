/* verify_walk.h - the walk of ck_store_verify through one session. Private to verify.c,
 * verify_checkpoints.c, verify_events.c and verify_sums.c.
 *
 * Checkpoints are read in chunks, with their payloads (verify_checkpoints.c); then the events that
 * the chunk covers (verify_events.c). So the walk reads everything once, and holds one state, one
 * payload and the headers of a chunk. */
#ifndef CK_STORE_VERIFY_WALK_H
#define CK_STORE_VERIFY_WALK_H

#include "core/model/sums.h"
#include "core/store/store_core.h"
#include "core/store/format/payload.h"
#include "core/store/format/state_rebuild.h"

enum { CK_VERIFY_CHUNK = 256 };

/* The columns of a checkpoint that are compared with the events it covers. */
typedef struct ck_verify_header {
  char id[CK_ID_SIZE];
  int64_t seq;
  ck_digest events_digest;
  ck_value *sums; /* that it keeps (model/sums.h); NULL: none. Owned */
} ck_verify_header;

typedef struct ck_verify {
  ck_store *store;
  ck_verify_report *report;
  ck_problem_visit visit; /* may be NULL */
  ck_verify_see see;      /* may be NULL */
  void *to;
  ck_error *err;
  ck_error *rekeyed; /* the store's key is not the one it was opened with; CK_OK: as far as known */
  /* The session. */
  ck_session_record record;
  ck_head_row head; /* seq 0: there is none */
  ck_timeline *timelines;
  size_t timeline_count;
  int64_t last_seq;   /* at the beginning of the walk; later events are ignored */
  ck_payload payload; /* also opens the bodies of events */
  /* Checkpoints so far. */
  int64_t covered;           /* seq of the last one */
  ck_state_rebuild *rebuilt; /* the rebuilt state; NULL: damaged, and reported */
  int64_t rebuilt_seq;       /* of the checkpoint whose state it is */
  int64_t rebuilt_keyframe;
  ck_digest rebuilt_digest;
  ck_verify_header headers[CK_VERIFY_CHUNK];
  size_t header_count;
  ck_status status; /* of a visitor that stopped the walk */
  /* Events so far. */
  int64_t event_seq;  /* of the last one */
  size_t timeline_at; /* index of its timeline */
  size_t header_next; /* index of the next header */
  bool span_damaged;  /* an event since the last checkpoint could not be read, so the events' digest
                         is not compared */
  ck_digester events;
  ck_sums sums; /* of all of them, and of those that it inherits */
} ck_verify;

void ck_verify_add_finding(ck_verify *self, int64_t seq, ck_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports the failure `found` of a call as a finding; a failure of the walk itself is returned
 * instead. */
CK_CHECKED ck_status ck_verify_add_error(ck_verify *self, int64_t seq, ck_status status,
                                         const ck_error *found);
/* The number of the timeline that owns `seq`; 0: none. */
int64_t ck_verify_timeline_of(const ck_verify *self, int64_t seq);

/* verify_sums.c: sums that checkpoints keep are those of the events. */
CK_CHECKED ck_status ck_verify_begin_sums(ck_verify *self);
void ck_verify_clear_sums(ck_verify *self);
CK_CHECKED ck_status ck_verify_keep_sums(ck_verify_header *to, const ck_checkpoint_row *row,
                                         ck_error *err);
void ck_verify_take_sums(ck_verify *self, const ck_event_row *row, ck_bytes body);
void ck_verify_check_sums(ck_verify *self, ck_verify_header *header);

/* blob.c: everything that is kept by its content is that content. */
CK_CHECKED ck_status ck_verify_blobs(ck_verify *self);
/* verify_files.c: of the session's own runs. */
CK_CHECKED ck_status ck_verify_files(ck_verify *self);

/* `rebuilt` becomes the state at the checkpoint `seq`; 0: the empty state. */
CK_CHECKED ck_status ck_verify_load(ck_verify *self, int64_t seq);
/* Reads the next chunk of checkpoints into the headers. */
CK_CHECKED ck_status ck_verify_checkpoints(ck_verify *self);
/* Reads the events after the last one up to `until`, and compares them with the headers. */
CK_CHECKED ck_status ck_verify_events(ck_verify *self, int64_t until);

#endif
