/* codec.h - the payload of a checkpoint: which keys changed, and the bytes that make its state from
 * the parent's.
 *
 * This is format 1 (ck_checkpoint_row.format). Numbers are LEB128 varints (7 bits a byte, low
 * first), unless a size in bytes is given. This is the plain payload; the row tells whether it is
 * compressed (compress.h).
 *
 *   payload := head changed data
 *
 *   head    := tag      8 bytes: the first ones of BLAKE2b-256(session id), by which the payload of
 *                       another session is distinguished from a damaged one
 *              seq      varint: of the checkpoint it belongs to
 *
 *   changed := count    varint
 *              change*  `count` of them, ascending by key (as bytes), each key once
 *   change  := length   varint, 1 to CK_STATE_KEY_MAX
 *              key      `length` bytes
 *              op       1 byte: 1 set, 2 removed
 *              content  32 bytes, only with "set": BLAKE2b-256 of the new value
 *
 *   data    := form     1 byte: 1 delta, 2 keyframe
 *              count    varint
 *              entry*   `count` of them, ascending by key, each key once; nothing follows the last
 *                       one
 *   entry   := ref      varint; n > 0: the key of the n-th change; 0: a key of its own follows:
 *              [length  varint, key  `length` bytes]
 *              op       1 byte, then
 *                1 full:    length varint, bytes
 *                2 splice:  old varint (length of the predecessor), prefix varint, suffix varint
 *                           (prefix + suffix <= old), length varint, bytes: the value is the
 *                           predecessor's first `prefix` bytes, these bytes, and the predecessor's
 *                           last `suffix` bytes
 *                3 removed
 *
 * A delta's entries apply to the state at the checkpoint's parent; a keyframe's entries are all
 * full and are the whole state. The changed section lists the differences from the parent in both
 * forms: it is the part of the payload that the chained digest covers (chain.h), while `data` may
 * be packed again, as delta or keyframe, without breaking the chain. A repacked delta has an entry
 * with ref 0 for a key that changed in a checkpoint that no longer exists. */
#ifndef CK_STORE_FORMAT_CODEC_H
#define CK_STORE_FORMAT_CODEC_H

#include "core/base/digest.h"
#include "core/model/state.h"
#include "core/store/format/splice.h"

enum { CK_PAYLOAD_FORMAT = 1, CK_CODEC_TAG_SIZE = 8 };

typedef enum { CK_CODEC_DELTA = 1, CK_CODEC_KEYFRAME = 2 } ck_codec_form;
typedef enum { CK_CODEC_SET = 1, CK_CODEC_UNSET = 2 } ck_codec_change_op;
typedef enum { CK_CODEC_FULL = 1, CK_CODEC_SPLICE = 2, CK_CODEC_REMOVED = 3 } ck_codec_entry_op;

typedef struct ck_codec_head {
  uint8_t tag[CK_CODEC_TAG_SIZE];
  int64_t seq;
} ck_codec_head;
/* The head of the payloads of the session `session_id`. */
ck_codec_head ck_codec_head_of(const char *session_id, int64_t seq);

/* ---- writing ---- */

/* One changed key, ready to be written. Everything is borrowed. */
typedef struct ck_codec_change {
  ck_bytes key;
  ck_bytes value;    /* NULL data: removed */
  ck_bytes old;      /* the parent's value; NULL data: none */
  ck_splice splice;  /* between both */
  ck_digest content; /* of `value` */
} ck_codec_change;

/* Compares keys as bytes: the order of `changes` in the functions below. */
int ck_codec_compare(ck_bytes a, ck_bytes b);

void ck_codec_write_head(ck_buffer *out, const ck_codec_head *head);
void ck_codec_write_changed(ck_buffer *out, const ck_codec_change *changes, size_t count);
void ck_codec_write_delta(ck_buffer *out, const ck_codec_change *changes, size_t count);
/* `state` is the state after the changes. CK_E_NO_MEMORY. */
CK_CHECKED ck_status ck_codec_write_keyframe(ck_buffer *out, const ck_state *state,
                                             const ck_codec_change *changes, size_t count,
                                             ck_error *err);

/* ---- reading ---- */

/* A change as read; points into the payload. */
typedef struct ck_codec_seen {
  ck_bytes key;
  ck_codec_change_op op;
  ck_digest content;
} ck_codec_seen;

typedef struct ck_codec_entry {
  ck_bytes key;
  ck_codec_entry_op op;
  size_t old, prefix, suffix; /* of a splice */
  ck_bytes bytes;
  bool changed; /* it refers to a change, which is `change` */
  ck_codec_seen change;
} ck_codec_entry;

/* Walks one payload from front to back. Copying it forks the walk. */
typedef struct ck_codec_reader {
  ck_codec_head head;
  ck_bytes changed; /* the whole changed section, its count included */
  uint64_t change_count, entry_count;
  ck_codec_form form;
  ck_bytes change_rest, entry_rest;
  uint64_t changes_read, entries_read;
  ck_bytes last_key; /* of the entries */
  ck_bytes ref_rest; /* the rest of a second walk over the changed section, for refs */
  uint64_t refs_read;
  ck_codec_seen ref;
} ck_codec_reader;

/* Checks head, changed section and the start of the data, so that ck_codec_next_change cannot fail
 * afterwards. CK_E_EMPTY, CK_E_TRUNCATED (it ends too early), CK_E_CORRUPT; the texts do not name
 * the row. `plain` is borrowed. */
CK_CHECKED ck_status ck_codec_open(ck_codec_reader *out, ck_bytes plain, ck_error *err);
/* False when there are no more. */
bool ck_codec_next_change(ck_codec_seen *out, ck_codec_reader *self);
/* `*found` is false when there are no more and nothing follows the last one. CK_E_TRUNCATED,
 * CK_E_CORRUPT. */
CK_CHECKED ck_status ck_codec_next_entry(ck_codec_entry *out, bool *found, ck_codec_reader *self,
                                         ck_error *err);

#endif
