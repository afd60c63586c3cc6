/* model_openai.c - chat completions as OpenAI takes and gives them. */
#include "core/effect/model_private.h"

/* ---- what is asked ---- */

typedef struct telling {
  ck_json_writer w;
} telling;

static void begin_message(ck_json_writer *w, const char *role) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "role", role);
}

/* A text, or blocks that the provider knows; any other JSON is told as text. */
static void write_content(ck_json_writer *w, ck_bytes content) {
  ck_json_name(w, "content");
  if (ck_model_is_blocks(content)) {
    ck_json_put_raw(w, content);
    return;
  }
  ck_model_append_text(w->out, content);
  w->comma = true;
}

static void tell_system(void *to, ck_bytes content) {
  telling *self = to;
  begin_message(&self->w, "system");
  write_content(&self->w, content);
  ck_json_end(&self->w, '}');
}

static void tell_user(void *to, ck_bytes content) {
  telling *self = to;
  begin_message(&self->w, "user");
  write_content(&self->w, content);
  ck_json_end(&self->w, '}');
}

/* The texts of Anthropic's blocks, as one JSON string; thinking stays behind. False: there is none. */
static bool append_texts(ck_buffer *out, ck_bytes content) {
  ck_buffer text = {0};
  if (ck_json_type_of(content) == CK_JSON_STRING) ck_json_read_string(&text, content);
  ck_json_iterator it = ck_json_iterate(content);
  while (ck_json_type_of(content) == CK_JSON_ARRAY && ck_json_next(&it)) {
    if (ck_json_is_text(ck_json_get(it.value, "type"), "text"))
      ck_json_read_string(&text, ck_json_get(it.value, "text"));
  }
  bool some = text.len > 0;
  if (some) ck_json_append_string(out, ck_buffer_bytes(&text));
  out->failed |= text.failed;
  ck_buffer_clear(&text);
  return some;
}

/* Arguments are JSON in a string; some servers give the JSON itself. */
static void write_function(ck_json_writer *w, const ck_model_turn *turn, const ck_model_call *call) {
  ck_json_name(w, "function");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "name", call->name.len > 0 ? call->name : ck_bytes_text("\"unknown\""));
  if (turn->shape == CK_SHAPE_OPENAI && ck_json_type_of(call->arguments) == CK_JSON_STRING)
    ck_json_member_raw(w, "arguments", call->arguments);
  else
    ck_json_member_string(w, "arguments", call->arguments.len > 0 ? call->arguments : ck_bytes_text("{}"));
  ck_json_end(w, '}');
}

/* `given` is the call as it came; what else it has stays with it. */
static void write_call(ck_json_writer *w, const ck_model_turn *turn, size_t index, ck_bytes given) {
  static const char *const ours[] = {"id", "type", "index", "function", "name", "arguments", NULL};
  ck_json_begin(w, '{');
  ck_json_name(w, "id");
  ck_model_append_id(w->out, turn, index);
  w->comma = true;
  ck_json_member_text(w, "type", "function");
  write_function(w, turn, &turn->calls[index]);
  ck_model_copy_members(w, given, ours);
  ck_json_end(w, '}');
}

static void write_foreign(ck_json_writer *w, const ck_model_turn *turn, ck_bytes text) {
  begin_message(w, "assistant");
  ck_json_member_raw(w, "content", text);
  if (turn->call_count > 0) {
    ck_json_name(w, "tool_calls");
    ck_json_begin(w, '[');
    for (size_t i = 0; i < turn->call_count; i++) write_call(w, turn, i, (ck_bytes){0});
    ck_json_end(w, ']');
  }
  ck_json_end(w, '}');
}

static void write_result(ck_json_writer *w, const ck_model_turn *turn, size_t index) {
  begin_message(w, "tool");
  ck_json_name(w, "tool_call_id");
  ck_model_append_id(w->out, turn, index);
  w->comma = true;
  ck_json_name(w, "content");
  if (turn->calls[index].result.len > 0)
    ck_model_append_text(w->out, turn->calls[index].result);
  else
    ck_json_append_string(w->out, ck_bytes_text(CK_MODEL_NO_RESULT));
  w->comma = true;
  ck_json_end(w, '}');
}

/* An own message with something in it goes back as it came; an empty one would be refused. */
static bool is_sendable(const ck_model_turn *turn) {
  static const char *const others[] = {"refusal", "audio", "function_call"};
  ck_bytes content = ck_json_get(turn->message, "content");
  ck_json_type type = ck_json_type_of(content);
  if (turn->call_count > 0 || (type == CK_JSON_STRING && content.len > 2) || ck_model_is_blocks(content)) return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!ck_model_is_blank(ck_json_get(turn->message, others[i]))) return true;
  }
  return false;
}

static bool has_foreign_content(ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  ck_json_type type = ck_json_type_of(content);
  return type != CK_JSON_STRING && type != CK_JSON_NULL && type != CK_JSON_NONE && !ck_model_is_blocks(content);
}

/* It has what a strict server asks for. Calls that are no functions are the provider's own. */
static bool is_sound(const ck_model_call *call, ck_bytes given) {
  ck_bytes type = ck_json_get(given, "type");
  if (call->id.len == 0 || ck_json_type_of(type) != CK_JSON_STRING) return false;
  if (!ck_json_is_text(type, "function")) return true;
  return call->name.len > 0 && ck_json_get(given, "function").len > 0 && ck_json_type_of(call->arguments) == CK_JSON_STRING;
}

/* A list of calls with nothing in it, or something else in its place, is refused. */
static bool are_sound(const ck_model_turn *turn) {
  if (turn->call_count == 0 && ck_json_get(turn->message, "tool_calls").len > 0) return false;
  if (turn->call_count > 0 && has_foreign_content(turn->message)) return false;
  ck_json_iterator it = ck_json_iterate(ck_json_get(turn->message, "tool_calls"));
  for (size_t i = 0; i < turn->call_count && ck_json_next(&it); i++) {
    if (!is_sound(&turn->calls[i], it.value)) return false;
  }
  return true;
}

static void write_mended_calls(ck_json_writer *w, const ck_model_turn *turn) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(turn->message, "tool_calls"));
  ck_json_name(w, "tool_calls");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < turn->call_count && ck_json_next(&it); i++) {
    if (is_sound(&turn->calls[i], it.value)) ck_json_put_raw(w, it.value);
    else write_call(w, turn, i, it.value);
  }
  ck_json_end(w, ']');
}

/* The message as it came, but for what would be refused. */
static void write_mended(ck_json_writer *w, const ck_model_turn *turn) {
  bool foreign = has_foreign_content(turn->message);
  const char *const ours[] = {"tool_calls", foreign ? "content" : NULL, NULL};
  ck_json_begin(w, '{');
  ck_model_copy_members(w, turn->message, ours);
  if (foreign) write_content(w, ck_json_get(turn->message, "content"));
  if (turn->call_count > 0) write_mended_calls(w, turn);
  ck_json_end(w, '}');
}

/* What a flow says for the assistant may be any JSON. */
static void tell_own(telling *self, const ck_model_turn *turn) {
  if (turn->call_count == 0 && has_foreign_content(turn->message)) {
    begin_message(&self->w, "assistant");
    write_content(&self->w, ck_json_get(turn->message, "content"));
    ck_json_end(&self->w, '}');
  } else if (is_sendable(turn)) {
    if (are_sound(turn)) ck_json_put_raw(&self->w, turn->message);
    else write_mended(&self->w, turn);
  }
}

static void tell_assistant(void *to, const ck_model_turn *turn) {
  telling *self = to;
  ck_buffer text = {0};
  bool own = turn->shape == CK_SHAPE_OPENAI;
  bool said = !own && append_texts(&text, ck_json_get(turn->message, "content"));
  if (own)
    tell_own(self, turn);
  else if (said || turn->call_count > 0)
    write_foreign(&self->w, turn, said ? ck_buffer_bytes(&text) : ck_bytes_text("null"));
  for (size_t i = 0; i < turn->call_count; i++) write_result(&self->w, turn, i);
  self->w.out->failed |= text.failed;
  ck_buffer_clear(&text);
}

/* A name alone is a tool that takes any object; one with a type is the provider's own. */
static void write_tool(ck_json_writer *w, ck_bytes tool) {
  bool named = ck_json_type_of(tool) == CK_JSON_STRING;
  if (!named && ck_json_get(tool, "type").len > 0) {
    ck_json_put_raw(w, tool);
    return;
  }
  ck_bytes description = named ? (ck_bytes){NULL, 0} : ck_json_get(tool, "description");
  ck_bytes parameters = named ? description : ck_json_get(tool, "parameters");
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "function");
  ck_json_name(w, "function");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "name", named ? tool : ck_json_get(tool, "name"));
  if (description.len > 0) ck_json_member_raw(w, "description", description);
  ck_json_member_raw(w, "parameters",
                     parameters.len > 0 ? parameters : ck_bytes_text("{\"type\":\"object\",\"properties\":{}}"));
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static void write_tools(ck_json_writer *w, ck_bytes tools) {
  if (ck_json_type_of(tools) != CK_JSON_ARRAY || ck_json_count(tools) == 0) return;
  ck_json_name(w, "tools");
  ck_json_begin(w, '[');
  ck_json_iterator it = ck_json_iterate(tools);
  while (ck_json_next(&it)) write_tool(w, it.value);
  ck_json_end(w, ']');
}

static ck_status write(ck_buffer *out, const ck_model_ask *ask, ck_error *err) {
  telling self = {.w = {.out = out}};
  ck_model_teller teller = {&self, CK_SHAPE_OPENAI, tell_system, tell_user, tell_assistant};
  ck_json_begin(&self.w, '{');
  ck_json_member_text(&self.w, "model", ask->model->model);
  ck_status status = ck_model_write_options(&self.w, ask, err);
  if (status) return status;
  ck_json_name(&self.w, "messages");
  ck_json_begin(&self.w, '[');
  status = ck_model_tell(ask->conversation, &teller, err);
  ck_json_end(&self.w, ']');
  write_tools(&self.w, ck_json_get(ask->request, "tools"));
  if (ck_model_streams(ask->model)) {
    ck_json_member_bool(&self.w, "stream", true);
    ck_json_member_raw(&self.w, "stream_options", ck_bytes_text("{\"include_usage\":true}"));
  }
  ck_json_end(&self.w, '}');
  return status ? status : ck_buffer_check(out, err);
}

/* ---- what is answered ---- */

static void read_usage(ck_usage *out, ck_bytes usage) {
  int64_t input = 0, cached = 0, output = 0;
  if (ck_json_type_of(usage) != CK_JSON_OBJECT) return;
  bool told = ck_json_read_int(&input, ck_json_get(usage, "prompt_tokens"));
  told &= ck_json_read_int(&output, ck_json_get(usage, "completion_tokens"));
  (void)ck_json_read_int(&cached, ck_json_get(ck_json_get(usage, "prompt_tokens_details"), "cached_tokens"));
  if (cached < 0 || cached > input) cached = 0;
  if (told) *out = (ck_usage){.input = input - cached, .cache_read = cached, .output = output, .known = true};
}

static bool take_fault(ck_model_reply *out, ck_bytes answer) {
  ck_bytes error = ck_json_get(answer, "error");
  if (ck_json_type_of(error) != CK_JSON_OBJECT && ck_json_type_of(error) != CK_JSON_STRING) return false;
  ck_buffer_append_bytes(&out->fault, answer);
  return true;
}

static ck_bytes first_choice(ck_bytes answer) {
  ck_bytes choices = ck_json_get(answer, "choices");
  ck_json_iterator it = ck_json_iterate(choices);
  if (ck_json_type_of(choices) == CK_JSON_ARRAY && ck_json_next(&it)) return it.value;
  return (ck_bytes){NULL, 0};
}

static ck_status read(ck_model_reply *out, ck_bytes body, ck_error *err) {
  if (take_fault(out, body)) return ck_buffer_check(&out->fault, err);
  ck_bytes message = ck_json_get(first_choice(body), "message");
  if (ck_json_type_of(message) != CK_JSON_OBJECT || !ck_json_is_text(ck_json_get(message, "role"), "assistant"))
    return ck_error_set(err, CK_E_PARSE, "the answer has no choices[0].message of the assistant");
  read_usage(&out->usage, ck_json_get(body, "usage"));
  ck_buffer_append_bytes(&out->message, message);
  return ck_buffer_check(&out->message, err);
}

/* ---- a stream ---- */

/* Some servers repeat these in every part; nobody sends them in pieces. */
static bool comes_once(ck_bytes name) {
  static const char *const names[] = {"id", "type", "name", "role"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ck_json_is_text(name, names[i])) return true;
  }
  return false;
}

static bool is_there(const ck_model_fields *fields, ck_bytes name) {
  for (size_t i = 0; i < fields->count; i++) {
    if (ck_bytes_equal(ck_buffer_bytes(&fields->list[i].name), name)) return fields->list[i].value.len > 0;
  }
  return false;
}

static void join_member(ck_model_fields *fields, const ck_json_iterator *at) {
  if (comes_once(at->name) && is_there(fields, at->name)) return;
  ck_model_fields_join(fields, at->name, at->value);
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

/* Which call a part belongs to: without an index the last one, unless it has an id. */
static int64_t find_index(ck_model_reply *reply, ck_bytes call) {
  int64_t index;
  ck_bytes id = ck_json_get(call, "id");
  bool begins = reply->part_count == 0 || !ck_model_is_blank(id);
  bool said = ck_json_read_int(&index, ck_json_get(call, "index"));
  if (!said || is_another(reply, index, id))
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

static ck_status take_delta(ck_model_reply *out, ck_bytes delta, ck_error *err) {
  ck_json_iterator it = ck_json_iterate(delta);
  ck_status status = CK_OK;
  while (!status && ck_json_next(&it)) {
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

static ck_status take(ck_model_reply *out, ck_bytes data, ck_error *err) {
  int64_t index = 0;
  if (take_fault(out, data)) return ck_buffer_check(&out->fault, err);
  read_usage(&out->usage, ck_json_get(data, "usage"));
  ck_bytes choice = first_choice(data);
  (void)ck_json_read_int(&index, ck_json_get(choice, "index"));
  if (choice.len == 0 || index != 0) return CK_OK;
  if (ck_json_type_of(ck_json_get(choice, "finish_reason")) == CK_JSON_STRING) out->ended = true;
  ck_bytes delta = ck_json_get(choice, "delta");
  return ck_json_type_of(delta) == CK_JSON_OBJECT ? take_delta(out, delta, err) : CK_OK;
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

static ck_status finish(ck_model_reply *out, ck_error *err) {
  ck_json_writer w = {.out = &out->message};
  begin_message(&w, "assistant");
  if (!ck_model_fields_get(&out->fields, "content")) ck_json_member_raw(&w, "content", ck_bytes_text("null"));
  ck_model_fields_write(&w, &out->fields, "role");
  if (out->part_count > 0) write_parts(&w, out);
  ck_json_end(&w, '}');
  return ck_buffer_check(&out->message, err);
}

const ck_model_format ck_model_openai = {
    .path = "/chat/completions",
    .key_header = "Authorization",
    .key_prefix = "Bearer ",
    .write = write,
    .read = read,
    .take = take,
    .finish = finish,
};
