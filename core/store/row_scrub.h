/* row_scrub.h - a scrub as the store core and a backend share it: rows are shown to functions that
 * change them. */
#ifndef CK_STORE_ROW_SCRUB_H
#define CK_STORE_ROW_SCRUB_H

#include "core/store/rows.h"

/* A scrub (scrub.h), row by row, of sessions in the order of their numbers: each function changes
 * its argument in place, which then stays until the next call, or leaves it (*changed false). */
typedef struct ck_row_scrub {
  void *self;
  bool dry_run; /* all is rolled back */
  /* Files come first, for all sessions; *drop: it is not kept for the sessions any more. */
  ck_status (*file)(bool *drop, void *self, int64_t session, ck_blob_row *row, ck_error *err);
  void (*leave)(void *self, const ck_blob_row *row); /* others keep what was dropped */
  ck_status (*begin)(void *self, int64_t session, ck_error *err);
  /* Ascending by seq; a checkpoint behind its event. */
  ck_status (*event)(bool *changed, void *self, int64_t session, ck_event_row *row, ck_error *err);
  ck_status (*checkpoint)(bool *changed, void *self, int64_t session, ck_checkpoint_row *row,
                          ck_error *err);
  /* As in ck_rekey; nothing is appended when it stays. */
  ck_status (*bytes)(ck_buffer *out, bool *changed, void *self, const ck_rekey_bytes *what,
                     ck_error *err);
  /* The session's rows were read. *changed: its epoch is raised; `record`: the event that tells of
   * it, seq 0: none. */
  ck_status (*end)(bool *changed, ck_event_row *record, void *self, int64_t session, ck_error *err);
  ck_status (*head)(void *self, int64_t session, ck_head_row *row, ck_error *err); /* if changed */
} ck_row_scrub;

/* A capability of a backend: all of these, as in scrub.h. */
typedef struct ck_scrub_functions {
  CK_CHECKED ck_status (*rows)(void *self, const ck_lease *leases, size_t count,
                               const ck_row_scrub *with, ck_error *err);
  CK_CHECKED ck_status (*begin)(void *self, ck_bytes note, ck_error *err);
  CK_CHECKED ck_status (*get)(ck_buffer *out, void *self, ck_error *err);
  CK_CHECKED ck_status (*end)(void *self, ck_error *err);
} ck_scrub_functions;

#endif
