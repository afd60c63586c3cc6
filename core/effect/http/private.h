/* private.h - the HTTP client and its requests. For the files of this folder only. */
#ifndef CK_EFFECT_HTTP_PRIVATE_H
#define CK_EFFECT_HTTP_PRIVATE_H

#include "core/effect/http/http.h"
#include "core/effect/http/curl.h"
#include "core/effect/timer.h"

struct ck_http {
  ck_curl curl;
  ck_loop *loop;
  CURLM *multi;
  ck_timer *timer; /* libcurl's one */
  ck_http_request *requests;
};

struct ck_http_request {
  ck_http *client;
  CURL *easy;
  struct curl_slist *headers;
  ck_timer *idle; /* NULL: no limit */
  void (*header)(void *to, ck_bytes name, ck_bytes value);
  bool (*data)(void *to, int code, ck_bytes chunk);
  void (*ended)(void *to, const ck_http_end *end);
  void *to;
  ck_bytes unsent; /* of its own body */
  size_t body_left;
  bool head_ended; /* the last header line of the answer has come */
  int64_t idle_ms;
  ck_http_ending stopped;           /* not ANSWERED: the reason why this side ended it */
  char why[64];                     /* the same as text */
  ck_http_request *next, *previous; /* of the client */
  char text[CURL_ERROR_SIZE];
};

/* Makes the handle with all its options, without starting it. */
CK_CHECKED ck_status ck_http_request_new(ck_http_request **out, ck_http *client,
                                         const ck_http_options *options, ck_error *err);
/* Of one that was not started, or has been removed. */
void ck_http_request_free(ck_http_request *self);
/* Reports its end, and frees it. */
void ck_http_request_finish(ck_http_request *self, CURLcode code);

#endif
