/* post.c - one attempt's HTTP request: its URL, headers and credentials. */
#include <string.h>

#include "core/effect/http/headers.h"
#include "core/effect/model/run.h"

enum { OWN_HEADERS = 4 };

/* The value is the prefix and the secret of that name. */
static ck_status put_secret(ck_http_headers *out, const ck_effect_run *run, const char *header,
                            const char *prefix, const char *name, ck_error *err) {
  const ck_profile_secret *secret = ck_profile_get_secret(run->driver->options.profile, name);
  if (!secret)
    return ck_error_set(err, CK_E_SECRET_MISSING, "model \"%s\": the profile has no secret \"%s\"",
                        run->model->name, name);
  ck_buffer read = {0};
  ck_status status = run->driver->options.read_secret(&read, secret->ref, err);
  if (status == CK_E_SECRET_MISSING) ck_error_prefix(err, "secret \"%s\"", name);
  if (!status)
    status = ck_http_headers_put_secret(out, header, prefix, ck_buffer_bytes(&read), err);
  if (read.data) explicit_bzero(read.data, read.cap);
  ck_buffer_clear(&read);
  return status;
}

static ck_status list_headers(ck_http_headers *out, const ck_effect_run *run, ck_error *err) {
  const ck_profile_model *model = run->model;
  const ck_model_format *format = run->format;
  ck_status status = ck_http_headers_init(out, model->header_count + OWN_HEADERS, err);
  if (status) return status;
  ck_http_headers_put(out, "Idempotency-Key", run->key);
  ck_http_headers_put(
      out, "Accept",
      ck_model_streams(model) ? "text/event-stream, application/json" : "application/json");
  if (format->version_header) ck_http_headers_put(out, format->version_header, format->version);
  if (model->key)
    status = put_secret(out, run, format->key_header, format->key_prefix, model->key, err);
  for (size_t i = 0; !status && i < model->header_count; i++) {
    const ck_profile_header *header = &model->headers[i];
    if (header->secret)
      status = put_secret(out, run, header->name, "", header->value, err);
    else
      ck_http_headers_put(out, header->name, header->value);
  }
  return status;
}

static void on_header(void *to, ck_bytes name, ck_bytes value) {
  ck_effect_run *run = to;
  ck_model_answer_header(&run->answer, name, value);
}

static bool on_data(void *to, int code, ck_bytes chunk) {
  ck_effect_run *run = to;
  return ck_model_answer_data(&run->answer, code, chunk);
}

static int64_t or_else(int64_t given, int64_t otherwise) { return given >= 0 ? given : otherwise; }

ck_status ck_model_run_post(ck_effect_run *self, void (*ended)(void *to, const ck_http_end *end),
                            int64_t total_ms, ck_error *err) {
  const ck_profile_model *model = self->model;
  ck_model_driver *driver = self->driver;
  ck_http_headers list = {0};
  ck_status status = list_headers(&list, self, err);
  /* Without a stream no byte comes while the model thinks. */
  int64_t idle =
      or_else(model->idle_timeout_ms, ck_model_streams(model) ? CK_MODEL_IDLE_TIMEOUT_MS : 0);
  ck_http_options options = {
      .url = self->url.data,
      .headers = list.list,
      .header_count = list.count,
      .body = ck_buffer_bytes(&self->body),
      .body_max = driver->options.answer_max,
      .connect_ms = or_else(model->connect_timeout_ms, CK_MODEL_CONNECT_TIMEOUT_MS),
      .idle_ms = idle,
      .total_ms = total_ms,
      .header = on_header,
      .data = on_data,
      .ended = ended,
      .to = self,
  };
  if (!status) status = ck_http_send(&self->request, driver->http, &options, err);
  ck_http_headers_clear(&list);
  return status;
}
