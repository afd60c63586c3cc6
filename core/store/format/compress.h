/* compress.h - from bytes to their stored form and back: zstd where it saves space; no stored
 * length is trusted. */
#ifndef CK_STORE_FORMAT_COMPRESS_H
#define CK_STORE_FORMAT_COMPRESS_H

#include "core/base/buffer.h"

/* How the level was chosen: microseconds (hot, one thread) and what is left of 3,299 recorded
 * messages of 0.5 to 100 KB, 1.6 KB in the mean; instructions for one of 2 KB.
 *
 *   zstd   3   10.3 us   43.6 %   64,300      lz4                  2.4 us   58.6 %
 *   zstd   1    8.3 us   44.0 %   60,800      1, dictionary 4 KB   7.0 us   34.3 %
 *   zstd  -1    5.1 us   55.8 %   36,800     -1, dictionary 4 KB   5.9 us   41.5 %
 *   zstd  -5    3.6 us   65.7 %   34,300      1, dictionary 64 KB  5.2 us   28.2 %
 *
 * A quarter more bytes, which are written, synced, moved and read again, for 3 us of a step is not
 * worth it. The dictionaries were trained on other messages of the same recordings: one for all
 * programs would save less, and every reader of a store would need it. Level 3 saves 19 % of 1 MB,
 * at 1.5 times the time. */
enum {
  CK_COMPRESS_FROM = 512, /* bytes; the default where a profile sets nothing */
  CK_COMPRESS_LEVEL = 1   /* of zstd */
};
/* Plain bytes of one payload or one event body, at most. */
#define CK_PLAIN_MAX ((int64_t)1 << 30)

/* One zstd context each way, made when first needed. Zero-initialise; one thread at a time. */
typedef struct ck_compress {
  void *encoder, *decoder;
  size_t from; /* shorter bytes are stored plain; 0: CK_COMPRESS_FROM */
} ck_compress;
/* False when `len` bytes are to be stored plain. */
bool ck_compress_wants(const ck_compress *self, size_t len);
void ck_compress_clear(ck_compress *self);

/* Writes the compressed form to `to`, which holds from.len bytes, and returns its length; 0: store
 * `from` plain, because it is short or would not become smaller, or because there is no memory for
 * a context. */
size_t ck_compress_encode(ck_compress *self, char *to, ck_bytes from);

/* Bytes in the form of a row. */
typedef struct ck_stored {
  int encoding; /* ck_encoding */
  int64_t plain_len;
  ck_bytes bytes;
} ck_stored;

/* The plain bytes: those of `stored` themselves, or `space` (reset first). The text of an error
 * does not name the row. CK_E_EMPTY, CK_E_TRUNCATED, CK_E_CORRUPT, CK_E_OVERSIZE; CK_E_WRONG_KEY:
 * sealed, and no key is known; CK_E_NEWER: an encoding this version does not know. */
CK_CHECKED ck_status ck_compress_decode(ck_bytes *out, ck_compress *self, ck_buffer *space,
                                        const ck_stored *stored, ck_error *err);

#endif
