/* sealed.h - a backend in front of a backend: rows are sealed and signed on their way down, checked
 * and opened on their way up.
 *
 * Private to core/store/sealed: sealed.c opens it, sealed_row.c and sealed_bytes.c change what
 * is kept, sealed_write.c and sealed_read.c are the functions of backend.h, sealed_whole.c looks
 * for what is missing. store.c puts it there when a store has a key; everything above sees rows as
 * if there were none, except that a row which cannot be opened has a `fault`.
 *
 * Every event and checkpoint is signed (mac, key_id): its columns, its session's id and time of
 * creation, its bytes. Sealed are bodies of events, payloads and infos of checkpoints, inputs and
 * reasons of sessions, facts and the bodies of requests. An event's check is sealed with its body,
 * a checkpoint's three digests with its info, for the digest of a text that can be guessed tells
 * the text; in the place of the checkpoint's own digest is one that needs the key. The checks of
 * all other rows, 64 bits, become signatures too (sqlite_check.c).
 *
 * The entry about its key in meta: 1 byte version (1), 1 byte state, 8 bytes id of the key; when
 * the state is 2, the key is being changed, 8 bytes id of the one before (zeros: none); 32 bytes
 * signature of these by the key; then one by the one before. */
#ifndef CK_STORE_SEALED_SEALED_H
#define CK_STORE_SEALED_SEALED_H

#include <pthread.h>

#include "core/store/store_core.h"

/* What a row is bound to besides its own columns: a session that was deleted and made anew is
 * another one. */
typedef struct ck_sealed_home {
  char id[CK_ID_SIZE];
  int64_t created_ms;
} ck_sealed_home;

enum { CK_SEALED_HOMES = 64 };

typedef struct ck_sealed {
  ck_backend inner;
  ck_store *front; /* whose arena holds what is written */
  ck_seal *seal;
  ck_key_id key;
  pthread_mutex_t mutex;
  struct {
    int64_t no; /* 0: free */
    ck_sealed_home home;
  } homes[CK_SEALED_HOMES];
} ck_sealed;

/* Puts itself in front of the backend of `front`, when the store has a key. As ck_store_open. */
CK_CHECKED ck_status ck_sealed_open(ck_store *front, const ck_store_options *options,
                                    ck_error *err);
/* CK_E_NOT_FOUND. */
CK_CHECKED ck_status ck_sealed_get_home(ck_sealed_home *out, ck_sealed *self, int64_t session,
                                        ck_error *err);

/* ---- sealed_entry.c ---- */

typedef struct ck_sealed_entry {
  bool is_there, changing;
  ck_key_id key, before;
  ck_digest signature, before_signature;
} ck_sealed_entry;
/* CK_E_NEWER, CK_E_CORRUPT. No bytes: no entry. */
CK_CHECKED ck_status ck_sealed_entry_read(ck_sealed_entry *out, const char *url, ck_bytes bytes,
                                          ck_error *err);
/* Whether the key signed it, and the one before (NULL: there is none). */
bool ck_sealed_entry_is_of(ck_bytes bytes, const ck_sealed_entry *entry, const ck_seal *seal,
                           const ck_seal *before);
/* `out` is empty. `before` NULL: none. */
void ck_sealed_entry_append(ck_buffer *out, const ck_seal *seal, const ck_seal *before,
                            bool changing);

/* ---- sealed_row.c, sealed_bytes.c ---- */

/* With what, and for which session. */
typedef struct ck_sealer {
  const ck_seal *seal;
  const ck_key_id *key;
  const ck_sealed_home *home;
  bool signs_only; /* what is encoded is not sealed */
} ck_sealer;
ck_sealer ck_sealed_sealer(const ck_sealed *self, const ck_sealed_home *home);

/* Memory comes from the arena; what the row points to by itself is borrowed. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_sealed_encode_event(ck_event_row *row, const ck_sealer *with,
                                            ck_arena *arena, ck_error *err);
CK_CHECKED ck_status ck_sealed_encode_checkpoint(ck_checkpoint_row *row, const ck_sealer *with,
                                                 ck_arena *arena, ck_error *err);
/* The row as it was before it was encoded; what it then points to lies in `space` (reset first). A
 * payload that was not read stays so. CK_E_CORRUPT, CK_E_TRUNCATED, CK_E_WRONG_KEY: the row is as
 * it was. The text does not name it. */
CK_CHECKED ck_status ck_sealed_decode_event(ck_event_row *row, const ck_sealer *with,
                                            ck_buffer *space, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_checkpoint(ck_checkpoint_row *row, const ck_sealer *with,
                                                 ck_buffer *space, ck_error *err);

/* What is only sealed, in a row whose check answers for it: a mark that no JSON and no text begins
 * with, the key's id, the bytes sealed for `use` and `name`. Bytes without the mark are as they
 * are. */
bool ck_sealed_is_sealed(ck_bytes bytes);
CK_CHECKED ck_status ck_sealed_encode_bytes(ck_buffer *out, const ck_sealer *with, const char *use,
                                            const char *name, ck_bytes bytes, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_bytes(ck_buffer *out, const ck_sealer *with, const char *use,
                                            const char *name, ck_bytes bytes, ck_error *err);
/* The same of a value and of a text, which is the mark and hex digits then; NULL stays NULL. *out
 * malloc'd. */
CK_CHECKED ck_status ck_sealed_encode_value(ck_value **out, const ck_sealer *with, const char *use,
                                            const char *name, const ck_value *value, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_value(ck_value **out, const ck_sealer *with, const char *use,
                                            const char *name, const ck_value *value, ck_error *err);
CK_CHECKED ck_status ck_sealed_encode_text(char **out, const ck_sealer *with, const char *use,
                                           const char *text, ck_error *err);
CK_CHECKED ck_status ck_sealed_decode_text(char **out, const ck_sealer *with, const char *use,
                                           const char *text, ck_error *err);

/* Between what is sealed and how a text column holds it: the mark, then hex digits. */
void ck_sealed_append_hex(ck_buffer *out, ck_bytes sealed);
CK_CHECKED ck_status ck_sealed_append_stored(ck_buffer *out, ck_bytes stored, bool text,
                                             ck_error *err);
/* What a fact is sealed for. */
void ck_sealed_append_fact_name(ck_buffer *out, const char *owner, const char *key);

/* Rows of a session that were taken away, as far as what is there tells of them. CK_E_CORRUPT. */
CK_CHECKED ck_status ck_sealed_check_whole(const ck_session_record *record, ck_sealed *self,
                                           ck_error *err);

/* ---- the functions of backend.h ---- */
void ck_sealed_add_writes(ck_backend *out);
void ck_sealed_add_reads(ck_backend *out);

#endif
