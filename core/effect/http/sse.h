/* sse.h - reads a stream of server-sent events (WHATWG HTML, section 9.2) in chunks of any size. */
#ifndef CK_EFFECT_HTTP_SSE_H
#define CK_EFFECT_HTTP_SSE_H

#include "core/base/buffer.h"

enum { CK_SSE_ID_MAX = 1024 };

/* Zero-initialise, set `take` and `to`; ck_sse_clear. */
typedef struct ck_sse {
  /* Gets each complete event that has data: `event` is its name or empty, `data` its lines joined
   * by newlines. Borrowed for the call. A status other than CK_OK ends the reading. */
  ck_status (*take)(void *to, ck_bytes event, ck_bytes data, ck_error *err);
  void *to;
  /* of the last event that had one, with data or without; a take-up sends it back */
  char id[CK_SSE_ID_MAX], next_id[CK_SSE_ID_MAX];
  int64_t retry_ms; /* how long the server asks to wait before that; 0: it did not */
  ck_buffer line, event, data;
  bool begun;        /* the byte order mark, if any, was skipped */
  bool after_return; /* the next newline belongs to the carriage return before it */
} ck_sse;

/* The status of `take`, or CK_E_NO_MEMORY. The caller bounds the bytes that it feeds. */
CK_CHECKED ck_status ck_sse_feed(ck_sse *self, ck_bytes chunk, ck_error *err);
void ck_sse_clear(ck_sse *self);

#endif
