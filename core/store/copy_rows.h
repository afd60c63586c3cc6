/* copy_rows.h - the rows of a store on their way into another one, of whatever kind, as they are
 * stored: what a backend gives and takes for it. A part of backend.h.
 *
 * Numbers of sessions, epochs, seqs and all bytes stay what they are, so what is sealed or signed
 * stays so; checks of rows, which each kind of store has its own way of, are made anew. */
#ifndef CK_STORE_COPY_ROWS_H
#define CK_STORE_COPY_ROWS_H

#include "core/store/fact.h"
#include "core/store/request.h"
#include "core/store/rows.h"

struct ck_backend;

/* False: no more. */
typedef bool (*ck_use_visit)(void *to, const ck_digest *name);
typedef bool (*ck_request_visit)(void *to, const ck_request *request);

struct ck_copy_sink;

/* CK_BACKEND_COPY: what is read for it besides what backend.h has; `self` is the backend's. */
typedef struct ck_copy_functions {
  /* Everything that is read until the end is what the store held at one moment. By one thread; a
   * visitor reads nothing. */
  CK_CHECKED ck_status (*begin_reading)(void *self, ck_error *err);
  void (*end_reading)(void *self);
  /* The names, as stored, of what is kept for the session, in the order of list_blobs. */
  CK_CHECKED ck_status (*list_uses)(void *self, int64_t session, ck_use_visit visit, void *to,
                                    ck_error *err);
  /* Those that wait, oldest first, as stored; borrowed for the call. */
  CK_CHECKED ck_status (*list_requests)(void *self, int64_t session, ck_request_visit visit,
                                        void *to, ck_error *err);
  /* Takes rows into a store that has others, in one transaction, power-durable: what `fill` gives
   * to the sink, whose numbers are its own. NULL: the backend has another way. */
  CK_CHECKED ck_status (*take_back)(void *self,
                                    ck_status (*fill)(void *to, const struct ck_copy_sink *sink,
                                                      ck_error *err),
                                    void *to, ck_error *err);
} ck_copy_functions;

/* Who takes the rows. A session comes before what is in it, behind its origin, and is ended; kept
 * files come before the sessions that use them. Rows are borrowed for the call. */
typedef struct ck_copy_sink {
  void *self;
  ck_status (*session)(void *self, const ck_session_record *record, ck_error *err);
  ck_status (*timeline)(void *self, int64_t session, const ck_timeline *timeline,
                        const ck_value *about, ck_error *err);
  ck_status (*head)(void *self, int64_t session, const ck_head_row *row, ck_error *err);
  ck_status (*event)(void *self, int64_t session, const ck_event_row *row, ck_error *err);
  ck_status (*checkpoint)(void *self, int64_t session, const ck_checkpoint_row *row, ck_error *err);
  ck_status (*pin)(void *self, int64_t session, int64_t seq, ck_error *err);
  ck_status (*use)(void *self, int64_t session, const ck_digest *name, ck_error *err);
  ck_status (*request)(void *self, const ck_request *request, ck_error *err);
  ck_status (*end_session)(void *self, int64_t session, ck_error *err);
  ck_status (*blob)(void *self, const ck_blob_row *row, ck_error *err);
  ck_status (*fact)(void *self, const ck_fact *fact, ck_error *err);
  /* ---- of take_back ---- */
  /* The number of a session that comes next. */
  ck_status (*number)(void *self, int64_t *out, ck_error *err);
  /* A checkpoint that is here gets its payload back; *is_same: it is that one, by its digest;
   * *changed: it had none, or one that is hidden. CK_E_FENCED. */
  ck_status (*payload)(void *self, ck_lease lease, const ck_checkpoint_row *row, bool *is_same,
                       bool *changed, ck_error *err);
} ck_copy_sink;

/* A new store that takes them. Borrowed. */
typedef struct ck_receiving {
  const uint8_t *fingerprint_key; /* it gets this one, with which the key seals */
  ck_bytes key_entry;             /* and this entry about its key; no bytes: it has none */
  const ck_seal *seal;            /* NULL: it has no key */
  uint64_t generation;            /* its inventory, if it has one, gets a later one */
  /* Fills it, and compares it: `made` reads what the sink was given. A failure is the call's, and
   * leaves nothing. */
  ck_status (*fill)(void *to, const ck_copy_sink *sink, const struct ck_backend *made,
                    ck_error *err);
  /* Of a store in a file, as in ck_backup_order; NULL: nothing is beside it. */
  ck_status (*before)(void *to, const char *path, ck_error *err);
  void *to;
} ck_receiving;

/* Make a store at once, power-durable: it is whole, or absent, whenever this is killed.
 * CK_E_EXISTS: there is one that is not empty; sqlite: or any file that would belong to it. */
CK_CHECKED ck_status ck_backend_receive_sqlite(const char *path, const ck_receiving *what,
                                               ck_error *err);
CK_CHECKED ck_status ck_backend_receive_postgres(const char *url, const ck_receiving *what,
                                                 ck_error *err);

#endif
