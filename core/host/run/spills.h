/* spills.h - the files of long outputs, kept as long as a result names them. */
#ifndef CK_HOST_RUN_SPILLS_H
#define CK_HOST_RUN_SPILLS_H

#include "core/redact/expression.h"
#include "core/store/store.h"

/* PATH.spill beside the store's file PATH; NULL for a store without one. malloc'd. */
CK_CHECKED ck_status ck_spills_find(char **out, const char *store_url, ck_error *err);

typedef struct ck_spills_size {
  int64_t files, bytes;
} ck_spills_size;
/* Of all sessions, in `folder`, which may be NULL. */
CK_CHECKED ck_status ck_spills_measure(ck_spills_size *out, const char *folder, ck_error *err);

/* Removes (or, `dry`, only counts) the files of a session that no recorded outcome of it names:
 * left by a run that was killed, or by an effect that was given up. None of its effects may be
 * pending: to remove, the session's lock is held. `folder` may be NULL. */
CK_CHECKED ck_status ck_spills_sweep(ck_spills_size *out, const char *folder, ck_store *store,
                                     const ck_session_record *session, bool dry, ck_error *err);
/* Removes all files of a deleted session. */
CK_CHECKED ck_status ck_spills_remove(const char *folder, const char *session, ck_error *err);
typedef struct ck_spills_scrub_order {
  ck_redactor *redactor;     /* ck_redactor_new_scrubber */
  const uint8_t *key;        /* of ck_store_fingerprint_key; NULL */
  ck_expression *expression; /* nothing is changed: what it matches is learned; NULL */
  bool dry_run;              /* only counted */
} ck_spills_scrub_order;
/* Replaces each file of a session that holds a secret by one without; *changed: their number. The
 * session's lock is held. One that is not sealed beside a store with a key is, then. CK_E_FULL,
 * CK_E_IO, CK_E_CORRUPT: that file is as it was. `folder` may be NULL. */
CK_CHECKED ck_status ck_spills_scrub(int64_t *changed, const char *folder, const char *session,
                                     const ck_spills_scrub_order *order, ck_error *err);
/* Seals each file for a store with the fingerprint key `to` that has `from` (NULL: none) now,
 * beside it under a name of its own. Again is as once. CK_E_CORRUPT: one has neither key;
 * CK_E_FULL, CK_E_IO. */
CK_CHECKED ck_status ck_spills_begin_rekey(const char *folder, const uint8_t *from,
                                           const uint8_t *to, ck_error *err);
/* Behind it, when the store has the key `to`: they take the places of the others. */
CK_CHECKED ck_status ck_spills_end_rekey(const char *folder, const uint8_t *to, ck_error *err);
/* Opens each file that a recorded outcome of a session names, and visits those that are not what
 * was written; *unsealed: those that are not sealed, where `key` (NULL: none) seals them. */
typedef void (*ck_spills_damaged)(void *to, const char *session, ck_status status,
                                  const char *text);
CK_CHECKED ck_status ck_spills_verify(int64_t *unsealed, const char *folder, ck_store *store,
                                      const ck_session_record *session, ck_spills_damaged visit,
                                      void *to, ck_error *err);
/* Appends the text of a long output: `name` is "stdout" or "stderr"; of the last attempt that has
 * one. CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_spills_read(ck_buffer *out, const char *folder, const uint8_t *key,
                                    const char *session, const char *effect, const char *name,
                                    ck_error *err);
/* Copies the files of a session (NULL: of all) in `folder` (NULL or absent: there are none) into
 * the new folder `to`, which appears whole; it is not made for none. CK_E_EXISTS, CK_E_FULL,
 * CK_E_IO. */
CK_CHECKED ck_status ck_spills_copy(const char *folder, const char *session, const char *to,
                                    ck_error *err);
/* Copies those of `folder` that are not in the folder `to` yet, which is made if it is not there;
 * each appears whole. */
CK_CHECKED ck_status ck_spills_add(const char *folder, const char *to, ck_error *err);

#endif
