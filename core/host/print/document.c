/* document.c - one JSON document of the program's own, built with cJSON; stored text passes the
 * redactor. */
#include "core/host/print/document.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

void ck_document_init_bare(ck_document *self, ck_output *output) {
  *self = (ck_document){.output = output, .root = cJSON_CreateObject()};
  self->failed = !self->root;
}

void ck_document_init(ck_document *self, ck_output *output) {
  ck_document_init_bare(self, output);
  ck_document_put_int(self, NULL, CK_OUTPUT_VERSION_NAME, CK_OUTPUT_VERSION);
}

void ck_document_clear(ck_document *self) {
  cJSON_Delete(self->root);
  self->root = NULL;
}

/* Takes `item`, which may be NULL after a failed allocation. */
static cJSON *put(ck_document *self, cJSON *at, const char *name, cJSON *item) {
  if (!at) at = self->root;
  bool done =
      item && at && (name ? cJSON_AddItemToObject(at, name, item) : cJSON_AddItemToArray(at, item));
  if (done) return item;
  self->failed = true;
  cJSON_Delete(item);
  return NULL;
}

static void put_raw(ck_document *self, cJSON *at, const char *name, const ck_buffer *json) {
  put(self, at, name, json->failed || !json->data ? NULL : cJSON_CreateRaw(json->data));
}

cJSON *ck_document_put_object(ck_document *self, cJSON *at, const char *name) {
  return put(self, at, name, cJSON_CreateObject());
}

cJSON *ck_document_put_array(ck_document *self, cJSON *at, const char *name) {
  return put(self, at, name, cJSON_CreateArray());
}

void ck_document_put_text(ck_document *self, cJSON *at, const char *name, const char *text) {
  if (!text) return;
  ck_buffer clean = {0}, json = {0};
  ck_error ignored = CK_ERROR_INIT;
  ck_status status = ck_redactor_apply_text(&clean, self->output->redactor, CK_SINK_EXPORT,
                                            ck_bytes_text(text), &ignored);
  if (status != CK_OK || clean.failed) json.failed = true;
  ck_json_append_string(&json, ck_buffer_bytes(&clean));
  put_raw(self, at, name, &json);
  ck_buffer_clear(&json);
  ck_buffer_clear(&clean);
}

void ck_document_put_int(ck_document *self, cJSON *at, const char *name, int64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, number);
  put(self, at, name, cJSON_CreateRaw(text));
}

static void put_decimal(ck_document *self, cJSON *at, const char *name, int64_t number,
                        int digits) {
  ck_buffer json = {0};
  ck_json_append_decimal(&json, number, digits);
  put_raw(self, at, name, &json);
  ck_buffer_clear(&json);
}

void ck_document_put_money(ck_document *self, cJSON *at, const char *name, int64_t micros) {
  put_decimal(self, at, name, micros, 6);
}

void ck_document_put_duration(ck_document *self, cJSON *at, const char *name, int64_t us) {
  put_decimal(self, at, name, us, 3);
}

void ck_document_put_number(ck_document *self, cJSON *at, const char *name, double number) {
  put(self, at, name, cJSON_CreateNumber(number));
}

void ck_document_put_null(ck_document *self, cJSON *at, const char *name) {
  put(self, at, name, cJSON_CreateNull());
}

void ck_document_put_bool(ck_document *self, cJSON *at, const char *name, bool truth) {
  put(self, at, name, cJSON_CreateBool(truth));
}

void ck_document_put_time(ck_document *self, cJSON *at, const char *name, int64_t wall_ms) {
  if (!wall_ms) return;
  char text[CK_TIME_TEXT_SIZE];
  ck_time_text(text, wall_ms);
  put(self, at, name, cJSON_CreateString(text));
}

/* In JSON a line break can only stand between tokens: a space has the same meaning, and a document
 * stays one line. */
static void put_on_a_line(ck_document *self, cJSON *at, const char *name, const ck_value *value) {
  cJSON *item = cJSON_CreateRaw(ck_value_bytes(value).data);
  for (char *c = item ? item->valuestring : NULL; c && (c = strpbrk(c, "\r\n")); *c = ' ') {
  }
  put(self, at, name, item);
}

void ck_document_put_string(ck_document *self, cJSON *at, const char *name, ck_bytes json) {
  if (ck_json_type_of(json) != CK_JSON_STRING) return;
  char *text = ck_json_dup_string(json);
  self->failed |= !text;
  ck_document_put_text(self, at, name, text);
  free(text);
}

void ck_document_put_value(ck_document *self, cJSON *at, const char *name, const ck_value *value) {
  if (!value) return;
  ck_value *kept = NULL;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status =
      ck_redactor_apply(&kept, self->output->redactor, CK_SINK_EXPORT, name, value, &ignored);
  if (status != CK_OK)
    self->failed = true;
  else if (kept)
    put_on_a_line(self, at, name, kept);
  ck_value_free(kept);
}

ck_status ck_document_put_members(ck_document *self, cJSON *at, ck_bytes object, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(object);
  while (status == CK_OK && ck_json_next(&it)) {
    char *name = ck_json_dup_string(it.name);
    ck_value *value = NULL;
    status = name ? ck_value_copy(&value, it.value, err) : ck_error_no_memory(err);
    if (status == CK_OK) ck_document_put_value(self, at, name, value);
    ck_value_free(value);
    free(name);
  }
  return status;
}

ck_status ck_document_write(ck_buffer *out, ck_document *self, ck_error *err) {
  char *text = self->failed ? NULL : cJSON_PrintUnformatted(self->root);
  if (!text) return ck_error_no_memory(err);
  ck_json_append_visible(out, ck_bytes_text(text));
  ck_buffer_append_char(out, '\n');
  cJSON_free(text);
  return ck_buffer_check(out, err);
}

static ck_status print(ck_document *self, size_t skip, ck_error *err) {
  ck_buffer line = {0};
  ck_status status = ck_document_write(&line, self, err);
  if (status == CK_OK) ck_output_write(self->output, (ck_bytes){line.data + skip, line.len - skip});
  ck_buffer_clear(&line);
  return status == CK_OK ? ck_output_flush(self->output, err) : status;
}

ck_status ck_document_print(ck_document *self, ck_error *err) { return print(self, 0, err); }
ck_status ck_document_print_rest(ck_document *self, ck_error *err) { return print(self, 1, err); }
