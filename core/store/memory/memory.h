/* memory.h - the memory backend: sessions with rows that never change once they are visible;
 * pruning replaces them.
 *
 * Private to core/store/memory/: memory.c opens and writes, read.c reads, rows.c copies rows,
 * prune.c replaces them, maintenance.c pins and deletes, request.c, fact.c and key.c keep the
 * rest. */
#ifndef CK_STORE_MEMORY_MEMORY_H
#define CK_STORE_MEMORY_MEMORY_H

#include <pthread.h>

#include "core/store/backend.h"

/* Pointers to rows, ascending by seq. The first `count` are visible; the others, up to `staged`,
 * belong to a commit that is under way. */
typedef struct ck_memory_rows {
  void **rows;
  size_t count, staged, cap;
} ck_memory_rows;

typedef struct ck_memory_session {
  ck_session_record record;
  ck_timeline *timelines;
  ck_value **abouts; /* what the runs of these executed; NULL: not known */
  size_t timeline_count;
  ck_head_row head;
  int64_t base;               /* seq before its first event: a fork's cut */
  ck_memory_rows events;      /* ck_event_row: the one with seq N is at N - base - 1 */
  ck_memory_rows checkpoints; /* ck_checkpoint_row */
  int64_t *pins;              /* ascending */
  size_t pin_count;
  bool deleted;      /* the number is not reused; rows stay until the store is freed */
  const void *owner; /* the open handle that holds the lease; NULL: none */
} ck_memory_session;

typedef struct ck_memory_request {
  struct ck_memory_request *next;
  ck_request request;
} ck_memory_request;

typedef struct ck_memory_fact {
  char *owner, *key;
  ck_value *value;
  int64_t at_ms;
} ck_memory_fact;

typedef struct ck_memory {
  struct ck_memory *next; /* in the list of named stores */
  char *name;
  int handles;
  pthread_mutex_t mutex;
  /* number N is at N - 1; a session is never moved or freed before the store */
  ck_memory_session **sessions;
  size_t session_count, session_cap;
  ck_memory_request *requests; /* oldest first */
  int64_t last_request;
  ck_memory_fact *facts; /* ascending by owner and key */
  size_t fact_count, fact_cap;
  int walks;      /* reads under way */
  void **retired; /* replaced rows, which the reads may still use */
  size_t retired_count, retired_cap;
  uint8_t key[CK_DIGEST_SIZE];
  ck_buffer key_entry;
} ck_memory;

/* Made by one ck_store_open; its address marks the sessions whose leases it holds. */
typedef struct ck_memory_handle {
  ck_memory *memory;
} ck_memory_handle;

/* key.c */
void ck_memory_add_key(ck_backend *out);
/* request.c */
void ck_memory_add_requests(ck_backend *out);
void ck_memory_request_free(ck_memory_request *kept);
/* fact.c */
void ck_memory_add_facts(ck_backend *out);
void ck_memory_free_facts(ck_memory *self);

/* Locks the store of a backend's `self`; unlocking returns `status`. */
ck_memory *ck_memory_lock(void *self);
ck_status ck_memory_unlock(ck_memory *self, ck_status status);
/* NULL when there is none. */
ck_memory_session *ck_memory_get_session(const ck_memory *self, int64_t no);
ck_memory_session *ck_memory_get_named(const ck_memory *self, const char *session_id);
ck_status ck_memory_no_session(const ck_memory *self, const char *session_id, ck_error *err);
/* The index of the first checkpoint, staged ones too, with at least this seq. */
size_t ck_memory_find_checkpoint(const ck_memory_session *session, int64_t seq);
/* Sets the functions of read.c. */
void ck_memory_add_reading(ck_backend *out);

CK_CHECKED ck_status ck_memory_session_new(ck_memory_session **out, const ck_session_record *record,
                                           ck_error *err);
void ck_memory_session_free(ck_memory_session *self);

/* Copies a row behind the staged ones. */
CK_CHECKED ck_status ck_memory_push_event(ck_memory_session *self, const ck_event_row *row,
                                          ck_error *err);
CK_CHECKED ck_status ck_memory_push_checkpoint(ck_memory_session *self,
                                               const ck_checkpoint_row *row, ck_error *err);
CK_CHECKED ck_status ck_memory_push_timeline(ck_memory_session *self, const ck_timeline *timeline,
                                             const ck_value *about, ck_error *err);
/* NULL without memory. Free with free(). */
ck_checkpoint_row *ck_memory_copy_checkpoint(const ck_checkpoint_row *from);
/* Staged rows become visible, or are freed. */
void ck_memory_apply_staged(ck_memory_session *self);
void ck_memory_drop_staged(ck_memory_session *self);

/* As in backend.h. */
CK_CHECKED ck_status ck_memory_prune(void *self, ck_lease lease, const ck_prune_row *rows,
                                     size_t count, ck_error *err);
CK_CHECKED ck_status ck_memory_pin(void *self, ck_lease lease, int64_t seq, bool pinned,
                                   ck_error *err);
CK_CHECKED ck_status ck_memory_delete_session(void *self, ck_lease lease,
                                              const ck_dependent_fork *forks, size_t count,
                                              ck_error *err);
CK_CHECKED ck_status ck_memory_list_forks(void *self, int64_t session, ck_session_visit visit,
                                          void *to, ck_error *err);
CK_CHECKED ck_status ck_memory_list_pins(int64_t **out, size_t *count, void *self, int64_t session,
                                         ck_error *err);
CK_CHECKED ck_status ck_memory_list_bases(int64_t **out, size_t *count, void *self, int64_t session,
                                          ck_error *err);
/* ck_memory_list_bases for a caller that holds the lock. */
CK_CHECKED ck_status ck_memory_read_bases(int64_t **out, size_t *count, const ck_memory *memory,
                                          int64_t session, ck_error *err);
/* CK_E_NOT_FOUND: the checkpoint `seq`, from which a timeline of `session` continues, is gone. With
 * the lock. */
CK_CHECKED ck_status ck_memory_check_base(const ck_memory *memory, const ck_memory_session *session,
                                          int64_t seq, ck_error *err);
/* With the lock, and no read under way. */
void ck_memory_free_retired(ck_memory *self);
/* CK_E_NOT_FOUND, CK_E_FENCED. With the lock. */
CK_CHECKED ck_status ck_memory_check_lease(const ck_memory_session *session, ck_lease lease,
                                           ck_error *err);

/* A deep copy. */
CK_CHECKED ck_status ck_memory_copy_record(ck_session_record *out, const ck_session_record *from,
                                           ck_error *err);

#endif
