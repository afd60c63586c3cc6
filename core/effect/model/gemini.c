/* gemini.c - requests of Gemini's generateContent. */
#include <string.h>

#include "core/effect/model/gemini.h"

/* The API refuses a content without parts, and a conversation that does not begin with the user. */
#define NO_MESSAGE "\"(no message)\""
/* Newer models refuse a call without their signature; this one is for calls that others made. */
#define NO_SIGNATURE "skip_thought_signature_validator"

typedef struct turn_writer {
  ck_json_writer w;
  ck_model_media media;
  bool begun, user; /* something was said; the last of it by the user */
} turn_writer;

/* ---- contents ---- */

static void begin_content(turn_writer *self, bool user) {
  ck_json_writer *w = &self->w;
  ck_json_begin(w, '{');
  ck_json_member_text(w, "role", user ? "user" : "model");
  ck_json_name(w, "parts");
  ck_json_begin(w, '[');
  self->begun = true;
  self->user = user;
}

static void end_content(turn_writer *self) {
  ck_json_end(&self->w, ']');
  ck_json_end(&self->w, '}');
}

/* `text` is a JSON string. */
static void put_text(ck_json_writer *w, ck_bytes text) {
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "text", text);
  ck_json_end(w, '}');
}

static void put_as_text(ck_json_writer *w, ck_bytes json) {
  ck_buffer text = {0};
  ck_model_append_text(&text, json);
  put_text(w, ck_buffer_bytes(&text));
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static bool is_blank_block(ck_bytes block) {
  return ck_json_is_text(ck_json_get(block, "type"), "text") &&
         ck_model_is_blank(ck_json_get(block, "text"));
}

static bool is_void(ck_bytes content) {
  if (!ck_model_is_blocks(content)) return ck_model_is_blank(content);
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    if (!is_blank_block(it.value)) return false;
  return true;
}

/* Texts, images and files; any other block as its text. `alone`: images and files only. */
static void put_blocks(turn_writer *self, ck_bytes content, bool alone) {
  ck_media media;
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);) {
    ck_bytes text = ck_json_get(it.value, "text");
    if (ck_media_read(&media, it.value))
      ck_model_put_media(&self->w, &self->media, &media);
    else if (alone || is_blank_block(it.value))
      continue;
    else if (ck_json_type_of(text) == CK_JSON_STRING)
      put_text(&self->w, text);
    else
      put_as_text(&self->w, it.value);
  }
}

static void put_parts(turn_writer *self, ck_bytes content) {
  if (ck_model_is_blocks(content))
    put_blocks(self, content, false);
  else
    put_as_text(&self->w, content);
}

static void write_user(void *to, ck_bytes content) {
  turn_writer *self = to;
  bool blank = is_void(content);
  if (blank && self->begun && self->user) return;
  begin_content(self, true);
  if (blank)
    put_text(&self->w, ck_bytes_text(NO_MESSAGE));
  else
    put_parts(self, content);
  end_content(self);
}

/* System texts at the beginning are the request's systemInstruction; a later one can only be a
 * user's. */
static void write_system_text(void *to, ck_bytes content) {
  turn_writer *self = to;
  if (self->begun && !is_void(content)) write_user(to, content);
}

/* ---- what the assistant said ---- */

static bool is_call(ck_bytes part) {
  return ck_json_type_of(ck_json_get(part, "functionCall")) == CK_JSON_OBJECT;
}

/* A part without anything in it is refused. */
static bool is_empty(ck_bytes part) {
  bool text = ck_json_get(part, "text").len > 0 && ck_json_count(part) == 1;
  return ck_json_type_of(part) != CK_JSON_OBJECT || ck_json_count(part) == 0 ||
         (text && ck_json_get(part, "text").len <= 2);
}

static bool wants_signature(const ck_model_query *query) {
  return strstr(query->model->model, "gemini-3") != NULL;
}

/* `given` is the part as received; no bytes: the call is of another API. */
static void put_call(turn_writer *self, const ck_model_call *call, ck_bytes given, bool first) {
  ck_json_writer *w = &self->w;
  ck_bytes id = ck_json_get(ck_json_get(given, "functionCall"), "id"),
           signature = ck_json_get(given, "thoughtSignature");
  ck_json_begin(w, '{');
  ck_json_name(w, "functionCall");
  ck_json_begin(w, '{');
  if (ck_json_type_of(id) == CK_JSON_STRING) ck_json_member_raw(w, "id", id);
  ck_json_member_raw(w, "name", call->name.len > 0 ? call->name : ck_bytes_text("\"unknown\""));
  ck_model_put_arguments(w, "args", call->arguments);
  ck_json_end(w, '}');
  if (signature.len > 0)
    ck_json_member_raw(w, "thoughtSignature", signature);
  else if (first && wants_signature(self->media.query))
    ck_json_member_text(w, "thoughtSignature", NO_SIGNATURE);
  ck_json_end(w, '}');
}

/* Parts as received, signed ones untouched. */
static void put_own(turn_writer *self, const ck_model_turn *turn, ck_bytes parts) {
  size_t call = 0;
  for (ck_json_iterator it = ck_json_iterate(parts); ck_json_next(&it);) {
    bool calls = is_call(it.value) && call < turn->call_count;
    ck_bytes function = ck_json_get(it.value, "functionCall");
    ck_json_type args = ck_json_type_of(ck_json_get(function, "args"));
    bool sound = !calls || (turn->calls[call].name.len > 0 &&
                            (args == CK_JSON_OBJECT || args == CK_JSON_NONE));
    if (!sound)
      put_call(self, &turn->calls[call], it.value, false);
    else if (!is_empty(it.value))
      ck_json_put_raw(&self->w, it.value);
    call += calls;
  }
}

static bool has_parts(const ck_model_turn *turn, ck_bytes parts) {
  for (ck_json_iterator it = ck_json_iterate(parts); ck_json_next(&it);)
    if (!is_empty(it.value)) return true;
  return turn->call_count > 0;
}

/* Text of blocks of another API, or a text; without thinking and calls, which follow. */
static void put_said(turn_writer *self, ck_bytes content) {
  bool blocks = ck_model_is_blocks(content);
  if (!blocks) put_parts(self, content);
  for (ck_json_iterator it = ck_json_iterate(content); blocks && ck_json_next(&it);)
    if (ck_json_is_text(ck_json_get(it.value, "type"), "text") && !is_blank_block(it.value))
      put_text(&self->w, ck_json_get(it.value, "text"));
}

static bool says(ck_bytes content) {
  if (!ck_model_is_blocks(content)) return !ck_model_is_blank(content);
  for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
    if (ck_json_is_text(ck_json_get(it.value, "type"), "text") && !is_blank_block(it.value))
      return true;
  return false;
}

static ck_bytes parts_of(const ck_model_turn *turn) {
  return turn->shape == CK_SHAPE_GEMINI ? ck_json_get(ck_json_get(turn->message, "gemini"), "parts")
                                        : (ck_bytes){NULL, 0};
}

static void write_model(turn_writer *self, const ck_model_turn *turn) {
  ck_bytes content = ck_model_get_said(turn->message), parts = parts_of(turn);
  bool own = parts.len > 0, speaks = !own && says(content);
  if (own ? !has_parts(turn, parts) : !speaks && turn->call_count == 0) return;
  if (!self->begun) write_user(self, (ck_bytes){NULL, 0});
  begin_content(self, false);
  if (own) put_own(self, turn, parts);
  if (speaks) put_said(self, content);
  for (size_t i = 0; !own && i < turn->call_count; i++)
    put_call(self, &turn->calls[i], (ck_bytes){NULL, 0}, i == 0);
  end_content(self);
}

/* The id of the `index`-th call, as received. */
static ck_bytes id_of(ck_bytes parts, size_t index) {
  for (ck_json_iterator it = ck_json_iterate(parts); parts.len > 0 && ck_json_next(&it);)
    if (is_call(it.value) && index-- == 0)
      return ck_json_get(ck_json_get(it.value, "functionCall"), "id");
  return (ck_bytes){NULL, 0};
}

/* {"result": text}, or {"error": text}: a response is an object. */
static void put_result(turn_writer *self, const ck_model_turn *turn, size_t index) {
  ck_json_writer *w = &self->w;
  const ck_model_call *call = &turn->calls[index];
  ck_bytes id = id_of(parts_of(turn), index);
  ck_json_begin(w, '{');
  ck_json_name(w, "functionResponse");
  ck_json_begin(w, '{');
  if (ck_json_type_of(id) == CK_JSON_STRING) ck_json_member_raw(w, "id", id);
  ck_json_member_raw(w, "name", call->name.len > 0 ? call->name : ck_bytes_text("\"unknown\""));
  ck_json_name(w, "response");
  ck_json_begin(w, '{');
  ck_json_name(w, call->result.len > 0 ? "result" : "error");
  if (ck_media_is_content(call->result))
    ck_model_append_captions(w->out, call->result);
  else if (call->result.len > 0)
    ck_model_append_text(w->out, call->result);
  else
    ck_json_append_string(w->out, ck_bytes_text(CK_MODEL_NO_RESULT));
  w->comma = true;
  ck_json_end(w, '}');
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

/* A response holds text alone: its images follow as the user's, behind all responses. */
static void write_media_of_results(turn_writer *self, const ck_model_turn *turn) {
  for (size_t i = 0; i < turn->call_count; i++) {
    if (!ck_media_is_content(turn->calls[i].result)) continue;
    ck_buffer text = {0};
    ck_buffer_append_format(&text, "\"From the result of call %zu of these:\"", i + 1);
    begin_content(self, true);
    put_text(&self->w, ck_buffer_bytes(&text));
    put_blocks(self, turn->calls[i].result, true);
    end_content(self);
    self->w.out->failed |= text.failed;
    ck_buffer_clear(&text);
  }
}

static void write_assistant_turn(void *to, const ck_model_turn *turn) {
  turn_writer *self = to;
  write_model(self, turn);
  if (turn->call_count == 0) return;
  begin_content(self, true);
  for (size_t i = 0; i < turn->call_count; i++) put_result(self, turn, i);
  end_content(self);
  write_media_of_results(self, turn);
}

/* ---- the rest ---- */

static void write_system(turn_writer *self, const ck_conversation *conversation) {
  size_t count = conversation ? ck_conversation_count(conversation) : 0, written = 0;
  for (size_t i = 0; i < count; i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get_seen(conversation, i)),
             content = ck_json_get(message, "content");
    if (!ck_model_is_system(message)) break;
    if (is_void(content)) continue;
    if (written++ == 0) {
      ck_json_name(&self->w, "systemInstruction");
      ck_json_begin(&self->w, '{');
      ck_json_name(&self->w, "parts");
      ck_json_begin(&self->w, '[');
    }
    put_parts(self, content);
  }
  if (written) end_content(self);
}

/* One with a name is a function, by itself a function that takes any object; any other is the
 * provider's own. */
static bool is_function(ck_bytes tool) {
  return ck_json_type_of(tool) == CK_JSON_STRING || ck_json_get(tool, "name").len > 0;
}

static void put_function(ck_json_writer *w, ck_bytes tool) {
  ck_json_begin(w, '{');
  ck_model_put_function(w, tool, "parametersJsonSchema", "{\"type\":\"object\"}");
  ck_json_end(w, '}');
}

/* Beside functions older models take no schema: there the answer is a call, too. */
static bool answers_by_call(const ck_model_query *query) {
  ck_bytes tools = ck_json_get(query->request, "tools");
  bool some = ck_json_type_of(tools) == CK_JSON_ARRAY && ck_json_count(tools) > 0;
  return some && ck_model_get_schema(query).len > 0 && !wants_signature(query);
}

static void write_tools(ck_json_writer *w, const ck_model_query *query) {
  ck_bytes tools = ck_json_get(query->request, "tools");
  bool answers = answers_by_call(query);
  size_t functions = answers;
  if (ck_json_type_of(tools) != CK_JSON_ARRAY || ck_json_count(tools) == 0) return;
  for (ck_json_iterator it = ck_json_iterate(tools); ck_json_next(&it);)
    functions += is_function(it.value);
  ck_json_name(w, "tools");
  ck_json_begin(w, '[');
  if (functions > 0) {
    ck_json_begin(w, '{');
    ck_json_name(w, "functionDeclarations");
    ck_json_begin(w, '[');
    for (ck_json_iterator it = ck_json_iterate(tools); ck_json_next(&it);)
      if (is_function(it.value)) put_function(w, it.value);
    if (answers) ck_model_put_answer_tool(w, query, "parametersJsonSchema");
    ck_json_end(w, ']');
    ck_json_end(w, '}');
  }
  for (ck_json_iterator it = ck_json_iterate(tools); ck_json_next(&it);)
    if (!is_function(it.value)) ck_json_put_raw(w, it.value);
  ck_json_end(w, ']');
  if (answers)
    ck_json_member_raw(w, "toolConfig",
                       ck_bytes_text("{\"functionCallingConfig\":{\"mode\":\"ANY\"}}"));
}

/* What was given of it, with the limit of the answer and the temperature in it. */
static void write_config(ck_json_writer *w, const ck_model_query *query) {
  ck_bytes given = ck_model_get_option(query, "generationConfig"),
           temperature = ck_model_get_option(query, "temperature");
  int64_t output = query->output_max > 0 ? query->output_max : ck_model_asked_output(query);
  bool says = ck_model_get_schema(query).len > 0 && !answers_by_call(query);
  const char *const except[] = {output > 0 ? "maxOutputTokens" : "", says ? "responseMimeType" : "",
                                says ? "responseJsonSchema" : "", NULL};
  if (!temperature.len && query->model->temperature)
    temperature = ck_value_bytes(query->model->temperature);
  if (ck_json_get(given, "temperature").len) temperature = (ck_bytes){NULL, 0};
  if (!given.len && output == 0 && !temperature.len && !says) return;
  ck_json_name(w, "generationConfig");
  ck_json_begin(w, '{');
  if (ck_json_type_of(given) == CK_JSON_OBJECT) ck_model_copy_members(w, given, except);
  if (output > 0) ck_json_member_int(w, "maxOutputTokens", output);
  if (temperature.len) ck_json_member_raw(w, "temperature", temperature);
  if (says) ck_json_member_text(w, "responseMimeType", "application/json");
  if (says) ck_json_member_raw(w, "responseJsonSchema", ck_model_get_schema(query));
  ck_json_end(w, '}');
}

static ck_status write(ck_buffer *out, const ck_model_query *query, ck_error *err) {
  turn_writer self = {.w = {.out = out}, .media = {.query = query, .err = err}};
  ck_model_notifier notifier = {&self, CK_SHAPE_GEMINI, write_system_text, write_user,
                                write_assistant_turn};
  ck_json_begin(&self.w, '{');
  ck_status status = ck_model_write_options(&self.w, query, err);
  if (status) return status;
  write_config(&self.w, query);
  write_system(&self, query->conversation);
  ck_json_name(&self.w, "contents");
  ck_json_begin(&self.w, '[');
  status = ck_model_notify(query->conversation, &notifier, err);
  if (!self.begun) write_user(&self, (ck_bytes){NULL, 0});
  ck_json_end(&self.w, ']');
  write_tools(&self.w, query);
  ck_json_end(&self.w, '}');
  if (!status) status = self.media.status;
  return status ? status : ck_buffer_check(out, err);
}

/* The model's name is part of the address. */
static void append_path(ck_buffer *out, const ck_profile_model *model) {
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  ck_buffer_append_text(out, strchr(model->model, '/') ? "/" : "/models/");
  for (const char *at = model->model; *at; at++) {
    if (strchr(plain, *at))
      ck_buffer_append_char(out, *at);
    else
      ck_buffer_append_format(out, "%%%02X", (unsigned char)*at);
  }
  ck_buffer_append_text(
      out, ck_model_streams(model) ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

const ck_model_format ck_model_gemini = {
    .path = "/models/NAME:generateContent",
    .append_path = append_path,
    .key_header = "x-goog-api-key",
    .key_prefix = "",
    .usage_name = "\"usageMetadata\"",
    .write = write,
    .state = ck_gemini_state,
    .read = ck_gemini_read,
    .take = ck_gemini_take,
    .finish = ck_gemini_finish,
};
