/* payload.h - checks and opens stored payloads; the forms of a pruned checkpoint's row. */
#ifndef CK_STORE_FORMAT_PAYLOAD_H
#define CK_STORE_FORMAT_PAYLOAD_H

#include "core/store/backend.h"
#include "core/store/format/codec.h"
#include "core/store/format/compress.h"

/* Opens the payloads of one session, one after the other. */
typedef struct ck_payload {
  ck_codec_head head; /* of that session */
  ck_compress compress;
  ck_buffer space;
} ck_payload;
void ck_payload_init(ck_payload *self, const char *session_id);
void ck_payload_clear(ck_payload *self);

/* `out` points into `row` or `self` until the next call. Checks format, sizes, payload digest, and
 * that it belongs to this session and seq; not the row's own digest. CK_E_NEWER, CK_E_EMPTY,
 * CK_E_TRUNCATED, CK_E_CORRUPT, CK_E_OVERSIZE, CK_E_WRONG_KEY, CK_E_WRONG_SESSION. The text does
 * not name the row. */
CK_CHECKED ck_status ck_payload_open(ck_codec_reader *out, ck_payload *self,
                                     const ck_checkpoint_row *row, ck_error *err);

/* A pruned checkpoint is first hidden: its payload stays while others load through it. Then its row
 * becomes a stub: no payload, no keyframe, no plain length; the column of the payload's digest
 * holds a seal over all that is left, the checkpoint's digest included. The payload digest of a
 * hidden one is H( "ckrun hidden 1" (14 bytes), 32 bytes H(payload as stored) ), so that no single
 * damaged field turns a kept checkpoint into a pruned one. */
bool ck_payload_is_pruned(const ck_checkpoint_row *row);
bool ck_payload_is_stub(const ck_checkpoint_row *row);
/* `digest`: of the payload as stored. */
ck_digest ck_payload_hide(const ck_digest *digest);
ck_digest ck_payload_seal(const ck_checkpoint_row *row, const char *session_id);
/* CK_E_NEWER; CK_E_CORRUPT: the row is not a stub of this session. */
CK_CHECKED ck_status ck_payload_check_stub(const ck_checkpoint_row *row, const char *session_id,
                                           ck_error *err);

/* Puts "session S, checkpoint ID (seq N)" before the text of a failure; returns `status`. */
ck_status ck_payload_error(ck_status status, ck_error *err, const char *session_id,
                           const ck_checkpoint_row *row);

#endif
