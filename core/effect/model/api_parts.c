/* api_parts.c - what the formats of several APIs have alike, written and read in one place. */
#include "core/effect/model/api_parts.h"

/* ---- requests ---- */

bool ck_model_is_system(ck_bytes message) {
  ck_bytes role = ck_json_get(message, "role");
  return ck_json_is_text(role, "system") || ck_json_is_text(role, "developer");
}

void ck_model_put_function(ck_json_writer *w, ck_bytes tool, const char *schema, const char *any) {
  bool named = ck_json_type_of(tool) == CK_JSON_STRING;
  ck_bytes description = named ? (ck_bytes){NULL, 0} : ck_json_get(tool, "description");
  ck_bytes parameters = named ? description : ck_json_get(tool, "parameters");
  ck_json_member_raw(w, "name", named ? tool : ck_json_get(tool, "name"));
  if (description.len > 0) ck_json_member_raw(w, "description", description);
  ck_json_member_raw(w, schema, parameters.len > 0 ? parameters : ck_bytes_text(any));
}

void ck_model_put_object(ck_json_writer *w, const char *name, ck_bytes text) {
  bool object = ck_json_check(text, NULL) == CK_OK && ck_json_type_of(text) == CK_JSON_OBJECT;
  ck_json_name(w, name);
  if (object || text.len == 0) {
    ck_json_put_raw(w, object ? text : ck_bytes_text("{}"));
    return;
  }
  ck_json_begin(w, '{');
  ck_json_member_string(w, "INVALID_JSON", text);
  ck_json_end(w, '}');
}

void ck_model_put_arguments(ck_json_writer *w, const char *name, ck_bytes arguments) {
  ck_buffer text = {0};
  if (!ck_json_read_string(&text, arguments)) ck_buffer_append_bytes(&text, arguments);
  ck_model_put_object(w, name, ck_buffer_bytes(&text));
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

void ck_model_put_argument_text(ck_json_writer *w, const ck_model_turn *turn,
                                const ck_model_call *call) {
  if (turn->shape != CK_SHAPE_ANTHROPIC && ck_json_type_of(call->arguments) == CK_JSON_STRING)
    ck_json_member_raw(w, "arguments", call->arguments);
  else
    ck_json_member_string(w, "arguments",
                          call->arguments.len > 0 ? call->arguments : ck_bytes_text("{}"));
}

/* ---- answers ---- */

bool ck_model_raise_usage(ck_model_reply *to, int64_t input, int64_t cached, int64_t output) {
  const ck_usage *before = &to->usage;
  if (cached < 0 || cached > input) cached = 0;
  if (input + output < before->input + before->cache_read + before->output) return false;
  to->usage =
      (ck_usage){.input = input - cached, .cache_read = cached, .output = output, .known = true};
  return true;
}

bool ck_model_take_figures(ck_model_reply *to, ck_bytes usage, const ck_model_usage_names *names) {
  int64_t input = 0, cached = 0, output = 0;
  bool known = ck_model_read_tokens(to, &input, usage, names->input);
  known &= ck_model_read_tokens(to, &output, usage, names->output);
  (void)ck_json_read_int(&cached, ck_json_get(ck_json_get(usage, names->details), "cached_tokens"));
  return known && ck_model_raise_usage(to, input, cached, output);
}

ck_bytes ck_model_first(ck_bytes answer, const char *list) {
  ck_bytes all = ck_json_get(answer, list);
  ck_json_iterator it = ck_json_iterate(all);
  if (ck_json_type_of(all) == CK_JSON_ARRAY && ck_json_next(&it)) return it.value;
  return (ck_bytes){NULL, 0};
}

bool ck_model_has_error(ck_bytes answer) {
  ck_json_type type = ck_json_type_of(ck_json_get(answer, "error"));
  return type == CK_JSON_OBJECT || type == CK_JSON_STRING;
}

void ck_model_put_said(ck_json_writer *w, const ck_buffer *text) {
  ck_json_member_text(w, "role", "assistant");
  if (text->len > 0)
    ck_json_member_string(w, "content", ck_buffer_bytes(text));
  else
    ck_json_member_raw(w, "content", ck_bytes_text("null"));
  w->out->failed |= text->failed;
}

static void put_text(ck_json_writer *w, const char *name, ck_bytes text) {
  if (ck_json_type_of(text) == CK_JSON_STRING) ck_json_member_raw(w, name, text);
}

void ck_model_put_call(ck_json_writer *w, ck_bytes id, ck_bytes name, ck_bytes arguments) {
  ck_json_begin(w, '{');
  put_text(w, "id", id);
  ck_json_member_text(w, "type", "function");
  ck_json_name(w, "function");
  ck_json_begin(w, '{');
  put_text(w, "name", name);
  put_text(w, "arguments", arguments);
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}
