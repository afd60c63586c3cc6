/* http.h - HTTP requests on the loop: bounded in time and size, with no credential in any
 * message.
 *
 * Only http and https. Redirects are not followed, so a request reaches no host but its own;
 * certificates are verified; proxies come from the environment as for curl. Loop thread only. */
#ifndef CK_EFFECT_HTTP_HTTP_H
#define CK_EFFECT_HTTP_HTTP_H

#include "core/base/buffer.h"
#include "core/effect/loop.h"

typedef struct ck_http ck_http;
typedef struct ck_http_request ck_http_request;

typedef enum {
  CK_HTTP_ANSWERED,  /* complete, with `code` */
  CK_HTTP_UNREACHED, /* no name, no connection: nothing was sent */
  CK_HTTP_UNTRUSTED, /* the certificate is not valid */
  CK_HTTP_BROKEN,    /* the connection ended before the answer did */
  CK_HTTP_LATE,      /* one of the timeouts */
  /* the body, of which `data` got as much as is allowed, or a line of the head is too large */
  CK_HTTP_OVERSIZE,
  CK_HTTP_REFUSED,  /* `data` refused the rest */
  CK_HTTP_UNUSABLE, /* the URL or the request itself is malformed */
  CK_HTTP_NO_MEMORY
} ck_http_ending;

typedef struct ck_http_end {
  ck_http_ending ending;
  int code;         /* of the answer's head; 0: there was none */
  bool sent;        /* the request, or its beginning: the server may have acted on it */
  const char *text; /* why it is not ANSWERED, one line; borrowed for the call */
} ck_http_end;

typedef struct ck_http_header {
  const char *name, *value;
} ck_http_header;

/* Texts are copied; the body is borrowed until the request has ended. */
typedef struct ck_http_options {
  const char *url;
  const char *method;            /* NULL: "POST"; only that has a body */
  const ck_http_header *headers; /* beside, of a POST, Content-Type: application/json */
  size_t header_count;
  ck_bytes body;
  size_t body_max; /* bytes of the answer's body, after decompression */
  int64_t connect_ms, idle_ms,
      total_ms; /* until connected, between two bytes, for all of it; 0: no limit */
  /* Gets each header of the answer; then `data` gets the body as it arrives. `data` false: refuses
   * the rest. */
  void (*header)(void *to, ck_bytes name, ck_bytes value);
  bool (*data)(void *to, int code, ck_bytes chunk);
  /* Once, from the loop; the request is freed after it. */
  void (*ended)(void *to, const ck_http_end *end);
  void *to;
} ck_http_options;

/* Loads libcurl (`library` NULL: from its usual place). Borrows `loop`. CK_E_UNSUPPORTED: there is
 * none. */
CK_CHECKED ck_status ck_http_new(ck_http **out, ck_loop *loop, const char *library, ck_error *err);
/* Ends all requests; `ended` is not called. */
void ck_http_free(ck_http *self);

/* A POST is sent once at most: when a connection that was kept ends without a byte of an answer, it
 * ends as BROKEN. Makes no callback before it returns. CK_E_USAGE: a header that contains a line
 * break. */
CK_CHECKED ck_status ck_http_send(ck_http_request **out, ck_http *self,
                                  const ck_http_options *options, ck_error *err);
/* Waits until the request is over, for `total_ms` at most. Its callbacks are not called. */
CK_CHECKED ck_status ck_http_send_and_wait(ck_http *self, const ck_http_options *options,
                                           ck_error *err);
/* At once; `ended` is not called. Not from within `header` or `data`. */
void ck_http_drop(ck_http_request *self);

/* The URL without user, query and fragment, for messages. */
void ck_http_append_url(ck_buffer *out, const char *url);

#endif
