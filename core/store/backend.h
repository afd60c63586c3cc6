/* backend.h - what a storage backend provides to store.c: encoded rows in, encoded rows out, and
 * the locks.
 *
 * store.c does everything that is the same for all backends (encoding, the digest chain, keyframes,
 * decoding, verify); a backend only keeps rows. store.c calls the writing functions under its own
 * mutex, one at a time; the reading ones may come from any thread at once. Rows handed to a visitor
 * are borrowed for the call. */
#ifndef CK_STORE_BACKEND_H
#define CK_STORE_BACKEND_H

#include "core/store/rows.h"
#include "core/store/maintenance.h"

typedef struct ck_backend {
  void *self;
  /* Writing. The promises are those of the functions of the same name in store.h. */
  CK_CHECKED ck_status (*commit)(void *self, ck_row_batch *batches, size_t count,
                                 ck_durability durability, ck_error *err);
  /* All rows or none, power-durable. CK_E_FENCED, CK_E_NOT_FOUND; CK_E_CORRUPT: a row is not the
   * one that was read. */
  CK_CHECKED ck_status (*prune)(void *self, ck_lease lease, const ck_prune_row *rows, size_t count,
                                ck_error *err);
  CK_CHECKED ck_status (*recover)(void *self, ck_error *err);
  CK_CHECKED ck_status (*sync)(void *self, ck_error *err);
  CK_CHECKED ck_status (*idle)(void *self, ck_error *err);
  CK_CHECKED ck_status (*create_session)(ck_lease *out, void *self, const ck_session_record *record,
                                         const ck_row_opening *opening, ck_error *err);
  CK_CHECKED ck_status (*acquire)(ck_lease *out, void *self, const char *session_id,
                                  uint64_t epoch_read, const ck_row_opening *opening,
                                  ck_error *err);
  /* Takes the lock alone. */
  CK_CHECKED ck_status (*hold)(ck_lease *out, void *self, const char *session_id,
                               uint64_t epoch_read, ck_error *err);
  CK_CHECKED ck_status (*pin)(void *self, ck_lease lease, int64_t seq, bool pinned, ck_error *err);
  /* CK_E_BUSY: the heirs are not all of its forks. */
  CK_CHECKED ck_status (*delete_session)(void *self, ck_lease lease, const ck_dependent_fork *heirs,
                                         size_t count, ck_error *err);
  CK_CHECKED ck_status (*give_back)(int64_t *bytes, void *self, ck_error *err);
  CK_CHECKED ck_status (*check_owner)(void *self, const char *session_id, ck_error *err);
  /* NULL: sessions are seen by their own process only. See store.h. */
  void (*set_trouble)(void *self, ck_lease lease, const char *text);
  void (*get_trouble)(char out[CK_STORE_FAULT_MAX], void *self, const char *session_id);
  void (*release)(void *self, ck_lease lease);
  CK_CHECKED ck_status (*put_request)(void *self, const ck_request *request, ck_error *err);
  CK_CHECKED ck_status (*get_request)(ck_request *out, bool *found, void *self, ck_lease lease,
                                      ck_error *err);
  CK_CHECKED ck_status (*put_fact)(void *self, const ck_fact *fact, ck_error *err);
  CK_CHECKED ck_status (*get_fact)(ck_value **out, void *self, const char *owner, const char *key,
                                   ck_error *err);
  /* Reading. */
  CK_CHECKED ck_status (*get_session)(ck_session_record *out, void *self, const char *session_id,
                                      ck_error *err);
  CK_CHECKED ck_status (*list_sessions)(void *self, ck_session_status status,
                                        ck_session_visit visit, void *to, ck_error *err);
  CK_CHECKED ck_status (*list_forks)(void *self, int64_t session, ck_session_visit visit, void *to,
                                     ck_error *err);
  /* Seqs, ascending, malloc'd: the pinned ones; those that timelines of forks, and of their forks,
   * go on from. */
  CK_CHECKED ck_status (*list_pins)(int64_t **out, size_t *count, void *self, int64_t session,
                                    ck_error *err);
  CK_CHECKED ck_status (*list_bases)(int64_t **out, size_t *count, void *self, int64_t session,
                                     ck_error *err);
  /* CK_E_NOT_FOUND. */
  CK_CHECKED ck_status (*get_identity)(ck_identity *out, void *self, int64_t session,
                                       ck_error *err);
  /* The session's own: *out malloc'd, ascending by no. */
  CK_CHECKED ck_status (*list_timelines)(ck_timeline **out, size_t *count, void *self,
                                         int64_t session, ck_error *err);
  /* Of its own events; 0: none. */
  CK_CHECKED ck_status (*last_seq)(int64_t *out, void *self, int64_t session, ck_error *err);
  CK_CHECKED ck_status (*read_checkpoints)(void *self, const ck_checkpoint_rows *rows,
                                           ck_checkpoint_row_visit visit, void *to, ck_error *err);
  CK_CHECKED ck_status (*read_events)(void *self, const ck_event_rows *rows,
                                      ck_event_row_visit visit, void *to, ck_error *err);
  CK_CHECKED ck_status (*count_events)(int64_t *out, void *self, int64_t session, ck_error *err);
  /* What the store says of its key (sealed.h), appended; no bytes: it has none. From then on
   * sessions are only made, taken and changed from outside while it says the same:
   * CK_E_WRONG_KEY. */
  CK_CHECKED ck_status (*get_key_entry)(ck_buffer *out, void *self, ck_error *err);
  /* Power-durable. CK_E_REFUSED: there is one, or a session, or a fact. */
  CK_CHECKED ck_status (*put_key_entry)(void *self, ck_bytes entry, ck_error *err);
  /* Those of rekey.h, without a seal in use; NULL: this backend cannot. Where they end the
   * transaction is over. */
  CK_CHECKED ck_status (*list_keys)(void *self, ck_key_visit visit, void *to, ck_error *err);
  /* Nobody else is at work from now on: the entry is another one. CK_E_OWNED names a session that
   * is being run. */
  CK_CHECKED ck_status (*begin_rekey)(void *self, ck_bytes entry, ck_error *err);
  /* The next rows that are not signed by with->to yet; *rows: how many they were, 0: there are no
   * more. */
  CK_CHECKED ck_status (*rekey_rows)(int64_t *rows, void *self, const ck_rekey *with,
                                     ck_error *err);
  /* All other rows and the entry, in one transaction. */
  CK_CHECKED ck_status (*end_rekey)(void *self, const ck_rekey *with, ck_bytes entry,
                                    ck_error *err);
  /* The write-ahead log goes into the file and is cut. CK_E_BUSY: a reader keeps it. */
  CK_CHECKED ck_status (*clear_log)(void *self, ck_error *err);
  /* The checks of rows are signatures from now on. Borrowed. */
  void (*use_seal)(void *self, const ck_seal *seal);
  /* Structural check of the backend's own (integrity_check, foreign keys); problems go to
   * `visit`. */
  CK_CHECKED ck_status (*check)(void *self, ck_problem_visit visit, void *to, int64_t *problems,
                                ck_error *err);
  CK_CHECKED ck_status (*get_stats)(ck_store_stats *out, void *self, ck_error *err);
  const uint8_t *(*fingerprint_key)(void *self);
  void (*close)(void *self);
} ck_backend;

/* The factories, one file each. `path` is the URL behind its colon. */
CK_CHECKED ck_status ck_backend_open_memory(ck_backend *out, const char *path,
                                            const ck_store_options *options, ck_error *err);
CK_CHECKED ck_status ck_backend_open_sqlite(ck_backend *out, const char *path,
                                            const ck_store_options *options, ck_error *err);

#endif
