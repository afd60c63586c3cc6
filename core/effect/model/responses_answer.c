/* responses_answer.c - reads answers of OpenAI's responses API, whole and streamed. */
#include "core/effect/model/responses.h"

static bool is_type(ck_bytes object, const char *type) {
  return ck_json_is_text(ck_json_get(object, "type"), type);
}

/* ---- usage ---- */

/* It is stated once, behind all. */
void ck_responses_state(ck_model_reply *to, ck_bytes usage, bool begins) {
  static const ck_model_usage_names names = {"input_tokens", "output_tokens",
                                             "input_tokens_details"};
  (void)begins;
  to->final |= ck_model_take_figures(to, usage, &names);
}

/* ---- the message ---- */

/* `*text` and `*refusal` grow by what an item of type "message" says. */
static void read_said(ck_buffer *text, ck_buffer *refusal, ck_bytes item) {
  ck_bytes content = ck_json_get(item, "content");
  if (ck_json_type_of(content) == CK_JSON_STRING) ck_json_read_string(text, content);
  if (ck_json_type_of(content) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);) {
    if (is_type(it.value, "output_text")) ck_json_read_string(text, ck_json_get(it.value, "text"));
    if (is_type(it.value, "refusal"))
      ck_json_read_string(refusal, ck_json_get(it.value, "refusal"));
  }
}

static void write_calls(ck_json_writer *w, ck_bytes items) {
  bool begun = false;
  for (ck_json_iterator it = ck_json_iterate(items); ck_json_next(&it);) {
    if (!is_type(it.value, "function_call")) continue;
    if (!begun) {
      ck_json_name(w, "tool_calls");
      ck_json_begin(w, '[');
    }
    begun = true;
    ck_model_put_call(w, ck_json_get(it.value, "call_id"), ck_json_get(it.value, "name"),
                      ck_json_get(it.value, "arguments"));
  }
  if (begun) ck_json_end(w, ']');
}

/* The model's own words tell more than the provider's. */
static void put_refusal(ck_json_writer *w, ck_model_reply *out, const ck_buffer *words) {
  if (words->len == 0) return;
  ck_json_member_string(w, "refusal", ck_buffer_bytes(words));
  out->refused = true;
  ck_buffer_reset(&out->refusal);
  ck_buffer_append_bytes(&out->refusal, ck_buffer_bytes(words));
}

/* In the shape of chat completions, with the items as they came. */
static ck_status write_message(ck_model_reply *out, ck_bytes items, ck_error *err) {
  ck_json_writer w = {.out = &out->message};
  ck_buffer text = {0}, refusal = {0};
  for (ck_json_iterator it = ck_json_iterate(items); ck_json_next(&it);)
    if (is_type(it.value, "message")) read_said(&text, &refusal, it.value);
  ck_json_begin(&w, '{');
  ck_model_put_said(&w, &text);
  put_refusal(&w, out, &refusal);
  write_calls(&w, items);
  ck_json_name(&w, "responses");
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "output", items);
  ck_json_end(&w, '}');
  ck_json_end(&w, '}');
  out->message.failed |= refusal.failed;
  ck_buffer_clear(&refusal);
  ck_buffer_clear(&text);
  return ck_buffer_check(&out->message, err);
}

/* ---- a whole answer ---- */

/* The error of `from`, as other answers have it: {"error": {…}}. */
static void put_fault(ck_model_reply *out, ck_bytes error) {
  ck_json_writer w = {.out = &out->fault};
  bool told = ck_json_type_of(error) == CK_JSON_OBJECT || ck_json_type_of(error) == CK_JSON_STRING;
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "error",
                     told ? error : ck_bytes_text("{\"message\":\"it failed without a word\"}"));
  ck_json_end(&w, '}');
}

static bool take_fault(ck_model_reply *out, ck_bytes response) {
  ck_bytes status = ck_json_get(response, "status");
  bool failed = ck_json_is_text(status, "failed") || ck_json_is_text(status, "cancelled") ||
                ck_model_has_error(response);
  if (failed) put_fault(out, ck_json_get(response, "error"));
  return failed;
}

static void take_end(ck_model_reply *out, ck_bytes response) {
  ck_bytes details = ck_json_get(response, "incomplete_details");
  if (ck_json_is_text(ck_json_get(response, "status"), "incomplete"))
    ck_model_take_end(out, ck_json_get(details, "reason"));
}

ck_status ck_responses_read(ck_model_reply *out, ck_bytes body, ck_error *err) {
  if (take_fault(out, body)) return ck_buffer_check(&out->fault, err);
  ck_bytes items = ck_json_get(body, "output"), status = ck_json_get(body, "status");
  bool ended = status.len == 0 || ck_json_is_text(status, "completed") ||
               ck_json_is_text(status, "incomplete");
  if (ck_json_type_of(items) != CK_JSON_ARRAY || !ended)
    return ck_error_set(err, CK_E_PARSE, "the answer is no response that has ended");
  take_end(out, body);
  return write_message(out, items, err);
}

/* ---- a stream ---- */

static const char output[] = "\"output\"";

static ck_status take_item(ck_model_reply *out, ck_bytes data, bool done, ck_error *err) {
  int64_t index;
  ck_model_part *part;
  ck_bytes item = ck_json_get(data, "item");
  if (!ck_json_read_int(&index, ck_json_get(data, "output_index")) ||
      ck_json_type_of(item) != CK_JSON_OBJECT)
    return ck_error_set(err, CK_E_PARSE, "an item of the stream does not say which it is");
  ck_status status = ck_model_reply_part(&part, out, index, err);
  if (status != CK_OK || !done) return status;
  ck_buffer_reset(&part->input);
  ck_buffer_append_bytes(&part->input, item);
  return CK_OK;
}

/* Some servers repeat all items here, some none. */
static ck_status take_response(ck_model_reply *out, ck_bytes response) {
  ck_bytes items = ck_json_get(response, "output");
  if (ck_json_type_of(items) == CK_JSON_ARRAY && ck_json_count(items) > 0)
    ck_model_fields_put(&out->fields, ck_bytes_text(output), items);
  take_end(out, response);
  out->ended = true;
  return CK_OK;
}

/* The event "error" has the error's members itself, or in one of that name. */
static void take_error(ck_model_reply *out, ck_bytes data) {
  static const char *const except[] = {"type", "sequence_number", NULL};
  ck_buffer own = {0};
  ck_json_writer w = {.out = &own};
  ck_bytes error = ck_json_get(data, "error");
  ck_json_begin(&w, '{');
  ck_model_copy_members(&w, data, except);
  ck_json_end(&w, '}');
  put_fault(out, ck_json_type_of(error) == CK_JSON_OBJECT ? error : ck_buffer_bytes(&own));
  out->fault.failed |= own.failed;
  ck_buffer_clear(&own);
}

ck_status ck_responses_take(ck_model_reply *out, ck_bytes data, ck_error *err) {
  ck_bytes response = ck_json_get(data, "response");
  if (is_type(data, "error") || ck_json_type_of(ck_json_get(data, "error")) == CK_JSON_OBJECT) {
    take_error(out, data);
    return ck_buffer_check(&out->fault, err);
  }
  if (is_type(data, "response.failed")) {
    put_fault(out, ck_json_get(response, "error"));
    return ck_buffer_check(&out->fault, err);
  }
  if (is_type(data, "response.output_item.added")) return take_item(out, data, false, err);
  if (is_type(data, "response.output_item.done")) return take_item(out, data, true, err);
  if (is_type(data, "response.completed") || is_type(data, "response.incomplete"))
    return take_response(out, response);
  return CK_OK;
}

/* Its end is an event of its own: nothing else tells it. */
bool ck_responses_may_end(ck_model_reply *reply) {
  (void)reply;
  return false;
}

/* One that was cut off may have begun an item: no part of that is used. */
static ck_status join_items(ck_buffer *items, const ck_model_reply *reply, ck_error *err) {
  ck_json_writer w = {.out = items};
  ck_json_begin(&w, '[');
  for (size_t i = 0; i < reply->part_count; i++) {
    const ck_buffer *item = &reply->parts[i].input;
    if (item->failed) return ck_error_no_memory(err);
    if (item->len == 0 && reply->cut) continue;
    if (item->len == 0)
      return ck_error_set(err, CK_E_PARSE, "the stream began an item and did not end it");
    ck_json_put_raw(&w, ck_buffer_bytes(item));
  }
  ck_json_end(&w, ']');
  return ck_buffer_check(items, err);
}

ck_status ck_responses_finish(ck_model_reply *out, ck_error *err) {
  const ck_model_field *whole = ck_model_fields_get(&out->fields, "output");
  ck_buffer items = {0};
  if (out->fields.failed) return ck_error_no_memory(err);
  ck_status status = whole ? CK_OK : join_items(&items, out, err);
  if (status == CK_OK)
    status = write_message(out, ck_buffer_bytes(whole ? &whole->value : &items), err);
  ck_buffer_clear(&items);
  return status;
}
