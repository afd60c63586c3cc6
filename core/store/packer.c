/* packer.c - zstd, with a context for each block: they are large and rarely needed. */
#include "core/store/packer.h"

#include <string.h>

#include "core/store/backend.h"
#include "core/store/format/compress.h"

static size_t pack(char *to, ck_bytes from) {
  ck_compress compress = {0};
  size_t len = ck_compress_encode(&compress, to, from);
  ck_compress_clear(&compress);
  return len;
}

static ck_status unpack(char *to, size_t len, ck_bytes from, ck_error *err) {
  ck_compress compress = {0};
  ck_buffer space = {0};
  ck_bytes plain;
  const ck_stored packed = {.encoding = CK_ENCODING_ZSTD, .plain_len = (int64_t)len, .bytes = from};
  ck_status status = ck_compress_decode(&plain, &compress, &space, &packed, err);
  if (status == CK_OK) memcpy(to, plain.data, len);
  ck_compress_clear(&compress);
  ck_buffer_clear(&space);
  return status;
}

const ck_packer ck_store_packer = {.pack = pack, .unpack = unpack};
