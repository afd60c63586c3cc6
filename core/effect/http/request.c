/* request.c - one request: its options, its answer, and the meaning of its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "core/effect/http/private.h"

/* ---- answers ---- */

static int code_of(const ck_http_request *self) {
  long code = 0;
  self->client->curl.easy_getinfo(self->easy, CURLINFO_RESPONSE_CODE, &code);
  return (int)code;
}

static bool was_sent(const ck_http_request *self) {
  long bytes = 0;
  self->client->curl.easy_getinfo(self->easy, CURLINFO_REQUEST_SIZE, &bytes);
  return bytes > 0;
}

static void stop(ck_http_request *self, ck_http_ending why, const char *text) {
  self->stopped = why;
  ck_text_format(self->why, sizeof self->why, "%s", text);
}

/* Of a body that is too large, its receiver gets what is allowed. */
static size_t on_data(char *data, size_t size, size_t count, void *to) {
  ck_http_request *self = to;
  size_t len = size * count;
  if (self->idle) ck_timer_set(self->idle, self->idle_ms);
  if (len > self->body_left) {
    if (self->data) (void)self->data(self->to, code_of(self), (ck_bytes){data, self->body_left});
    stop(self, CK_HTTP_OVERSIZE, "the answer is larger than allowed");
    return 0;
  }
  self->body_left -= len;
  if (!self->data || self->data(self->to, code_of(self), (ck_bytes){data, len})) return len;
  stop(self, CK_HTTP_REFUSED, "the answer was not taken");
  return 0;
}

static ck_bytes trim(const char *begin, const char *end) {
  while (begin < end && (*begin == ' ' || *begin == '\t')) begin++;
  while (end > begin && strchr(" \t\r\n", end[-1])) end--;
  return (ck_bytes){begin, (size_t)(end - begin)};
}

static size_t on_header(char *line, size_t size, size_t count, void *to) {
  ck_http_request *self = to;
  size_t len = size * count;
  const char *colon = memchr(line, ':', len);
  if (self->idle) ck_timer_set(self->idle, self->idle_ms);
  self->head_ended = len <= 2 && code_of(self) >= 200;
  if (colon && self->header) self->header(self->to, trim(line, colon), trim(colon + 1, line + len));
  return len;
}

static void on_idle(void *to) {
  ck_http_request *self = to;
  char text[sizeof self->why];
  snprintf(text, sizeof text, "nothing came for %lld ms", (long long)self->idle_ms);
  stop(self, CK_HTTP_LATE, text);
  self->client->curl.multi_remove_handle(self->client->multi, self->easy);
  ck_http_request_finish(self, CURLE_OPERATION_TIMEDOUT);
}

/* ---- options ---- */

static bool is_token(const char *name) {
  static const char others[] =
      "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return *name && name[strspn(name, others)] == '\0';
}

static bool is_line(const char *value) {
  for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
    if ((*c < 0x20 && *c != '\t') || *c == 0x7f) return false;
  }
  return true;
}

/* libcurl copies the line; this copy is wiped, for it may hold a credential. */
static ck_status append_header(ck_http_request *self, const char *name, const char *value,
                               ck_error *err) {
  ck_buffer line = {0};
  if (!is_token(name))
    return ck_error_set(err, CK_E_USAGE,
                        "header '%.64s' has a character that no header's name can have", name);
  if (!is_line(value))
    return ck_error_set(err, CK_E_USAGE,
                        "the value of header '%.64s' has a line break or a control character",
                        name);
  ck_buffer_append_format(&line, *value ? "%s: %s" : "%s;", name, value);
  struct curl_slist *list =
      line.failed ? NULL : self->client->curl.slist_append(self->headers, line.data);
  if (line.data) explicit_bzero(line.data, line.cap);
  ck_buffer_clear(&line);
  if (!list) return ck_error_no_memory(err);
  self->headers = list;
  return CK_OK;
}

static ck_status append_headers(ck_http_request *self, const ck_http_options *options,
                                ck_error *err) {
  ck_status status =
      options->method ? CK_OK : append_header(self, "Content-Type", "application/json", err);
  struct curl_slist *list = NULL; /* no "Expect:", which would ask before sending the body */
  if (!status) list = self->client->curl.slist_append(self->headers, "Expect:");
  if (!status && !list) status = ck_error_no_memory(err);
  if (list) self->headers = list;
  for (size_t i = 0; !status && i < options->header_count; i++)
    status = append_header(self, options->headers[i].name, options->headers[i].value, err);
  return status;
}

static void collect(CURLcode *first, CURLcode code) {
  if (*first == CURLE_OK) *first = code;
}

/* As OpenSSL's own programs find them; libcurl alone would take the system's and nothing else. */
static CURLcode set_trusted(const ck_http_request *self) {
  __typeof__(&curl_easy_setopt) set = self->client->curl.easy_setopt;
  const char *file = getenv("SSL_CERT_FILE"), *folder = getenv("SSL_CERT_DIR");
  CURLcode code = CURLE_OK;
  if (file && *file) collect(&code, set(self->easy, CURLOPT_CAINFO, file));
  if (folder && *folder) collect(&code, set(self->easy, CURLOPT_CAPATH, folder));
  return code;
}

static CURLcode set_safety(const ck_http_request *self) {
  __typeof__(&curl_easy_setopt) set = self->client->curl.easy_setopt;
  CURLcode code = CURLE_OK;
#if LIBCURL_VERSION_NUM >= 0x075500
  collect(&code, set(self->easy, CURLOPT_PROTOCOLS_STR, "http,https"));
#else
  collect(&code, set(self->easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS)));
#endif
#if LIBCURL_VERSION_NUM >= 0x075700
  collect(&code, set(self->easy, CURLOPT_QUICK_EXIT,
                     1L)); /* a name lookup that hangs delays nothing else */
#endif
  collect(&code, set(self->easy, CURLOPT_FOLLOWLOCATION, 0L));
  collect(&code, set(self->easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L));
  collect(&code, set(self->easy, CURLOPT_SSL_VERIFYPEER, 1L));
  collect(&code, set(self->easy, CURLOPT_SSL_VERIFYHOST, 2L));
  collect(&code, set_trusted(self));
  collect(&code, set(self->easy, CURLOPT_NOSIGNAL, 1L));
  return code;
}

/* libcurl sends a POST again, on its own, when a connection that was kept ends without a byte of an
 * answer, though the server may have acted on it, unless it cannot go back in what it sends: this
 * has no CURLOPT_SEEKFUNCTION. */
static size_t on_read(char *to, size_t size, size_t count, void *from) {
  ck_http_request *self = from;
  size_t len = size * count < self->unsent.len ? size * count : self->unsent.len;
  if (len) memcpy(to, self->unsent.data, len);
  self->unsent = (ck_bytes){self->unsent.data + len, self->unsent.len - len};
  return len;
}

static CURLcode set_method(ck_http_request *self, const ck_http_options *options) {
  __typeof__(&curl_easy_setopt) set = self->client->curl.easy_setopt;
  CURLcode code = CURLE_OK;
  if (options->method) {
    collect(&code, set(self->easy, CURLOPT_HTTPGET, 1L));
    collect(&code, set(self->easy, CURLOPT_CUSTOMREQUEST, options->method));
    return code;
  }
  collect(&code, set(self->easy, CURLOPT_POST, 1L));
  collect(&code, set(self->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)options->body.len));
  collect(&code, set(self->easy, CURLOPT_READFUNCTION, on_read));
  collect(&code, set(self->easy, CURLOPT_READDATA, self));
  return code;
}

static CURLcode set_request(ck_http_request *self, const ck_http_options *options) {
  __typeof__(&curl_easy_setopt) set = self->client->curl.easy_setopt;
  CURLcode code = CURLE_OK;
  collect(&code, set(self->easy, CURLOPT_PRIVATE, self));
  collect(&code, set(self->easy, CURLOPT_ERRORBUFFER, self->text));
  collect(&code, set(self->easy, CURLOPT_URL, options->url));
  collect(&code, set(self->easy, CURLOPT_HTTPHEADER, self->headers));
  collect(&code, set(self->easy, CURLOPT_USERAGENT, "ckrun"));
  collect(&code, set(self->easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate"));
  collect(&code, set_method(self, options));
  collect(&code, set(self->easy, CURLOPT_WRITEFUNCTION, on_data));
  collect(&code, set(self->easy, CURLOPT_WRITEDATA, self));
  collect(&code, set(self->easy, CURLOPT_HEADERFUNCTION, on_header));
  collect(&code, set(self->easy, CURLOPT_HEADERDATA, self));
  collect(&code, set(self->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)options->connect_ms));
  collect(&code, set(self->easy, CURLOPT_TIMEOUT_MS, (long)options->total_ms));
  return code;
}

void ck_http_request_free(ck_http_request *self) {
  const ck_curl *curl = &self->client->curl;
  if (self->previous)
    self->previous->next = self->next;
  else if (self->client->requests == self)
    self->client->requests = self->next;
  if (self->next) self->next->previous = self->previous;
  if (self->easy) curl->easy_cleanup(self->easy);
  for (struct curl_slist *at = self->headers; at; at = at->next)
    explicit_bzero(at->data, strlen(at->data));
  curl->slist_free_all(self->headers);
  ck_timer_free(self->idle);
  free(self);
}

static ck_status prepare(ck_http_request *self, const ck_http_options *options, ck_error *err) {
  ck_status status = append_headers(self, options, err);
  if (!status && self->idle_ms > 0)
    status = ck_timer_new(&self->idle, self->client->loop, on_idle, self, err);
  if (status) return status;
  CURLcode code = set_request(self, options);
  if (code == CURLE_OK) code = set_safety(self);
  if (code == CURLE_OUT_OF_MEMORY) return ck_error_no_memory(err);
  if (code != CURLE_OK)
    return ck_error_set(err, CK_E_UNSUPPORTED, "libcurl: %s",
                        self->client->curl.easy_strerror(code));
  if (self->idle) ck_timer_set(self->idle, self->idle_ms);
  return CK_OK;
}

ck_status ck_http_request_new(ck_http_request **out, ck_http *client,
                              const ck_http_options *options, ck_error *err) {
  *out = NULL;
  ck_http_request *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->client = client;
  self->header = options->header;
  self->data = options->data;
  self->ended = options->ended;
  self->to = options->to;
  self->unsent = options->body;
  self->body_left = options->body_max;
  self->idle_ms = options->idle_ms;
  self->easy = client->curl.easy_init();
  ck_status status = self->easy ? prepare(self, options, err) : ck_error_no_memory(err);
  if (status) {
    ck_http_request_free(self);
    return status;
  }
  *out = self;
  return CK_OK;
}

/* ---- the end ---- */

/* libcurl takes lines of up to 100 KB, and has no memory for more, as it says (since 8.6: that it
 * is too large). Then the head has been begun and has not ended. */
static bool is_header_too_large(const ck_http_request *self, CURLcode code) {
  enum { TOO_LARGE = 100 }; /* CURLE_TOO_LARGE */
  return (code == CURLE_OUT_OF_MEMORY || (int)code == TOO_LARGE) && was_sent(self) &&
         !self->head_ended;
}

static ck_http_ending ending_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return CK_HTTP_ANSWERED;
    case CURLE_OUT_OF_MEMORY:
      return CK_HTTP_NO_MEMORY;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
      return CK_HTTP_UNREACHED;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return CK_HTTP_UNTRUSTED;
    case CURLE_OPERATION_TIMEDOUT:
      return CK_HTTP_LATE;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_LOGIN_DENIED:
      return CK_HTTP_UNUSABLE;
    default:
      return CK_HTTP_BROKEN;
  }
}

void ck_http_request_finish(ck_http_request *self, CURLcode code) {
  void (*ended)(void *to, const ck_http_end *end) = self->ended;
  void *to = self->to;
  char text[CURL_ERROR_SIZE];
  if (is_header_too_large(self, code))
    stop(self, CK_HTTP_OVERSIZE, "a header of the answer is larger than 100 KB");
  bool by_us = self->stopped != CK_HTTP_ANSWERED;
  ck_http_end end = {.ending = by_us ? self->stopped : ending_of(code),
                     .code = code_of(self),
                     .sent = was_sent(self),
                     .text = text};
  const char *of_library = *self->text ? self->text : self->client->curl.easy_strerror(code);
  ck_text_format(text, sizeof text, "%s", *self->why ? self->why : of_library);
  ck_http_drop(self);
  ended(to, &end);
}

/* Removing a handle twice has no effect. */
void ck_http_drop(ck_http_request *self) {
  self->client->curl.multi_remove_handle(self->client->multi, self->easy);
  ck_http_request_free(self);
}

void ck_http_append_url(ck_buffer *out, const char *url) {
  const char *slashes = strstr(url, "://");
  const char *host = slashes ? slashes + 3 : url;
  size_t len = strcspn(host, "?#"), authority = strcspn(host, "/?#");
  const char *at = memrchr(host, '@', authority);
  if (slashes) ck_buffer_append(out, url, (size_t)(host - url));
  if (at) len -= (size_t)(at + 1 - host), host = at + 1;
  ck_buffer_append(out, host, len);
}
