/* responses.c - requests of OpenAI's responses API: stateless, with what the model thought. */
#include <string.h>

#include "core/effect/model/responses.h"

#define ENCRYPTED "reasoning.encrypted_content"

typedef struct turn_writer {
  ck_json_writer w;
  ck_model_media media;
} turn_writer;

static bool is_type(ck_bytes object, const char *type) {
  return ck_json_is_text(ck_json_get(object, "type"), type);
}

static void begin_item(ck_json_writer *w, const char *type) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", type);
}

static void begin_message(ck_json_writer *w, const char *role) {
  begin_item(w, "message");
  ck_json_member_text(w, "role", role);
}

/* ---- contents ---- */

/* `text` is a JSON string. */
static void put_text(ck_json_writer *w, ck_bytes text) {
  begin_item(w, "input_text");
  ck_json_member_raw(w, "text", text);
  ck_json_end(w, '}');
}

/* Texts as this API calls them, images and files, and blocks that are its own. */
static void put_blocks(turn_writer *self, ck_bytes blocks, bool alone) {
  ck_media media;
  for (ck_json_iterator it = ck_json_iterate(blocks); ck_json_next(&it);) {
    ck_bytes text = ck_json_get(it.value, "text");
    if (ck_media_read(&media, it.value))
      ck_model_put_media(&self->w, &self->media, &media);
    else if (!alone && is_type(it.value, "text") && ck_json_type_of(text) == CK_JSON_STRING)
      put_text(&self->w, text);
    else if (!alone)
      ck_json_put_raw(&self->w, it.value);
  }
}

static void write_content(turn_writer *self, const char *name, ck_bytes content) {
  ck_json_name(&self->w, name);
  if (!ck_model_is_blocks(content)) {
    ck_model_append_text(self->w.out, content);
    self->w.comma = true;
    return;
  }
  ck_json_begin(&self->w, '[');
  put_blocks(self, content, false);
  ck_json_end(&self->w, ']');
}

static void write_system_text(void *to, ck_bytes content) {
  turn_writer *self = to;
  begin_message(&self->w, "system");
  write_content(self, "content", content);
  ck_json_end(&self->w, '}');
}

static void write_user(void *to, ck_bytes content) {
  turn_writer *self = to;
  begin_message(&self->w, "user");
  write_content(self, "content", content);
  ck_json_end(&self->w, '}');
}

/* ---- what the assistant said ---- */

static void write_call(ck_json_writer *w, const ck_model_turn *turn, size_t index) {
  const ck_model_call *call = &turn->calls[index];
  begin_item(w, "function_call");
  ck_json_name(w, "call_id");
  ck_model_append_id(w->out, turn, index);
  w->comma = true;
  ck_json_member_raw(w, "name", call->name.len > 0 ? call->name : ck_bytes_text("\"unknown\""));
  ck_model_put_argument_text(w, turn, call);
  ck_json_end(w, '}');
}

/* A message without a text is refused. */
static bool is_empty(ck_bytes item) {
  ck_bytes content = ck_json_get(item, "content");
  return is_type(item, "message") &&
         (ck_json_type_of(content) == CK_JSON_ARRAY ? ck_json_count(content) == 0
                                                    : ck_model_is_blank(content));
}

/* What the model thought is nothing without its encrypted content: no server has kept it. */
static bool is_sendable(ck_bytes item) {
  ck_bytes encrypted = ck_json_get(item, "encrypted_content");
  if (is_type(item, "reasoning"))
    return ck_json_type_of(encrypted) == CK_JSON_STRING && encrypted.len > 2;
  return ck_json_type_of(ck_json_get(item, "type")) == CK_JSON_STRING && !is_empty(item);
}

/* A turn must not end with thoughts, as one does that was cut off in the midst of them. */
static size_t count_items(ck_bytes items) {
  size_t count = 0, at = 1;
  for (ck_json_iterator it = ck_json_iterate(items); ck_json_next(&it); at++)
    if (is_sendable(it.value) && !is_type(it.value, "reasoning")) count = at;
  return count;
}

/* As received but for the id, under which a server that keeps nothing finds nothing. */
static void put_item(ck_json_writer *w, ck_bytes item) {
  static const char *const except[] = {"id", "status", NULL};
  bool plain =
      is_type(item, "reasoning") || is_type(item, "message") || is_type(item, "function_call");
  if (!plain) {
    ck_json_put_raw(w, item);
    return;
  }
  ck_json_begin(w, '{');
  ck_model_copy_members(w, item, except);
  ck_json_end(w, '}');
}

static bool is_sound(const ck_model_call *call) {
  return call->id.len > 0 && call->name.len > 0 &&
         ck_json_type_of(call->arguments) == CK_JSON_STRING;
}

static void write_own(ck_json_writer *w, const ck_model_turn *turn, ck_bytes items) {
  size_t count = count_items(items), call = 0;
  ck_json_iterator it = ck_json_iterate(items);
  for (size_t i = 0; i < count && ck_json_next(&it); i++) {
    bool calls = is_type(it.value, "function_call") && call < turn->call_count;
    if (calls && !is_sound(&turn->calls[call]))
      write_call(w, turn, call);
    else if (is_sendable(it.value))
      put_item(w, it.value);
    call += calls;
  }
  for (; call < turn->call_count; call++) write_call(w, turn, call);
}

/* The texts of blocks of another API, or a text; without thinking. */
static void append_said(ck_buffer *text, ck_bytes content) {
  ck_json_type type = ck_json_type_of(content);
  if (type == CK_JSON_STRING)
    ck_json_read_string(text, content);
  else if (ck_model_is_blocks(content))
    for (ck_json_iterator it = ck_json_iterate(content); ck_json_next(&it);)
      ck_json_read_string(
          text, is_type(it.value, "text") ? ck_json_get(it.value, "text") : (ck_bytes){NULL, 0});
  else if (type != CK_JSON_NONE && type != CK_JSON_NULL)
    ck_buffer_append_bytes(text, content);
}

static void write_foreign(ck_json_writer *w, const ck_model_turn *turn) {
  ck_buffer text = {0};
  append_said(&text, ck_model_get_said(turn->message));
  if (text.len > 0) {
    begin_message(w, "assistant");
    ck_json_member_string(w, "content", ck_buffer_bytes(&text));
    ck_json_end(w, '}');
  }
  for (size_t i = 0; i < turn->call_count; i++) write_call(w, turn, i);
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static void write_result(turn_writer *self, const ck_model_turn *turn, size_t index) {
  ck_json_writer *w = &self->w;
  ck_bytes result = turn->calls[index].result;
  begin_item(w, "function_call_output");
  ck_json_name(w, "call_id");
  ck_model_append_id(w->out, turn, index);
  w->comma = true;
  if (ck_media_is_content(result)) {
    write_content(self, "output", result);
  } else {
    ck_json_name(w, "output");
    if (result.len > 0)
      ck_model_append_text(w->out, result);
    else
      ck_json_append_string(w->out, ck_bytes_text(CK_MODEL_NO_RESULT));
    w->comma = true;
  }
  ck_json_end(w, '}');
}

static void write_assistant_turn(void *to, const ck_model_turn *turn) {
  turn_writer *self = to;
  if (turn->shape == CK_SHAPE_RESPONSES)
    write_own(&self->w, turn, ck_json_get(ck_json_get(turn->message, "responses"), "output"));
  else
    write_foreign(&self->w, turn);
  for (size_t i = 0; i < turn->call_count; i++) write_result(self, turn, i);
}

/* ---- the rest ---- */

/* A name alone is a tool that takes any object; a tool with a type is the provider's own. Without a
 * word about it this API would hold arguments to the schema alone, and change that for it. */
static void write_tool(ck_json_writer *w, ck_bytes tool) {
  bool named = ck_json_type_of(tool) == CK_JSON_STRING;
  if (!named && ck_json_get(tool, "type").len > 0) {
    ck_json_put_raw(w, tool);
    return;
  }
  begin_item(w, "function");
  ck_model_put_function(w, tool, "parameters", "{\"type\":\"object\",\"properties\":{}}");
  ck_json_member_bool(w, "strict", false);
  ck_json_end(w, '}');
}

static void write_tools(ck_json_writer *w, ck_bytes tools) {
  if (ck_json_type_of(tools) != CK_JSON_ARRAY || ck_json_count(tools) == 0) return;
  ck_json_name(w, "tools");
  ck_json_begin(w, '[');
  for (ck_json_iterator it = ck_json_iterate(tools); ck_json_next(&it);) write_tool(w, it.value);
  ck_json_end(w, ']');
}

/* Models that do not think refuse to encrypt what they thought. */
static bool thinks(const ck_model_query *query) {
  return ck_json_type_of(ck_model_get_option(query, "reasoning")) == CK_JSON_OBJECT ||
         ck_model_thinks(query->model->model);
}

/* The format is a member of what else is said about the text. */
static void write_format(ck_json_writer *w, const ck_model_query *query) {
  static const char *const except[] = {"format", NULL};
  ck_bytes given = ck_model_get_option(query, "text");
  if (ck_model_get_schema(query).len == 0) return;
  ck_json_name(w, "text");
  ck_json_begin(w, '{');
  if (ck_json_type_of(given) == CK_JSON_OBJECT) ck_model_copy_members(w, given, except);
  ck_json_name(w, "format");
  ck_model_put_answer_format(w, query, false);
  ck_json_end(w, '}');
}

static ck_status write(ck_buffer *out, const ck_model_query *query, ck_error *err) {
  turn_writer self = {.w = {.out = out}, .media = {.query = query, .err = err}};
  ck_model_notifier notifier = {&self, CK_SHAPE_RESPONSES, write_system_text, write_user,
                                write_assistant_turn};
  ck_json_begin(&self.w, '{');
  ck_json_member_text(&self.w, "model", query->model->model);
  ck_status status = ck_model_write_options(&self.w, query, err);
  if (status) return status;
  ck_json_name(&self.w, "input");
  ck_json_begin(&self.w, '[');
  status = ck_model_notify(query->conversation, &notifier, err);
  ck_json_end(&self.w, ']');
  write_tools(&self.w, ck_json_get(query->request, "tools"));
  write_format(&self.w, query);
  ck_json_member_bool(&self.w, "store", false);
  if (thinks(query)) ck_json_member_raw(&self.w, "include", ck_bytes_text("[\"" ENCRYPTED "\"]"));
  if (ck_model_streams(query->model)) ck_json_member_bool(&self.w, "stream", true);
  ck_json_end(&self.w, '}');
  if (!status) status = self.media.status;
  return status ? status : ck_buffer_check(out, err);
}

const ck_model_format ck_model_responses = {
    .path = "/responses",
    .end_mark = "[DONE]",
    .key_header = "Authorization",
    .key_prefix = "Bearer ",
    .write = write,
    .state = ck_responses_state,
    .read = ck_responses_read,
    .take = ck_responses_take,
    .may_end = ck_responses_may_end,
    .finish = ck_responses_finish,
};
