/* spills.h - long outputs, kept as long as a result names them: files beside a store in a file, and
 * in the store itself where it is on a server. */
#ifndef CK_HOST_RUN_SPILLS_H
#define CK_HOST_RUN_SPILLS_H

#include "core/base/shelf.h"
#include "core/redact/expression.h"
#include "core/store/store.h"

/* The folder PATH.spill beside the store's file PATH; where the store is no file, what it keeps
 * itself (`store` NULL: nothing): a shelf on which nothing stands, if it keeps none. */
CK_CHECKED ck_status ck_spills_open(ck_shelf *out, const char *store_url, ck_store *store,
                                    ck_error *err);

typedef struct ck_spills_size {
  int64_t files, bytes;
} ck_spills_size;
/* Of all sessions. */
CK_CHECKED ck_status ck_spills_measure(ck_spills_size *out, const ck_shelf *shelf, ck_error *err);

/* Removes (or, `dry`, only counts) the files of a session that no recorded outcome of it names:
 * left by a run that was killed, or by an effect that was given up. None of its effects may be
 * pending: to remove, the session's lock is held. */
CK_CHECKED ck_status ck_spills_sweep(ck_spills_size *out, const ck_shelf *shelf, ck_store *store,
                                     const ck_session_record *session, bool dry, ck_error *err);
/* Removes all files of a deleted session. */
CK_CHECKED ck_status ck_spills_remove(const ck_shelf *shelf, const char *session, ck_error *err);
typedef struct ck_spills_scrub_order {
  ck_redactor *redactor;     /* ck_redactor_new_scrubber */
  const uint8_t *key;        /* of ck_store_fingerprint_key; NULL */
  ck_expression *expression; /* nothing is changed: what it matches is learned; NULL */
  bool dry_run;              /* only counted */
} ck_spills_scrub_order;
/* Replaces each file of a session that holds a secret by one without; *changed: their number. The
 * session's lock is held. One that is not sealed beside a store with a key is, then. CK_E_FULL,
 * CK_E_IO, CK_E_CORRUPT: that file is as it was. */
CK_CHECKED ck_status ck_spills_scrub(int64_t *changed, const ck_shelf *shelf, const char *session,
                                     const ck_spills_scrub_order *order, ck_error *err);
/* Seals each file for a store with the fingerprint key `to` that has `from` (NULL: none) now,
 * beside it under a name of its own. Again is as once. CK_E_CORRUPT: one has neither key;
 * CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_spills_begin_rekey(const ck_shelf *shelf, const uint8_t *from,
                                           const uint8_t *to, ck_error *err);
/* Behind it, when the store has the key `to`: they take the places of the others. */
CK_CHECKED ck_status ck_spills_end_rekey(const ck_shelf *shelf, const uint8_t *to, ck_error *err);
/* Appends the text of a long output: `name` is "stdout" or "stderr"; of the last attempt that has
 * one. CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_spills_read(ck_buffer *out, const ck_shelf *shelf, const uint8_t *key,
                                    const char *session, const char *effect, const char *name,
                                    ck_error *err);
/* Copies those of a session (NULL: of all) into the new folder `to`, which appears whole; it is not
 * made for none. CK_E_EXISTS, CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_spills_copy(const ck_shelf *from, const char *session, const char *to,
                                    ck_error *err);
/* Copies those that are not there yet, into a folder or what a store keeps; each appears whole. In
 * a store each session's lock is held meanwhile; those of no session of it are left out.
 * CK_E_OWNED: one is run. */
CK_CHECKED ck_status ck_spills_add(const ck_shelf *from, const ck_shelf *to, ck_store *store,
                                   ck_error *err);

#endif
