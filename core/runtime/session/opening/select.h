/* select.h - which checkpoint a resume goes on from. */
#ifndef CK_RUNTIME_SESSION_OPENING_SELECT_H
#define CK_RUNTIME_SESSION_OPENING_SELECT_H

#include "core/store/store.h"

/* Zero-initialised: the latest resumable one. */
typedef struct ck_choice {
  const char *id; /* that one, and nothing else counts; NULL */
  bool clean;     /* only one that no retry or failure came before */
  int64_t before; /* only one with a lower seq; 0: any */
} ck_choice;

/* Of those that the live timeline sees. `out->seq` 0: there is none, a resume begins at the first
 * event. Caller clears `out`. Whether a given one is resumable is for the caller to look at. */
CK_CHECKED ck_status ck_select_checkpoint(ck_checkpoint_info *out, ck_store *store,
                                          const ck_head *head, const ck_choice *choice,
                                          ck_error *err);

#endif
