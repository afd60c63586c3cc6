/* sealed.h - a backend that wraps a backend: rows are sealed and signed when they are written,
 * checked and opened when they are read.
 *
 * Private to core/store/sealed/ and to store.c and rekey.c: sealed.c opens the wrapper, row.c seals
 * and signs rows of events and checkpoints, head.c heads, bytes.c single values and texts, entry.c
 * the store's entry about its key; blob.c files that are kept; write.c, read.c, request.c are the
 * functions of backend.h, whole.c finds rows that were taken away. store.c wraps the backend when
 * the store has a key; the store core sees rows as if there were no key, except that a row that
 * cannot be opened bears a `fault`.
 *
 * Every event, checkpoint and head is signed (mac, key_id): its columns, its session's id and time
 * of creation, its bytes. Sealed are bodies of events, payloads and infos of checkpoints, digests
 * of heads, inputs, reasons, descriptions and nodes of sessions, what runs executed (bound to the
 * run alone, so that a fork can have a copy), facts and the bodies of requests. An event's check is
 * sealed with its body, a checkpoint's three digests with its info, because the digest of a text
 * that can be guessed reveals the text; the column of the checkpoint's own digest holds one that
 * depends on the key. The checks of all other rows, 64 bits, become signatures too
 * (sqlite/check.c).
 *
 * The entry about the key, in meta: 1 byte version (2; 1: the store has no inventory yet), 1 byte
 * state (1 at rest, 2 the key is being changed), 8 bytes id of the key; in state 2 also 8 bytes id
 * of the previous key (zeros: none); 32 bytes signature of these bytes by the key; in state 2
 * another one by the previous key. */
#ifndef CK_STORE_SEALED_SEALED_H
#define CK_STORE_SEALED_SEALED_H

#include <pthread.h>

#include "core/store/backend.h"
#include "core/store/format/arena.h"

/* The session that a row is bound to besides its own columns. With the time of creation, because a
 * session that was deleted and created again under its id is another one. */
typedef struct ck_sealed_home {
  char id[CK_ID_SIZE];
  int64_t created_ms;
} ck_sealed_home;

enum { CK_SEALED_HOMES = 64 };

typedef struct ck_sealed {
  ck_backend inner;
  ck_arena *arena; /* of the store core: holds sealed rows until they are written. Borrowed */
  ck_seal *seal;
  ck_key_id key;
  pthread_mutex_t mutex;
  struct {
    int64_t no; /* 0: free */
    ck_sealed_home home;
  } homes[CK_SEALED_HOMES];
} ck_sealed;

/* How a store is opened, as far as its key is concerned. Borrowed for the call, except `arena`,
 * which must outlive the backend. */
typedef struct ck_sealed_opening {
  const char *url;   /* for messages */
  const ck_key *key; /* NULL: none was given */
  bool read_only;
  ck_arena *arena;
} ck_sealed_opening;
/* Wraps `backend` when the store has a key (*sealed), or is empty and takes the given one; on
 * failure the backend is as it was. Statuses as ck_store_open. */
CK_CHECKED ck_status ck_sealed_open(bool *sealed, ck_backend *backend,
                                    const ck_sealed_opening *opening, ck_error *err);
/* Whether the store, sealed or not, still has the key that it was opened with. CK_E_REFUSED: it is
 * being changed; CK_E_OTHER_KEY: it was. */
CK_CHECKED ck_status ck_sealed_check_unchanged(const ck_backend *backend, const char *url,
                                               ck_error *err);
/* CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_sealed_get_home(ck_sealed_home *out, ck_sealed *self, int64_t session,
                                        ck_error *err);

/* ---- entry.c ---- */

typedef struct ck_sealed_entry {
  bool is_there, changing;
  bool is_signed; /* the store has an inventory (sqlite/inventory.h) */
  ck_key_id key, before;
  ck_digest signature, before_signature;
} ck_sealed_entry;
/* CK_E_NEWER, CK_E_CORRUPT. No bytes: no entry. */
CK_CHECKED ck_status ck_sealed_entry_read(ck_sealed_entry *out, const char *url, ck_bytes bytes,
                                          ck_error *err);
/* Whether `seal`'s key signed the entry, and `before`'s as the previous one (NULL: there is
 * none). */
bool ck_sealed_entry_is_of(ck_bytes bytes, const ck_sealed_entry *entry, const ck_seal *seal,
                           const ck_seal *before);
/* Writes an entry to the empty `out`. `before`: of the previous key; NULL: none. */
void ck_sealed_entry_append(ck_buffer *out, const ck_seal *seal, const ck_seal *before,
                            bool changing);

/* ---- row.c, bytes.c ---- */

/* The key and the session for which rows are sealed and signed. */
typedef struct ck_sealer {
  const ck_seal *seal;
  const ck_key_id *key;
  const ck_sealed_home *home;
  bool signs_only; /* rows are signed, not sealed */
} ck_sealer;
ck_sealer ck_sealed_sealer(const ck_sealed *self, const ck_sealed_home *home);

/* Seals and signs `row` in place. Memory comes from the arena; bytes that are not sealed stay
 * borrowed. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_sealed_encode_event(ck_event_row *row, const ck_sealer *with,
                                            ck_arena *arena, ck_error *err);
CK_CHECKED ck_status ck_sealed_encode_checkpoint(ck_checkpoint_row *row, const ck_sealer *with,
                                                 ck_arena *arena, ck_error *err);
/* Checks and opens `row` in place; opened bytes lie in `space` (reset first). A payload that was
 * not read stays unread. On CK_E_CORRUPT, CK_E_TRUNCATED, CK_E_WRONG_KEY the row is unchanged; but
 * of a checkpoint of which the payload alone cannot be opened, all else is. The text does not name
 * the row. */
CK_CHECKED ck_status ck_sealed_decode_event(ck_event_row *row, const ck_sealer *with,
                                            ck_buffer *space, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_checkpoint(ck_checkpoint_row *row, const ck_sealer *with,
                                                 ck_buffer *space, ck_error *err);

/* The same for a head, in place; without a seq there is nothing to do. */
void ck_sealed_encode_head(ck_head_row *row, const ck_sealer *with);
CK_CHECKED ck_status ck_sealed_decode_head(ck_head_row *row, const ck_sealer *with, ck_error *err);

/* Single values of rows whose check is the signature: a mark that no JSON and no text begins with,
 * the key's id, the bytes sealed for `use` and `name`. Bytes without the mark are not sealed;
 * decoding copies them. */
bool ck_sealed_is_sealed(ck_bytes bytes);
CK_CHECKED ck_status ck_sealed_encode_bytes(ck_buffer *out, const ck_sealer *with, const char *use,
                                            const char *name, ck_bytes bytes, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_bytes(ck_buffer *out, const ck_sealer *with, const char *use,
                                            const char *name, ck_bytes bytes, ck_error *err);
/* What is always sealed in a store with a key, and lies in rows that no check covers (without
 * use_seal): CK_E_CORRUPT where it is not. */
CK_CHECKED ck_status ck_sealed_check_value(const ck_sealed *self, const char *use,
                                           const ck_value *value, ck_error *err);
/* As of bytes, for a value, and for a text, which becomes the mark and hex digits; NULL stays NULL.
 * *out is malloc'd. */
CK_CHECKED ck_status ck_sealed_encode_value(ck_value **out, const ck_sealer *with, const char *use,
                                            const char *name, const ck_value *value, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_value(ck_value **out, const ck_sealer *with, const char *use,
                                            const char *name, const ck_value *value, ck_error *err);
CK_CHECKED ck_status ck_sealed_encode_text(char **out, const ck_sealer *with, const char *use,
                                           const char *text, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_text(char **out, const ck_sealer *with, const char *use,
                                           const char *text, ck_error *err);

/* From sealed bytes to the content of a text column (the mark, then hex digits), and back. */
void ck_sealed_append_hex(ck_buffer *out, ck_bytes sealed);
CK_CHECKED ck_status ck_sealed_append_stored(ck_buffer *out, ck_bytes stored, bool text,
                                             ck_error *err);
/* The `name` for which a fact is sealed. */
void ck_sealed_append_fact_name(ck_buffer *out, const char *owner, const char *key);

/* CK_E_CORRUPT: rows of the session were taken away (the last event, the number of events, or the
 * latest checkpoint do not agree with each other). */
CK_CHECKED ck_status ck_sealed_check_whole(const ck_session_record *record, ck_sealed *self,
                                           ck_error *err);

/* A row of blob.h, in place: its name is masked, so that nobody can compare it with the digest of a
 * text, and its body sealed, always. Bytes lie in `space` (reset first). Decoding: CK_E_CORRUPT
 * also when the name is not that of the bytes. */
CK_CHECKED ck_status ck_sealed_encode_blob(ck_blob_row *row, const ck_sealer *with,
                                           ck_buffer *space, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_blob(ck_blob_row *row, const ck_sealer *with,
                                           ck_buffer *space, ck_error *err);

/* ---- the functions of backend.h ---- */
void ck_sealed_add_writes(ck_backend *out);
void ck_sealed_add_reads(ck_backend *out);
void ck_sealed_add_blobs(ck_backend *out);   /* blob.c */
void ck_sealed_add_outputs(ck_backend *out); /* output.c */
void ck_sealed_add_worker(ck_backend *out);  /* worker.c */
/* *rows: the same rows sealed, in the arena. */
CK_CHECKED ck_status ck_sealed_encode_blobs(const ck_blob_row **rows, ck_sealed *self, size_t count,
                                            ck_error *err);
void ck_sealed_add_scrub(ck_backend *out); /* scrub.c */
CK_CHECKED ck_status ck_sealed_put_request(void *self, const ck_request *request, ck_error *err);
CK_CHECKED ck_status ck_sealed_get_request(ck_request *out, bool *found, void *self, ck_lease lease,
                                           int64_t after, ck_error *err);
CK_CHECKED ck_status ck_sealed_drop_request(void *self, ck_lease lease, int64_t no, ck_error *err);
CK_CHECKED ck_status ck_sealed_get_head(ck_head_row *out, void *self, int64_t session,
                                        ck_error *err);
CK_CHECKED ck_status ck_sealed_get_about(ck_value **out, char run[CK_ID_SIZE], void *self,
                                         int64_t session, int64_t timeline, ck_error *err);
CK_CHECKED ck_status ck_sealed_read_events(void *self, const ck_event_rows *rows,
                                           ck_event_row_visit visit, void *to, ck_error *err);
CK_CHECKED ck_status ck_sealed_read_checkpoints(void *self, const ck_checkpoint_rows *rows,
                                                ck_checkpoint_row_visit visit, void *to,
                                                ck_error *err);

#endif
