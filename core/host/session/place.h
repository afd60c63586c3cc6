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
/* The member "host" alone: the machine's name. */
void ck_place_write_host(ck_json_writer *to);
/* Of the run that opened `timeline`, one of `session` or one that it inherits. Empty: not known. */
CK_CHECKED ck_status ck_place_read(ck_place *out, ck_store *store, int64_t session,
                                   const ck_timeline *timeline, ck_error *err);

/* As the last runs of `head` had it: the folder of the last that named one, the flow of the last
 * that ran one of its own files, which one that ran what the store kept does not. Empty: nothing is
 * known; the session's record says where it was begun. Caller clears. */
CK_CHECKED ck_status ck_place_find(ck_place *out, ck_store *store, const ck_head *head,
                                   ck_error *err);

/* The files are at other places now; NULL: at the same one. A profile and a recording that a move
 * took along are those at the new place, when they are there: all that lay under the folder of the
 * flow, or under the session's, and under as many folders above it as were not renamed. */
CK_CHECKED ck_status ck_place_move(ck_launch *launch, const char *flow, const char *directory,
                                   ck_error *err);
/* ck_launch_read, moved to what ck_place_find says. */
CK_CHECKED ck_status ck_place_read_launch(ck_launch *out, ck_store *store, const ck_head *head,
                                          ck_error *err);

#endif
