/* backend.h - what a storage backend provides to the store core: encoded rows in, encoded rows out,
 * and the locks of sessions.
 *
 * The store core does everything that is the same for all backends (encoding, the digest chain,
 * keyframes, decoding, verify); a backend only keeps rows. The writing functions are called under
 * the core's mutex, one at a time; the reading ones from any thread at once. Rows given to a
 * visitor are borrowed for the call.
 *
 * A backend must fill what stands under "Required". Every other function may be NULL: single ones
 * with the meaning that is said beside them, the others in groups, each a capability that is there
 * when all its functions are. ck_backend_require answers for the absence of one. */
#ifndef CK_STORE_BACKEND_H
#define CK_STORE_BACKEND_H

#include "core/store/backup.h"
#include "core/store/capability.h"
#include "core/store/checkpoint_list.h"
#include "core/store/copy_rows.h"
#include "core/store/fact.h"
#include "core/store/inventory_functions.h"
#include "core/store/lapse.h"
#include "core/store/maintenance.h"
#include "core/store/output_row.h"
#include "core/store/request.h"
#include "core/store/row_scrub.h"
#include "core/store/salvage.h"
#include "core/store/server.h"
#include "core/store/session_query.h"
#include "core/store/stats.h"
#include "core/store/worker_functions.h"

typedef struct ck_backend {
  void *self;
  /* ---- Required. The promises are those of the functions of the same name in store.h. ---- */
  CK_CHECKED ck_status (*commit)(void *self, ck_row_batch *batches, size_t count,
                                 ck_durability durability, ck_error *err);
  CK_CHECKED ck_status (*create_session)(ck_lease *out, void *self, const ck_session_record *record,
                                         const ck_row_opening *opening, ck_error *err);
  CK_CHECKED ck_status (*acquire)(ck_lease *out, void *self, const char *session_id,
                                  uint64_t epoch_read, const ck_row_opening *opening,
                                  ck_error *err);
  CK_CHECKED ck_status (*check_owner)(void *self, const char *session_id, ck_error *err);
  void (*release)(void *self, ck_lease lease);
  CK_CHECKED ck_status (*get_session)(ck_session_record *out, void *self, const char *session_id,
                                      ck_error *err);
  CK_CHECKED ck_status (*list_sessions)(void *self, const ck_session_query *query,
                                        ck_session_visit visit, void *to, ck_error *err);
  /* CK_E_NOT_FOUND. */
  CK_CHECKED ck_status (*get_identity)(ck_identity *out, void *self, int64_t session,
                                       ck_error *err);
  /* The session's own: *out malloc'd, ascending by no. */
  CK_CHECKED ck_status (*list_timelines)(ck_timeline **out, size_t *count, void *self,
                                         int64_t session, ck_error *err);
  /* How far the session has come, as its owner wrote it last; seq 0: there is no such row. NULL:
   * the backend keeps none. CK_E_CORRUPT. */
  CK_CHECKED ck_status (*get_head)(ck_head_row *out, void *self, int64_t session, ck_error *err);
  /* What the run of the session's own timeline executed, and its id; NULL in *out: not known. NULL:
   * the backend does not keep it. CK_E_CORRUPT. */
  CK_CHECKED ck_status (*get_about)(ck_value **out, char run[CK_ID_SIZE], void *self,
                                    int64_t session, int64_t timeline, ck_error *err);
  /* Of the session's own events; 0: none. */
  CK_CHECKED ck_status (*last_seq)(int64_t *out, void *self, int64_t session, ck_error *err);
  CK_CHECKED ck_status (*read_checkpoints)(void *self, const ck_checkpoint_rows *rows,
                                           ck_checkpoint_row_visit visit, void *to, ck_error *err);
  CK_CHECKED ck_status (*read_events)(void *self, const ck_event_rows *rows,
                                      ck_event_row_visit visit, void *to, ck_error *err);
  CK_CHECKED ck_status (*get_stats)(ck_store_stats *out, void *self, ck_error *err);
  /* 32 random bytes made with the store: what its key is salted with. No secret. */
  const uint8_t *(*fingerprint_key)(void *self);
  void (*close)(void *self);

  /* ---- Optional, each by itself ---- */
  /* NULL: every commit is durable as it was asked for, and none ends unknown. */
  CK_CHECKED ck_status (*recover)(void *self, ck_error *err);
  CK_CHECKED ck_status (*sync)(void *self, ck_error *err);
  CK_CHECKED ck_status (*idle)(void *self, ck_error *err);
  bool (*claim)(void *self, bool on);   /* ck_store_claim, ck_store_disclaim; NULL: never claimed */
  int (*news)(bool *found, void *self); /* ck_store_news; NULL: it tells none */
  ck_lapse_functions lapse;             /* NULL: its leases last as long as their process */
  ck_worker_functions worker;
  ck_server_functions server; /* NULL: it is none */
  /* Adds them. NULL: they are read one by one. */
  CK_CHECKED ck_status (*count_checkpoints)(ck_checkpoint_count *out, void *self,
                                            const ck_checkpoint_rows *rows, ck_error *err);
  CK_CHECKED ck_status (*vacuum)(int64_t *bytes, void *self, ck_error *err); /* NULL: frees none */
  /* Structural check of its own (integrity_check, foreign keys), to `visit`. NULL: it has none. */
  CK_CHECKED ck_status (*check)(void *self, ck_problem_visit visit, void *to, int64_t *problems,
                                ck_error *err);
  /* NULL: a session's fault is seen by its own process only. See ck_store_set_fault. */
  void (*set_fault)(void *self, ck_lease lease, const char *text);
  void (*get_fault)(char out[CK_STORE_FAULT_MAX], void *self, const char *session_id);
  /* The checks of rows are signatures from now on. Borrowed. `is_signed`: the store has an
   * inventory, and was changed by somebody else when it has not. NULL: rows have no checks. */
  void (*use_seal)(void *self, const ck_seal *seal, bool is_signed);

  /* ---- CK_BACKEND_LOCK ---- */
  /* Takes the session's lock without a run. */
  CK_CHECKED ck_status (*lock_session)(ck_lease *out, void *self, const char *session_id,
                                       uint64_t epoch_read, ck_error *err);

  /* ---- CK_BACKEND_PIN ---- */
  CK_CHECKED ck_status (*pin)(void *self, ck_lease lease, int64_t seq, bool pinned, ck_error *err);
  /* Seqs of the session's own pinned checkpoints, ascending, malloc'd. */
  CK_CHECKED ck_status (*list_pins)(int64_t **out, size_t *count, void *self, int64_t session,
                                    ck_error *err);

  /* ---- CK_BACKEND_PRUNE ---- */
  /* All rows or none, power-durable. CK_E_FENCED, CK_E_NOT_FOUND; CK_E_CORRUPT: other rows. */
  CK_CHECKED ck_status (*prune)(void *self, ck_lease lease, const ck_prune_row *rows, size_t count,
                                ck_error *err);
  /* Seqs from which timelines of forks, and of forks of these, continue; ascending, malloc'd. */
  CK_CHECKED ck_status (*list_bases)(int64_t **out, size_t *count, void *self, int64_t session,
                                     ck_error *err);

  /* ---- CK_BACKEND_DELETE ---- */
  /* CK_E_BUSY: `forks` are not all forks of the session. */
  CK_CHECKED ck_status (*delete_session)(void *self, ck_lease lease, const ck_dependent_fork *forks,
                                         size_t count, ck_error *err);
  CK_CHECKED ck_status (*list_forks)(void *self, int64_t session, ck_session_visit visit, void *to,
                                     ck_error *err);

  /* ---- CK_BACKEND_REQUEST; get_request: of a damaged one (CK_E_CORRUPT) out->no alone ---- */
  CK_CHECKED ck_status (*put_request)(void *self, const ck_request *request, ck_error *err);
  CK_CHECKED ck_status (*get_request)(ck_request *out, bool *found, void *self, ck_lease lease,
                                      int64_t after, ck_error *err);
  CK_CHECKED ck_status (*drop_request)(void *self, ck_lease lease, int64_t no, ck_error *err);

  /* ---- CK_BACKEND_FACT ---- */
  CK_CHECKED ck_status (*put_fact)(void *self, const ck_fact *fact, ck_error *err);
  CK_CHECKED ck_status (*get_fact)(ck_value **out, void *self, const char *owner, const char *key,
                                   ck_error *err);
  CK_CHECKED ck_status (*list_facts)(void *self, const ck_fact_query *query, ck_fact_visit visit,
                                     void *to, ck_error *err);

  /* ---- CK_BACKEND_BLOB: kept for the session from now on; not written twice ---- */
  CK_CHECKED ck_status (*put_blobs)(void *self, ck_lease lease, const ck_blob_row *rows,
                                    size_t count, ck_error *err);
  /* CK_E_NOT_FOUND; CK_E_CORRUPT: its check differs. Such rows are left out of the list. */
  CK_CHECKED ck_status (*get_blob)(void *self, const ck_digest *name, ck_blob_row_visit visit,
                                   void *to, ck_error *err);
  CK_CHECKED ck_status (*list_blobs)(void *self, ck_blob_row_visit visit, void *to, ck_error *err);
  /* Whether it is kept for that session. NULL: that is not known. */
  CK_CHECKED ck_status (*uses_blob)(bool *out, void *self, int64_t session, const ck_digest *name,
                                    ck_error *err);

  /* ---- CK_BACKEND_KEY ---- */
  /* The entry about the store's key (sealed/sealed.h), appended to `out`; no bytes: the store has
   * no key. From then on sessions are created, acquired and changed from outside only while the
   * entry is still this one: CK_E_OTHER_KEY. */
  CK_CHECKED ck_status (*get_key_entry)(ck_buffer *out, void *self, ck_error *err);
  /* The entry as it is by now, to `out`; *same: as get_key_entry gave it. NULL: always so. */
  CK_CHECKED ck_status (*compare_key_entry)(ck_buffer *out, bool *same, void *self, ck_error *err);
  /* Power-durable. CK_E_REFUSED: the store has an entry, or a session, or a fact. */
  CK_CHECKED ck_status (*put_key_entry)(void *self, ck_bytes entry, ck_error *err);
  /* The session's own. */
  CK_CHECKED ck_status (*count_events)(int64_t *out, void *self, int64_t session, ck_error *err);

  /* ---- CK_BACKEND_LIST_KEYS ---- */
  CK_CHECKED ck_status (*list_keys)(void *self, ck_key_visit visit, void *to, ck_error *err);
  /* ---- CK_BACKEND_BACKUP ---- */
  CK_CHECKED ck_status (*backup)(ck_backup_report *out, void *self, const ck_backup_order *order,
                                 ck_error *err);
  CK_CHECKED ck_status (*restore)(void *self, const char *path, ck_restored_visit visit, void *to,
                                  ck_error *err);

  /* ---- CK_BACKEND_REKEY: for ck_store_rekey; no seal is in use ---- */
  /* Replaces the entry and keeps everybody else out from now on. CK_E_OWNED names a session. */
  CK_CHECKED ck_status (*begin_rekey)(void *self, ck_bytes entry, ck_error *err);
  /* Changes the next rows that are not signed by with->to yet, in one transaction; *rows: their
   * number, 0: none are left. */
  CK_CHECKED ck_status (*rekey_rows)(int64_t *rows, void *self, const ck_rekey *with,
                                     ck_error *err);
  /* All other rows and the entry, in one transaction. */
  CK_CHECKED ck_status (*end_rekey)(void *self, const ck_rekey *with, ck_bytes entry,
                                    ck_error *err);
  /* Moves the write-ahead log into the file and truncates it. CK_E_BUSY: a reader needs it. */
  CK_CHECKED ck_status (*clear_log)(void *self, ck_error *err);
  ck_inventory_functions inventory; /* CK_BACKEND_INVENTORY */
  ck_scrub_functions scrub;         /* CK_BACKEND_SCRUB */
  ck_copy_functions copy;           /* CK_BACKEND_COPY */
  ck_output_functions output;       /* CK_BACKEND_OUTPUT */
} ck_backend;

/* True when all functions of the group are there. */
bool ck_backend_can(const ck_backend *self, ck_backend_capability what);
/* CK_E_UNSUPPORTED: "store URL: TEXT". */
CK_CHECKED ck_status ck_backend_require(const ck_backend *self, ck_backend_capability what,
                                        const char *url, ck_error *err);

/* The factories, one file each. `path` is the URL behind its colon. */
CK_CHECKED ck_status ck_backend_open_memory(ck_backend *out, const char *path,
                                            const ck_store_options *options, ck_error *err);
CK_CHECKED ck_status ck_backend_open_sqlite(ck_backend *out, const char *path,
                                            const ck_store_options *options, ck_error *err);
/* The whole URL, "postgres://…" (postgres/url.h). */
CK_CHECKED ck_status ck_backend_open_postgres(ck_backend *out, const char *url,
                                              const ck_store_options *options, ck_error *err);
const char *ck_backend_sqlite_version(void); /* "3.40.1": of the library that is loaded */

#endif
