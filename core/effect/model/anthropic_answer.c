/* anthropic_answer.c - reads whole answers of Anthropic's messages API; parts shared with streamed
 * ones. */
#include "core/effect/model/anthropic.h"

static bool read_count(int64_t *out, ck_bytes object, const char *name) {
  int64_t number;
  if (!ck_json_read_int(&number, ck_json_get(object, name)) || number < 0) return false;
  *out = number;
  return true;
}

void ck_anthropic_read_usage(ck_usage *out, ck_bytes usage) {
  if (ck_json_type_of(usage) != CK_JSON_OBJECT) return;
  int64_t writes;
  if (read_count(&out->input, usage, "input_tokens")) out->known = true;
  (void)read_count(&out->output, usage, "output_tokens");
  (void)read_count(&out->cache_read, usage, "cache_read_input_tokens");
  (void)read_count(&out->cache_write_long, ck_json_get(usage, "cache_creation"),
                   "ephemeral_1h_input_tokens");
  if (read_count(&writes, usage, "cache_creation_input_tokens"))
    out->cache_write = writes > out->cache_write_long ? writes - out->cache_write_long : 0;
}

bool ck_anthropic_take_fault(ck_model_reply *out, ck_bytes answer) {
  if (!ck_json_is_text(ck_json_get(answer, "type"), "error")) return false;
  ck_buffer_append_bytes(&out->fault, answer);
  return true;
}

void ck_anthropic_put_malformed(ck_json_writer *w, ck_bytes text) {
  ck_json_begin(w, '{');
  ck_json_member_string(w, "INVALID_JSON", text);
  ck_json_end(w, '}');
}

/* The message is the whole answer. */
ck_status ck_anthropic_read(ck_model_reply *out, ck_bytes body, ck_error *err) {
  if (ck_anthropic_take_fault(out, body)) return ck_buffer_check(&out->fault, err);
  bool message = ck_json_is_text(ck_json_get(body, "type"), "message") &&
                 ck_json_is_text(ck_json_get(body, "role"), "assistant");
  if (!message || ck_json_type_of(ck_json_get(body, "content")) != CK_JSON_ARRAY)
    return ck_error_set(err, CK_E_PARSE, "the answer is no message of the assistant");
  ck_anthropic_read_usage(&out->usage, ck_json_get(body, "usage"));
  ck_buffer_append_bytes(&out->message, body);
  return ck_buffer_check(&out->message, err);
}
