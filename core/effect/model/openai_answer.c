/* openai_answer.c - reads answers of OpenAI's chat completions, whole and streamed. */
#include "core/effect/model/openai.h"

/* ---- usage ---- */

/* Some servers state it in each part of a stream. */
void ck_openai_state(ck_model_reply *to, ck_bytes usage, bool begins) {
  static const ck_model_usage_names names = {"prompt_tokens", "completion_tokens",
                                             "prompt_tokens_details"};
  if (!begins) (void)ck_model_take_figures(to, usage, &names);
}

/* ---- a whole answer ---- */

static bool take_fault(ck_model_reply *out, ck_bytes answer) {
  if (!ck_model_has_error(answer)) return false;
  ck_buffer_append_bytes(&out->fault, answer);
  return true;
}

static ck_bytes first_choice(ck_bytes answer) { return ck_model_first(answer, "choices"); }

/* The model's own words; else the member is null, or not there. */
static void take_refusal(ck_model_reply *out, ck_bytes words) {
  if (!ck_model_is_blank(words)) ck_model_refuse(out, (ck_bytes){0}, words);
}

/* Of the form before tool_calls, which some servers still have; no bytes: it has none, or those,
 * too. */
static ck_bytes old_call(ck_bytes message) {
  ck_bytes call = ck_json_get(message, "function_call"), calls = ck_json_get(message, "tool_calls");
  bool newer = ck_json_type_of(calls) == CK_JSON_ARRAY && ck_json_count(calls) > 0;
  return ck_json_type_of(call) == CK_JSON_OBJECT && !newer ? call : (ck_bytes){0};
}

/* In the form that all else reads, without an id, as it has none. */
static void write_old_call(ck_buffer *out, ck_bytes message, ck_bytes call) {
  static const char *const except[] = {"function_call", "tool_calls", NULL};
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_model_copy_members(&w, message, except);
  ck_json_name(&w, "tool_calls");
  ck_json_begin(&w, '[');
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "type", "function");
  ck_json_member_raw(&w, "function", call);
  ck_json_end(&w, '}');
  ck_json_end(&w, ']');
  ck_json_end(&w, '}');
}

ck_status ck_openai_read(ck_model_reply *out, ck_bytes body, ck_error *err) {
  if (take_fault(out, body)) return ck_buffer_check(&out->fault, err);
  ck_bytes message = ck_json_get(first_choice(body), "message");
  if (ck_json_type_of(message) != CK_JSON_OBJECT ||
      !ck_json_is_text(ck_json_get(message, "role"), "assistant"))
    return ck_error_set(err, CK_E_PARSE, "the answer has no choices[0].message of the assistant");
  take_refusal(out, ck_json_get(message, "refusal"));
  ck_model_take_end(out, ck_json_get(first_choice(body), "finish_reason"));
  ck_bytes call = old_call(message);
  if (call.len)
    write_old_call(&out->message, message, call);
  else
    ck_buffer_append_bytes(&out->message, message);
  return ck_buffer_check(&out->message, err);
}

/* ---- a stream ---- */

/* Some servers repeat these members in every part; none sends them in pieces. */
static bool comes_once(ck_bytes name) {
  static const char *const names[] = {"id", "type", "name", "role"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ck_json_is_text(name, names[i])) return true;
  }
  return false;
}

static bool is_there(const ck_model_fields *fields, ck_bytes name) {
  for (size_t i = 0; i < fields->count; i++) {
    if (ck_bytes_equal(ck_buffer_bytes(&fields->list[i].name), name))
      return fields->list[i].value.len > 0;
  }
  return false;
}

static void join_member(ck_model_fields *fields, const ck_json_iterator *at) {
  if (comes_once(at->name) && is_there(fields, at->name)) return;
  ck_model_fields_join(fields, at->name, at->value);
}

/* A member of a delta that brings something: neither nothing nor a repetition. */
static bool brings(const ck_model_fields *fields, const ck_json_iterator *at) {
  if (comes_once(at->name) && is_there(fields, at->name)) return false;
  ck_json_type type = ck_json_type_of(at->value);
  if (type == CK_JSON_STRING) return at->value.len > 2;
  return type == CK_JSON_ARRAY ? ck_json_count(at->value) > 0 : type != CK_JSON_NULL;
}

static bool goes_on(const ck_model_reply *reply, ck_bytes delta) {
  ck_json_iterator it = ck_json_iterate(delta);
  while (ck_json_type_of(delta) == CK_JSON_OBJECT && ck_json_next(&it))
    if (brings(&reply->fields, &it)) return true;
  return false;
}

static void take_function(ck_model_fields *to, ck_bytes function) {
  ck_json_iterator it = ck_json_iterate(function);
  while (ck_json_type_of(function) == CK_JSON_OBJECT && ck_json_next(&it)) join_member(to, &it);
}

/* Some servers give every call the same index: a new id begins a new call. */
static bool is_another(ck_model_reply *reply, int64_t index, ck_bytes id) {
  for (size_t i = 0; i < reply->part_count; i++) {
    if (reply->parts[i].index != index) continue;
    const ck_model_field *known = ck_model_fields_get(&reply->parts[i].fields, "id");
    if (!known || known->value.len == 0 || ck_model_is_blank(id)) return false;
    return !ck_bytes_equal(ck_buffer_bytes(&known->value), (ck_bytes){id.data + 1, id.len - 2});
  }
  return false;
}

/* The call that a part belongs to: without an index the last one, unless the part has an id. */
static int64_t find_index(ck_model_reply *reply, ck_bytes call) {
  int64_t index;
  ck_bytes id = ck_json_get(call, "id");
  bool begins = reply->part_count == 0 || !ck_model_is_blank(id);
  bool has_index = ck_json_read_int(&index, ck_json_get(call, "index"));
  if (!has_index || is_another(reply, index, id))
    index = reply->part_count ? reply->parts[reply->part_count - 1].index + begins : 0;
  return index;
}

static ck_status take_call(ck_model_reply *out, ck_bytes call, ck_error *err) {
  ck_model_part *part;
  ck_status status = ck_model_reply_part(&part, out, find_index(out, call), err);
  if (status != CK_OK) return status;
  ck_json_iterator it = ck_json_iterate(call);
  while (ck_json_next(&it)) {
    if (ck_json_is_text(it.name, "function"))
      take_function(&part->more, it.value);
    else if (!ck_json_is_text(it.name, "index"))
      join_member(&part->fields, &it);
  }
  return CK_OK;
}

/* Behind calls of the newer form, which have ids, it says the same once more. */
static ck_status take_old_call(ck_model_reply *out, ck_bytes delta, ck_error *err) {
  ck_model_part *part;
  ck_bytes call = old_call(delta);
  bool newer = out->part_count && ck_model_fields_get(&out->parts[0].fields, "id");
  if (!call.len || newer) return CK_OK;
  ck_status status = ck_model_reply_part(&part, out, 0, err);
  if (status == CK_OK) take_function(&part->more, call);
  return status;
}

static ck_status take_delta(ck_model_reply *out, ck_bytes delta, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(delta);
  ck_status status = take_old_call(out, delta, err);
  while (!status && ck_json_next(&it)) {
    if (ck_json_is_text(it.name, "function_call")) continue;
    if (!ck_json_is_text(it.name, "tool_calls")) {
      join_member(&out->fields, &it);
      continue;
    }
    ck_json_iterator calls = ck_json_iterate(it.value);
    while (!status && ck_json_type_of(it.value) == CK_JSON_ARRAY && ck_json_next(&calls)) {
      status = ck_json_type_of(calls.value) == CK_JSON_OBJECT
                   ? take_call(out, calls.value, err)
                   : ck_error_set(err, CK_E_PARSE, "a call in the stream is no object");
    }
  }
  return status;
}

ck_status ck_openai_take(ck_model_reply *out, ck_bytes data, ck_error *err) {
  int64_t index = 0;
  if (take_fault(out, data)) return ck_buffer_check(&out->fault, err);
  ck_bytes choice = first_choice(data);
  (void)ck_json_read_int(&index, ck_json_get(choice, "index"));
  bool ends = index == 0 && ck_json_type_of(ck_json_get(choice, "finish_reason")) == CK_JSON_STRING;
  out->ended |= ends;
  if (ends) ck_model_take_end(out, ck_json_get(choice, "finish_reason"));
  ck_bytes delta = ck_json_get(choice, "delta");
  if (goes_on(out, delta)) out->final = false; /* what was stated was not of this */
  bool stated = ck_json_type_of(ck_json_get(data, "usage")) == CK_JSON_OBJECT;
  out->final |= stated && (out->ended || choice.len == 0);
  if (choice.len == 0 || index != 0) return CK_OK;
  return ck_json_type_of(delta) == CK_JSON_OBJECT ? take_delta(out, delta, err) : CK_OK;
}

static void append_quoted(ck_buffer *out, const ck_model_field *text) {
  ck_buffer_append_char(out, '"');
  ck_buffer_append_bytes(out, ck_buffer_bytes(&text->value));
  ck_buffer_append_char(out, '"');
}

/* Arguments are JSON in a string; a tool without any may be called with none. */
static bool has_whole_arguments(ck_model_part *call) {
  const ck_model_field *given = ck_model_fields_get(&call->more, "arguments");
  ck_buffer string = {0}, arguments = {0};
  if (!given || !given->text || given->value.len == 0) return true;
  append_quoted(&string, given);
  if (!string.failed) ck_json_read_string(&arguments, ck_buffer_bytes(&string));
  bool failed = string.failed || arguments.failed;
  bool whole = failed || ck_json_check(ck_buffer_bytes(&arguments), NULL) == CK_OK;
  call->more.failed |= failed;
  ck_buffer_clear(&string);
  ck_buffer_clear(&arguments);
  return whole;
}

bool ck_openai_may_end(ck_model_reply *reply) {
  for (size_t i = 0; i < reply->part_count; i++)
    if (!has_whole_arguments(&reply->parts[i])) return false;
  return true;
}

static void write_parts(ck_json_writer *w, const ck_model_reply *reply) {
  ck_json_name(w, "tool_calls");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < reply->part_count; i++) {
    const ck_model_part *part = &reply->parts[i];
    ck_json_begin(w, '{');
    ck_model_fields_write(w, &part->fields, NULL);
    if (!ck_model_fields_get(&part->fields, "type")) ck_json_member_text(w, "type", "function");
    ck_json_name(w, "function");
    ck_json_begin(w, '{');
    ck_model_fields_write(w, &part->more, NULL);
    ck_json_end(w, '}');
    ck_json_end(w, '}');
  }
  ck_json_end(w, ']');
}

static void take_streamed_refusal(ck_model_reply *out) {
  const ck_model_field *given = ck_model_fields_get(&out->fields, "refusal");
  ck_buffer words = {0};
  if (!given || !given->text) return;
  append_quoted(&words, given);
  if (!words.failed) take_refusal(out, ck_buffer_bytes(&words));
  out->refusal.failed |= words.failed;
  ck_buffer_clear(&words);
}

ck_status ck_openai_finish(ck_model_reply *out, ck_error *err) {
  ck_json_writer w = {.out = &out->message};
  take_streamed_refusal(out);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "role", "assistant");
  if (!ck_model_fields_get(&out->fields, "content"))
    ck_json_member_raw(&w, "content", ck_bytes_text("null"));
  ck_model_fields_write(&w, &out->fields, "role");
  if (out->part_count > 0) write_parts(&w, out);
  ck_json_end(&w, '}');
  return ck_buffer_check(&out->message, err);
}
