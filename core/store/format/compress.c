/* compress.c - zstd frames with their content size, and the checks before and after
 * decompression. */
#include "core/store/format/compress.h"

#include <zstd.h>
#include <zstd_errors.h>

#include "core/store/backend.h"

/* Plain bytes for each stored byte, at most: a block of a zstd frame has at least 4 bytes and gives
 * at most 128 KiB. A greater claim is false, and nothing is allocated for it. */
enum { RATIO_MAX = 32768 };

void ck_compress_clear(ck_compress *self) {
  ZSTD_freeCCtx(self->encoder);
  ZSTD_freeDCtx(self->decoder);
  *self = (ck_compress){0};
}

bool ck_compress_wants(const ck_compress *self, size_t len) {
  return len >= (self->from ? self->from : CK_COMPRESS_FROM);
}

size_t ck_compress_encode(ck_compress *self, char *to, ck_bytes from) {
  if (!ck_compress_wants(self, from.len)) return 0;
  if (!self->encoder) {
    ZSTD_CCtx *encoder = ZSTD_createCCtx();
    if (!encoder) return 0;
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, CK_COMPRESS_LEVEL);
    ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, 1);
    self->encoder = encoder;
  }
  size_t len = ZSTD_compress2(self->encoder, to, from.len, from.data, from.len);
  return ZSTD_isError(len) || len >= from.len ? 0 : len;
}

static ck_status check_stored(const ck_stored *stored, ck_error *err) {
  long long plain = (long long)stored->plain_len;
  if (stored->encoding & CK_ENCODING_SEALED)
    return ck_error_set(err, CK_E_WRONG_KEY, "is sealed and no key was given");
  if (stored->encoding != CK_ENCODING_PLAIN && stored->encoding != CK_ENCODING_ZSTD)
    return ck_error_set(err, CK_E_NEWER, "is stored in encoding %d; this version knows 0 to %d",
                        stored->encoding, CK_ENCODING_ZSTD);
  if (stored->bytes.len == 0)
    return ck_error_set(err, CK_E_EMPTY, "has no bytes where %lld were written", plain);
  if (stored->plain_len <= 0)
    return ck_error_set(err, CK_E_CORRUPT, "claims a length of %lld bytes", plain);
  if (stored->plain_len > CK_PLAIN_MAX)
    return ck_error_set(err, CK_E_OVERSIZE, "claims %lld bytes; at most %lld are allowed", plain,
                        (long long)CK_PLAIN_MAX);
  return CK_OK;
}

static ck_status decode_plain(ck_bytes *out, const ck_stored *stored, ck_error *err) {
  size_t len = stored->bytes.len, wanted = (size_t)stored->plain_len;
  if (len < wanted) return ck_error_set(err, CK_E_TRUNCATED, "has %zu of %zu bytes", len, wanted);
  if (len > wanted)
    return ck_error_set(err, CK_E_CORRUPT, "has %zu bytes where %zu were written", len, wanted);
  *out = stored->bytes;
  return CK_OK;
}

/* Distinguishes a frame that ends too early (CK_E_TRUNCATED) from a damaged one (CK_E_CORRUPT). */
static ck_status frame_error(size_t code, ck_error *err) {
  if (ZSTD_getErrorCode(code) == ZSTD_error_srcSize_wrong)
    return ck_error_set(err, CK_E_TRUNCATED, "ends inside its zstd frame");
  return ck_error_set(err, CK_E_CORRUPT, "is not the zstd frame it was (%s)",
                      ZSTD_getErrorName(code));
}

static ck_status check_frame(const ck_stored *stored, ck_error *err) {
  ck_bytes bytes = stored->bytes;
  unsigned long long claimed = ZSTD_getFrameContentSize(bytes.data, bytes.len);
  size_t frame = ZSTD_findFrameCompressedSize(bytes.data, bytes.len);
  if (ZSTD_isError(frame)) return frame_error(frame, err);
  if (frame != bytes.len)
    return ck_error_set(err, CK_E_CORRUPT, "has %zu bytes behind its zstd frame",
                        bytes.len - frame);
  if (claimed != (unsigned long long)stored->plain_len)
    return ck_error_set(err, CK_E_CORRUPT, "has a zstd frame of another length than its row says");
  if ((size_t)stored->plain_len / RATIO_MAX > bytes.len)
    return ck_error_set(err, CK_E_CORRUPT, "claims %lld bytes in a frame of %zu",
                        (long long)stored->plain_len, bytes.len);
  return CK_OK;
}

static ck_status decode_zstd(ck_bytes *out, ck_compress *self, ck_buffer *space,
                             const ck_stored *stored, ck_error *err) {
  ck_status status = check_frame(stored, err);
  if (status) return status;
  if (!self->decoder) self->decoder = ZSTD_createDCtx();
  if (!self->decoder) return ck_error_no_memory(err);
  size_t wanted = (size_t)stored->plain_len;
  char *to = ck_buffer_extend(space, wanted);
  if (!to) return ck_error_no_memory(err);
  size_t len =
      ZSTD_decompressDCtx(self->decoder, to, wanted, stored->bytes.data, stored->bytes.len);
  if (ZSTD_isError(len)) return frame_error(len, err);
  if (len != wanted)
    return ck_error_set(err, CK_E_CORRUPT, "gave %zu bytes where %zu were written", len, wanted);
  *out = (ck_bytes){to, len};
  return CK_OK;
}

ck_status ck_compress_decode(ck_bytes *out, ck_compress *self, ck_buffer *space,
                             const ck_stored *stored, ck_error *err) {
  *out = (ck_bytes){NULL, 0};
  ck_buffer_reset(space);
  ck_status status = check_stored(stored, err);
  if (status) return status;
  if (stored->encoding == CK_ENCODING_PLAIN) return decode_plain(out, stored, err);
  return decode_zstd(out, self, space, stored, err);
}
