/* sse.h - reads a stream of server-sent events (WHATWG HTML, section 9.2) as its bytes come,
 * however they are cut. */
#ifndef CK_EFFECT_HTTP_SSE_H
#define CK_EFFECT_HTTP_SSE_H

#include "core/base/buffer.h"

/* Zero-initialise, set `take` and `to`; ck_sse_clear. */
typedef struct ck_sse {
  /* Each event with data, once it is whole: `event` is its name or empty, `data` its lines joined
   * by newlines. Borrowed for the call. Another status ends the reading. */
  ck_status (*take)(void *to, ck_bytes event, ck_bytes data, ck_error *err);
  void *to;
  ck_buffer line, event, data;
  bool begun;        /* the byte order mark, if any, is behind us */
  bool after_return; /* a newline now belongs to the carriage return before it */
} ck_sse;

/* What `take` answered, or CK_E_NO_MEMORY. The caller bounds the bytes that it feeds. */
CK_CHECKED ck_status ck_sse_feed(ck_sse *self, ck_bytes chunk, ck_error *err);
void ck_sse_clear(ck_sse *self);

#endif
