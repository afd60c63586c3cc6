/* openai.c - requests of OpenAI's chat completions. */
#include "core/effect/model/openai.h"

typedef struct turn_writer {
  ck_json_writer w;
  ck_model_media media;
} turn_writer;

static void begin_message(ck_json_writer *w, const char *role) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "role", role);
}

/* A text, or blocks that the provider knows; any other JSON is sent as text. */
static void write_content(ck_json_writer *w, ck_bytes content) {
  ck_json_name(w, "content");
  if (ck_model_is_blocks(content)) {
    ck_json_put_raw(w, content);
    return;
  }
  ck_model_append_text(w->out, content);
  w->comma = true;
}

static void write_system_text(void *to, ck_bytes content) {
  turn_writer *self = to;
  begin_message(&self->w, "system");
  write_content(&self->w, content);
  ck_json_end(&self->w, '}');
}

static void write_user(void *to, ck_bytes content) {
  turn_writer *self = to;
  begin_message(&self->w, "user");
  if (ck_model_has_media(content)) {
    ck_json_name(&self->w, "content");
    ck_json_begin(&self->w, '[');
    ck_model_write_media(&self->w, &self->media, content, false);
    ck_json_end(&self->w, ']');
  } else {
    write_content(&self->w, content);
  }
  ck_json_end(&self->w, '}');
}

/* The texts of Anthropic's blocks, as one JSON string, without thinking. False: there is no
 * text. */
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

static void write_function(ck_json_writer *w, const ck_model_turn *turn,
                           const ck_model_call *call) {
  ck_json_name(w, "function");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "name", call->name.len > 0 ? call->name : ck_bytes_text("\"unknown\""));
  ck_model_put_argument_text(w, turn, call);
  ck_json_end(w, '}');
}

/* `given` is the call as received; its other members are kept. */
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
  ck_bytes result = turn->calls[index].result;
  if (ck_media_is_content(result))
    ck_model_append_captions(w->out, result);
  else if (result.len > 0)
    ck_model_append_text(w->out, result);
  else
    ck_json_append_string(w->out, ck_bytes_text(CK_MODEL_NO_RESULT));
  w->comma = true;
  ck_json_end(w, '}');
}

static void put_origin(ck_json_writer *w, const ck_model_turn *turn, size_t index) {
  ck_buffer id = {0}, text = {0};
  ck_model_append_id(&id, turn, index);
  ck_buffer_append_text(&text, "From the result of call ");
  ck_json_read_string(&text, ck_buffer_bytes(&id));
  ck_buffer_append_char(&text, ':');
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "text");
  ck_json_member_string(w, "text", ck_buffer_bytes(&text));
  ck_json_end(w, '}');
  w->out->failed |= id.failed || text.failed;
  ck_buffer_clear(&text);
  ck_buffer_clear(&id);
}

/* A tool's message holds text alone: its images follow as the user's, behind all results. */
static void write_media_of_results(turn_writer *self, const ck_model_turn *turn) {
  bool begun = false;
  for (size_t i = 0; i < turn->call_count; i++) {
    if (!ck_media_is_content(turn->calls[i].result)) continue;
    if (!begun) {
      begin_message(&self->w, "user");
      ck_json_name(&self->w, "content");
      ck_json_begin(&self->w, '[');
    }
    begun = true;
    put_origin(&self->w, turn, i);
    ck_model_write_media(&self->w, &self->media, turn->calls[i].result, true);
  }
  if (!begun) return;
  ck_json_end(&self->w, ']');
  ck_json_end(&self->w, '}');
}

/* A message of the same API with any content goes back as received; an empty one would be
 * refused. */
static bool is_sendable(const ck_model_turn *turn) {
  static const char *const others[] = {"refusal", "audio", "function_call"};
  ck_bytes content = ck_json_get(turn->message, "content");
  ck_json_type type = ck_json_type_of(content);
  if (turn->call_count > 0 || (type == CK_JSON_STRING && content.len > 2) ||
      ck_model_is_blocks(content))
    return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    if (!ck_model_is_blank(ck_json_get(turn->message, others[i]))) return true;
  }
  return false;
}

static bool has_foreign_content(ck_bytes message) {
  ck_bytes content = ck_json_get(message, "content");
  ck_json_type type = ck_json_type_of(content);
  return type != CK_JSON_STRING && type != CK_JSON_NULL && type != CK_JSON_NONE &&
         !ck_model_is_blocks(content);
}

/* True when it has everything that a strict server requires. Calls that are no functions belong to
 * the provider. */
static bool is_sound(const ck_model_call *call, ck_bytes given) {
  ck_bytes type = ck_json_get(given, "type");
  if (call->id.len == 0 || ck_json_type_of(type) != CK_JSON_STRING) return false;
  if (!ck_json_is_text(type, "function")) return true;
  return call->name.len > 0 && ck_json_get(given, "function").len > 0 &&
         ck_json_type_of(call->arguments) == CK_JSON_STRING;
}

/* An empty list of calls, or another value in its place, is refused. */
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
    if (is_sound(&turn->calls[i], it.value))
      ck_json_put_raw(w, it.value);
    else
      write_call(w, turn, i, it.value);
  }
  ck_json_end(w, ']');
}

/* The message as received, without the parts that would be refused. */
static void write_mended(ck_json_writer *w, const ck_model_turn *turn) {
  bool foreign = has_foreign_content(turn->message);
  const char *const ours[] = {"tool_calls", foreign ? "content" : NULL, NULL};
  ck_json_begin(w, '{');
  ck_model_copy_members(w, turn->message, ours);
  if (foreign) write_content(w, ck_json_get(turn->message, "content"));
  if (turn->call_count > 0) write_mended_calls(w, turn);
  ck_json_end(w, '}');
}

/* A flow's own message of the assistant may be any JSON. */
static void write_own_turn(turn_writer *self, const ck_model_turn *turn) {
  if (turn->call_count == 0 && has_foreign_content(turn->message)) {
    begin_message(&self->w, "assistant");
    write_content(&self->w, ck_json_get(turn->message, "content"));
    ck_json_end(&self->w, '}');
  } else if (is_sendable(turn)) {
    if (are_sound(turn))
      ck_json_put_raw(&self->w, turn->message);
    else
      write_mended(&self->w, turn);
  }
}

static void write_assistant_turn(void *to, const ck_model_turn *turn) {
  turn_writer *self = to;
  ck_buffer text = {0};
  bool own = turn->shape == CK_SHAPE_OPENAI;
  bool has_text = !own && append_texts(&text, ck_model_get_said(turn->message));
  if (own)
    write_own_turn(self, turn);
  else if (has_text || turn->call_count > 0)
    write_foreign(&self->w, turn, has_text ? ck_buffer_bytes(&text) : ck_bytes_text("null"));
  for (size_t i = 0; i < turn->call_count; i++) write_result(&self->w, turn, i);
  write_media_of_results(self, turn);
  self->w.out->failed |= text.failed;
  ck_buffer_clear(&text);
}

/* A name alone is a tool that takes any object; a tool with a type is the provider's own. */
static void write_tool(ck_json_writer *w, ck_bytes tool) {
  bool named = ck_json_type_of(tool) == CK_JSON_STRING;
  if (!named && ck_json_get(tool, "type").len > 0) {
    ck_json_put_raw(w, tool);
    return;
  }
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "function");
  ck_json_name(w, "function");
  ck_json_begin(w, '{');
  ck_model_put_function(w, tool, "parameters", "{\"type\":\"object\",\"properties\":{}}");
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

static ck_status write(ck_buffer *out, const ck_model_query *query, ck_error *err) {
  turn_writer self = {.w = {.out = out}, .media = {.query = query, .err = err}};
  ck_model_notifier notifier = {&self, CK_SHAPE_OPENAI, write_system_text, write_user,
                                write_assistant_turn};
  ck_json_begin(&self.w, '{');
  ck_json_member_text(&self.w, "model", query->model->model);
  ck_status status = ck_model_write_options(&self.w, query, err);
  if (status) return status;
  ck_json_name(&self.w, "messages");
  ck_json_begin(&self.w, '[');
  status = ck_model_notify(query->conversation, &notifier, err);
  ck_json_end(&self.w, ']');
  write_tools(&self.w, ck_json_get(query->request, "tools"));
  if (ck_model_get_schema(query).len > 0) {
    ck_json_name(&self.w, "response_format");
    ck_model_put_answer_format(&self.w, query, true);
  }
  if (ck_model_streams(query->model)) {
    ck_json_member_bool(&self.w, "stream", true);
    ck_json_member_raw(&self.w, "stream_options", ck_bytes_text("{\"include_usage\":true}"));
  }
  ck_json_end(&self.w, '}');
  if (!status) status = self.media.status;
  return status ? status : ck_buffer_check(out, err);
}

const ck_model_format ck_model_openai = {
    .path = "/chat/completions",
    .end_mark = "[DONE]",
    .key_header = "Authorization",
    .key_prefix = "Bearer ",
    .write = write,
    .state = ck_openai_state,
    .read = ck_openai_read,
    .take = ck_openai_take,
    .may_end = ck_openai_may_end,
    .finish = ck_openai_finish,
};
