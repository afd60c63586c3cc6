/* place.h - where the files of a session are: where its last run had them, or where they are said
 * to be now. */
#ifndef CK_HOST_SESSION_PLACE_H
#define CK_HOST_SESSION_PLACE_H

#include "core/host/session/launch.h"
#include "core/store/store.h"

/* Of one run, as it was recorded. Texts are malloc'd and owned; NULL: not known. */
typedef struct ck_place {
  char *flow;      /* absolute path; NULL also when stored */
  char *directory; /* where its tools ran */
  char *host;      /* name of the machine */
  bool stored;     /* it ran what the store kept */
} ck_place;
void ck_place_clear(ck_place *self);

/* Adds the members of a place to what is recorded of a run: "flow_file" or "stored", "directory"?,
 * "host". `flow` NULL: it runs what the store kept. */
void ck_place_write(ck_json_writer *to, const char *flow, const char *directory);
/* Of the run that opened `timeline`, one of `session` or one that it inherits. Empty: not known. */
CK_CHECKED ck_status ck_place_read(ck_place *out, ck_store *store, int64_t session,
                                   const ck_timeline *timeline, ck_error *err);

/* The files are at other places now; NULL: at the same one. A profile and a recording that a move
 * took along are those at the new place, when they are there: all that lay under the folder of the
 * flow, or under the session's, and under as many folders above it as were not renamed. */
CK_CHECKED ck_status ck_place_move(ck_launch *launch, const char *flow, const char *directory,
                                   ck_error *err);
/* ck_launch_read, moved to where the last run of which it is known had its files. */
CK_CHECKED ck_status ck_place_read_launch(ck_launch *out, ck_store *store, const ck_head *head,
                                          ck_error *err);

#endif
