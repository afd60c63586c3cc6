/* reply.c - answers with the headers that keep a page to its own files. */
#if __has_include(<microhttpd.h>)

#include "core/base/json.h"
#include "core/host/ui/private.h"

#define POLICY                                                                                    \
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; " \
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "                                 \
  "require-trusted-types-for 'script'; trusted-types 'none'"

enum MHD_Result ck_ui_reply(ck_ui_request *self, unsigned status, struct MHD_Response *response,
                            const char *type) {
  static const char *const headers[][2] = {{"Content-Security-Policy", POLICY},
                                           {"X-Content-Type-Options", "nosniff"},
                                           {"Referrer-Policy", "no-referrer"},
                                           {"Cross-Origin-Opener-Policy", "same-origin"},
                                           {"Cross-Origin-Resource-Policy", "same-origin"},
                                           {"Cache-Control", "no-store"}};
  const ck_microhttpd *http = &self->server->http;
  if (!response) return MHD_NO;
  enum MHD_Result good = http->add_response_header(response, "Content-Type", type);
  for (size_t i = 0; i < sizeof headers / sizeof *headers && good == MHD_YES; i++)
    good = http->add_response_header(response, headers[i][0], headers[i][1]);
  if (good == MHD_YES) good = http->queue_response(self->connection, status, response);
  http->destroy_response(response);
  return good;
}

struct MHD_Response *ck_ui_reply_copy(const ck_ui_request *self, ck_bytes text) {
  return self->server->http.create_response_from_buffer(text.len, (void *)text.data,
                                                        MHD_RESPMEM_MUST_COPY);
}

enum MHD_Result ck_ui_reply_json(ck_ui_request *self, unsigned status, ck_bytes text) {
  return ck_ui_reply(self, status, ck_ui_reply_copy(self, text), "application/json");
}

enum MHD_Result ck_ui_reply_error(ck_ui_request *self, unsigned status, const char *text) {
  ck_buffer json = {0};
  ck_buffer_append_text(&json, "{\"error\":{\"text\":");
  ck_json_append_string(&json, ck_bytes_text(text));
  ck_buffer_append_text(&json, "}}\n");
  enum MHD_Result sent =
      json.failed ? MHD_NO : ck_ui_reply_json(self, status, ck_buffer_bytes(&json));
  ck_buffer_clear(&json);
  return sent;
}

#else

typedef int ck_ui_reply_none; /* a file has something in it */

#endif
