/* scrub_walk.h - the walk of ck_store_scrub through the rows of sessions. Private to scrub.c,
 * scrub_rows.c, scrub_payload.c. */
#ifndef CK_STORE_SCRUB_WALK_H
#define CK_STORE_SCRUB_WALK_H

#include "core/store/scrub.h"
#include "core/store/store_core.h"
#include "core/store/format/payload.h"
#include "core/store/format/state_rebuild.h"

/* A checkpoint's digest as it is from now on. */
typedef struct ck_scrub_digest {
  int64_t session, seq;
  ck_digest digest;
} ck_scrub_digest;

typedef struct ck_scrub_walk {
  ck_store *store;
  const ck_scrub_rules *rules;
  ck_scrub_report *report;
  ck_scrub_digest *digests; /* ascending by session, then by seq */
  size_t digest_count, digest_cap;
  ck_digest *dropped; /* files that went */
  size_t dropped_count, dropped_cap;
  /* The session. */
  int64_t session, timeline, last_seq;
  char id[CK_ID_SIZE];
  bool changed;
  int64_t head_seq; /* of its head; 0: there is none */
  ck_digest head;   /* of the event there */
  ck_digester events;
  ck_payload payload;
  ck_state_rebuild *state; /* at the checkpoint `state_seq`, as it was; NULL: not loaded */
  int64_t state_seq;
  ck_buffer body, kept; /* of the row that is changed: plain, as stored */
  ck_buffer info, space;
} ck_scrub_walk;

/* ---- scrub_payload.c ---- */
/* Asks the rules; *changed: the bytes in `out`, which is reset first, take the place. */
CK_CHECKED ck_status ck_scrub_ask(ck_buffer *out, bool *changed, ck_scrub_walk *self,
                                  const ck_scrub_item *item, ck_error *err);
/* A name cannot be changed; the rules note that it stays. `what` it is the name of, as in
 * ck_scrub_item; `seq` 0: of no row. */
CK_CHECKED ck_status ck_scrub_look(ck_scrub_walk *self, const char *what, int64_t seq,
                                   const char *name, ck_error *err);

/* Applies the payload to the state; *changed: what the rules left of it is in self->body, whole and
 * not compressed. */
CK_CHECKED ck_status ck_scrub_payload(bool *changed, ck_scrub_walk *self,
                                      const ck_codec_reader *reader, int64_t parent, ck_error *err);

/* ---- scrub_rows.c: as in row_scrub.h ---- */
CK_CHECKED ck_status ck_scrub_event_row(bool *changed, ck_scrub_walk *self, ck_event_row *row,
                                        ck_error *err);
CK_CHECKED ck_status ck_scrub_checkpoint_row(bool *changed, ck_scrub_walk *self,
                                             ck_checkpoint_row *row, ck_error *err);

#endif
