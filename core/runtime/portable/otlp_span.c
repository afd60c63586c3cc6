/* otlp_span.c - attributes one by one, then the span around them. */
#include "core/runtime/portable/otlp_span.h"

#include <stdio.h>

#include "core/base/digest.h"
#include "core/base/json.h"

enum { NANOS = 1000000, KIND_INTERNAL = 1, KIND_CLIENT = 3, STATUS_ERROR = 2 };

int64_t ck_otlp_time(int64_t at_ms, int64_t seq) {
  return at_ms > 0 ? at_ms * NANOS + seq % NANOS : seq;
}

/* ---- ids ---- */

static void write_id(char *out, size_t size, ck_digester *digester) {
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest digest = ck_digester_final(digester);
  ck_digest_hex(hex, &digest);
  snprintf(out, size, "%.*s", (int)size - 1, hex);
}

void ck_otlp_trace_id(char out[CK_OTLP_TRACE_SIZE], const char *session) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text("trace"));
  ck_digester_update_field(&digester, ck_bytes_text(session));
  write_id(out, CK_OTLP_TRACE_SIZE, &digester);
}

void ck_otlp_span_id(char out[CK_OTLP_ID_SIZE], const char *session, int64_t seq,
                     const char *what) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(what));
  ck_digester_update_field(&digester, ck_bytes_text(session));
  ck_digester_update_int(&digester, seq);
  write_id(out, CK_OTLP_ID_SIZE, &digester);
}

/* ---- attributes ---- */

void ck_otlp_span_clear(ck_otlp_span *self) {
  ck_buffer_clear(&self->name);
  ck_buffer_clear(&self->attributes);
  *self = (ck_otlp_span){0};
}

/* {"key":NAME,"value":{KIND:…}} around a value. */
static ck_json_writer begin(ck_otlp_span *self, const char *name, const char *kind) {
  if (self->attributes.len) ck_buffer_append_char(&self->attributes, ',');
  ck_json_writer w = {.out = &self->attributes};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", name);
  ck_json_name(&w, "value");
  ck_json_begin(&w, '{');
  ck_json_name(&w, kind);
  return w;
}

static void end(ck_json_writer *w) {
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

void ck_otlp_span_put_json(ck_otlp_span *self, const char *name, ck_bytes json) {
  if (!json.len) return;
  ck_json_writer w = begin(self, name, "stringValue");
  ck_json_put_string(&w, json);
  end(&w);
}

void ck_otlp_span_put_text(ck_otlp_span *self, const char *name, const char *text) {
  if (text) ck_otlp_span_put_json(self, name, ck_bytes_text(text));
}

void ck_otlp_span_put_string(ck_otlp_span *self, const char *name, ck_bytes json_string) {
  if (ck_json_type_of(json_string) != CK_JSON_STRING) return;
  ck_json_writer w = begin(self, name, "stringValue");
  ck_json_put_raw(&w, json_string);
  end(&w);
}

void ck_otlp_span_put_value(ck_otlp_span *self, const char *name, ck_bytes json) {
  if (ck_json_type_of(json) == CK_JSON_STRING)
    ck_otlp_span_put_string(self, name, json);
  else
    ck_otlp_span_put_json(self, name, json);
}

/* OTLP has whole numbers as texts, for JSON has only doubles. */
void ck_otlp_span_put_int(ck_otlp_span *self, const char *name, int64_t number) {
  char text[24];
  ck_json_writer w = begin(self, name, "intValue");
  snprintf(text, sizeof text, "%lld", (long long)number);
  ck_json_put_text(&w, text);
  end(&w);
}

void ck_otlp_span_put_number(ck_otlp_span *self, const char *name, ck_bytes json) {
  if (ck_json_type_of(json) != CK_JSON_NUMBER) return;
  ck_json_writer w = begin(self, name, "doubleValue");
  ck_json_put_raw(&w, json);
  end(&w);
}

void ck_otlp_span_put_money(ck_otlp_span *self, const char *name, int64_t micros) {
  ck_json_writer w = begin(self, name, "doubleValue");
  ck_json_put_decimal(&w, micros, 6);
  end(&w);
}

void ck_otlp_span_put_list(ck_otlp_span *self, const char *name, const char *text) {
  ck_json_writer w = begin(self, name, "arrayValue");
  ck_json_begin(&w, '{');
  ck_json_name(&w, "values");
  ck_json_begin(&w, '[');
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "stringValue", text);
  ck_json_end(&w, '}');
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  end(&w);
}

/* ---- the span ---- */

/* What others may have said: {"name", "attributes", "status"}. */
static ck_status redact(ck_value **out, const ck_otlp_span *self, ck_redactor *redactor,
                        ck_error *err) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_value *said = NULL;
  ck_json_begin(&w, '{');
  ck_json_member_string(&w, "name", ck_buffer_bytes(&self->name));
  ck_json_name(&w, "attributes");
  ck_json_begin(&w, '[');
  if (self->attributes.len) ck_json_put_raw(&w, ck_buffer_bytes(&self->attributes));
  ck_json_end(&w, ']');
  ck_json_name(&w, "status");
  ck_json_begin(&w, '{');
  if (self->failed) ck_json_member_int(&w, "code", STATUS_ERROR);
  if (self->failed && self->error.len) ck_json_member_raw(&w, "message", self->error);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  ck_status status = ck_buffer_check(&self->attributes, err);
  if (status == CK_OK) status = ck_value_from(&said, &json, err);
  if (status == CK_OK) status = ck_redactor_apply(out, redactor, CK_SINK_EXPORT, NULL, said, err);
  ck_value_free(said);
  ck_buffer_clear(&json);
  return status;
}

static void put_time(ck_json_writer *w, const char *name, int64_t nanos) {
  char text[24];
  snprintf(text, sizeof text, "%lld", (long long)nanos);
  ck_json_member_text(w, name, text);
}

ck_status ck_otlp_span_write(ck_buffer *out, const ck_otlp_span *self, const char *trace,
                             ck_redactor *redactor, ck_error *err) {
  ck_value *said = NULL;
  ck_status status = redact(&said, self, redactor, err);
  if (status != CK_OK || !said) return status;
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "traceId", trace);
  ck_json_member_text(&w, "spanId", self->id);
  if (self->parent[0]) ck_json_member_text(&w, "parentSpanId", self->parent);
  ck_json_member_int(&w, "kind", self->client ? KIND_CLIENT : KIND_INTERNAL);
  put_time(&w, "startTimeUnixNano", self->begin);
  put_time(&w, "endTimeUnixNano", self->end > self->begin ? self->end : self->begin);
  for (ck_json_iterator it = ck_json_iterate(ck_value_bytes(said)); ck_json_next(&it);) {
    ck_json_raw_name(&w, it.name);
    ck_json_put_raw(&w, it.value);
  }
  ck_json_end(&w, '}');
  ck_value_free(said);
  return ck_buffer_check(out, err);
}
