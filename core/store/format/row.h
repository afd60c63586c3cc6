/* row.h - rows: an event's, that was read, unpacked and checked; a checkpoint's integers. */
#ifndef CK_STORE_FORMAT_ROW_H
#define CK_STORE_FORMAT_ROW_H

#include "core/store/format/compress.h"
#include "core/store/rows.h"

/* The status and text of `fault`, which a row that could not be opened bears; CK_OK for NULL. */
CK_CHECKED ck_status ck_row_check_fault(const ck_error *fault, ck_error *err);

/* The body of an event's row. compress and space are the caller's; plain lies in space. */
typedef struct ck_row_body {
  ck_compress *compress;
  ck_buffer *space;
  ck_bytes plain;
  ck_digest digest; /* of the event */
} ck_row_body;
/* Unpacks the body and compares its digest with the row's check. The row's fault; the statuses of
 * ck_compress_decode; CK_E_CORRUPT: the check differs. The text does not name the row. */
CK_CHECKED ck_status ck_row_open_body(ck_row_body *self, const ck_event_row *row, ck_error *err);
/* The event of a row; its body is a new value (the caller frees it), texts are borrowed from the
 * row. As ck_row_open_body. */
CK_CHECKED ck_status ck_row_decode_event(ck_event *out, ck_compress *compress, ck_buffer *space,
                                         const ck_event_row *row, ck_error *err);

/* The integers of a checkpoint's row in the order of its columns, from seq to plain_len. They are
 * signed in this order: it never changes. */
enum { CK_CHECKPOINT_ROW_ENCODING = 18, CK_CHECKPOINT_ROW_INTS = 20 };
void ck_checkpoint_row_ints(int64_t out[CK_CHECKPOINT_ROW_INTS], const ck_checkpoint_row *row);

#endif
