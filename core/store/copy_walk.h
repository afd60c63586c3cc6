/* copy_walk.h - reads all of a store, or one session with its origins, into a sink; and a sink that
 * makes digests. Private to copy*.c and take_back.c. */
#ifndef CK_STORE_COPY_WALK_H
#define CK_STORE_COPY_WALK_H

#include "core/store/backend.h"
#include "core/store/copy.h"

/* The store's rows as they are stored. */
const ck_backend *ck_copy_rows_of(const ck_store *store);

/* The sessions on the way, ascending by number. */
typedef struct ck_copy_list {
  struct ck_copy_named {
    int64_t no, origin;
    char id[CK_ID_SIZE];
  } * sessions;
  size_t count, cap;
  bool all;
} ck_copy_list;
/* `session` NULL: all. CK_E_NOT_FOUND. Caller clears. */
CK_CHECKED ck_status ck_copy_list_make(ck_copy_list *out, const ck_backend *from,
                                       const char *session, ck_error *err);
void ck_copy_list_clear(ck_copy_list *self);
/* In the order that copy_rows.h tells. */
CK_CHECKED ck_status ck_copy_walk(const ck_backend *from, const ck_copy_list *list,
                                  const ck_copy_sink *sink, ck_error *err);

/* A digest of each session, and one of the rest. */
typedef struct ck_copy_digest {
  ck_copy_report report;
  ck_digester now;   /* of the present session */
  ck_digester files; /* what is no session's */
  ck_digest *sessions;
  int64_t *numbers;
  size_t count, cap, number_cap;
  const ck_copy_sink *then; /* gets the rows, too; NULL: nobody */
} ck_copy_digest;
ck_copy_sink ck_copy_digest_sink(ck_copy_digest *self);
void ck_copy_digest_init(ck_copy_digest *self, const ck_copy_sink *then);
void ck_copy_digest_clear(ck_copy_digest *self);
/* What differs first: *session: its number, 0: no session's. */
bool ck_copy_digest_equal(const ck_copy_digest *a, const ck_copy_digest *b, int64_t *session);

#endif
