/* select.h - selects the checkpoint that a resume goes on from. */
#ifndef CK_RUNTIME_SESSION_OPENING_SELECT_H
#define CK_RUNTIME_SESSION_OPENING_SELECT_H

#include "core/store/store.h"

/* Zero-initialised: the latest resumable one. */
typedef struct ck_choice {
  const char *id; /* that one, whatever the other fields say; NULL */
  bool clean;     /* only one without a retry or failure before it */
  int64_t before; /* only one with a lower seq; 0: any */
} ck_choice;

/* Selects among the checkpoints that the live timeline sees. `out->seq` 0: there is none, a resume
 * begins at the first event. Caller clears `out`. Whether a checkpoint given by id is resumable is
 * left to the caller. */
CK_CHECKED ck_status ck_select_checkpoint(ck_checkpoint_info *out, ck_store *store,
                                          const ck_head *head, const ck_choice *choice,
                                          ck_error *err);
/* The attempt of a resume from the checkpoint at `from` (0: from the first event). After a crash it
 * stays, so that everything recorded replays; after a failure, from an older checkpoint than the
 * latest, or with edits, it rises. */
uint32_t ck_next_attempt(const ck_head *head, int64_t from, bool edited);

#endif
