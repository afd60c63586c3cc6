/* anthropic.c - requests as Anthropic's messages API takes them. */
#include "core/effect/model/anthropic.h"

/* The API refuses a turn without content, and a conversation that does not begin with the user. */
#define NO_MESSAGE "(no message)"

typedef enum { NOBODY, USER, ASSISTANT } speaker;

typedef struct turn_writer {
  ck_json_writer w;
  speaker open; /* the speaker of the turn that is being written */
  bool begun;   /* a turn was written: later system texts go into a user's turn */
  bool calls;   /* a turn has calls */
  bool marks;   /* the cache is to keep what it has in common with the next one */
  ck_model_media media;
} turn_writer;

/* What ends here is asked to be kept: the block that was written last, an object, gets the mark. A
 * request that has marks of its own gets none. */
static void put_mark(const turn_writer *self) {
  ck_buffer *out = self->w.out;
  if (!self->marks || out->failed || out->len == 0 || out->data[out->len - 1] != '}') return;
  out->len--;
  ck_buffer_append_text(out, ",\"cache_control\":{\"type\":\"ephemeral\"");
  if (self->media.query->model->cache_s == 3600) ck_buffer_append_text(out, ",\"ttl\":\"1h\"");
  ck_buffer_append_text(out, "}}");
}

static void close_turn(turn_writer *self) {
  if (self->open == NOBODY) return;
  ck_json_end(&self->w, ']');
  ck_json_end(&self->w, '}');
  self->open = NOBODY;
}

static void open_plain(turn_writer *self, speaker who) {
  close_turn(self);
  ck_json_begin(&self->w, '{');
  ck_json_member_text(&self->w, "role", who == USER ? "user" : "assistant");
  ck_json_name(&self->w, "content");
  ck_json_begin(&self->w, '[');
  self->open = who;
  self->begun = true;
}

/* `text` is a JSON string. */
static void write_text(ck_json_writer *w, ck_bytes text) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "text");
  ck_json_member_raw(w, "text", text);
  ck_json_end(w, '}');
}

/* Turns alternate: consecutive content of one speaker joins one turn. */
static void open_turn(turn_writer *self, speaker who) {
  if (self->open == who) return;
  if (!self->begun && who == ASSISTANT) {
    open_plain(self, USER);
    write_text(&self->w, ck_bytes_text("\"" NO_MESSAGE "\""));
  }
  open_plain(self, who);
}

static bool is_type(ck_bytes block, const char *type) {
  return ck_json_is_text(ck_json_get(block, "type"), type);
}

/* The API sends text blocks without text, and refuses them in a request; an element without a type
 * is no block. */
static bool is_empty(ck_bytes block) {
  bool untyped = ck_json_type_of(ck_json_get(block, "type")) != CK_JSON_STRING;
  return untyped || (is_type(block, "text") && ck_model_is_blank(ck_json_get(block, "text")));
}

/* The number of blocks that can be sent: a turn must not end with thinking, as one does that was
 * cut off in the midst of it. */
static size_t count_blocks(ck_bytes content) {
  size_t count = 0;
  ck_json_iterator it = ck_json_iterate(content);
  for (size_t i = 1; ck_json_next(&it); i++) {
    bool thought = is_type(it.value, "thinking") || is_type(it.value, "redacted_thinking");
    if (!thought && !is_empty(it.value)) count = i;
  }
  return count;
}

/* Content without anything that the API would accept. */
static bool is_void(ck_bytes content) {
  return ck_model_is_blocks(content) ? count_blocks(content) == 0 : ck_model_is_blank(content);
}

static void write_blocks(turn_writer *self, ck_bytes blocks) {
  ck_json_iterator it = ck_json_iterate(blocks);
  if (ck_model_has_media(blocks)) {
    ck_model_write_media(&self->w, &self->media, blocks, false);
    return;
  }
  while (ck_json_next(&it)) {
    if (!is_empty(it.value)) ck_json_put_raw(&self->w, it.value);
  }
}

/* Text, blocks that the provider knows, or any other JSON as text. */
static void write_content(turn_writer *self, ck_bytes content) {
  ck_json_writer *w = &self->w;
  ck_buffer text = {0};
  if (ck_model_is_blocks(content)) {
    write_blocks(self, content);
    return;
  }
  ck_model_append_text(&text, content);
  write_text(w, ck_buffer_bytes(&text));
  w->out->failed |= text.failed;
  ck_buffer_clear(&text);
}

static void write_user(void *to, ck_bytes content) {
  turn_writer *self = to;
  bool blank = is_void(content);
  if (blank && self->open == USER) return;
  open_turn(self, USER);
  if (blank)
    write_text(&self->w, ck_bytes_text("\"" NO_MESSAGE "\""));
  else
    write_content(self, content);
}

/* System texts at the beginning are the request's `system`; a later one can only go into a user's
 * turn. */
static void write_system_text(void *to, ck_bytes content) {
  turn_writer *self = to;
  if (self->begun && !is_void(content)) write_user(to, content);
}

/* `given` is the call's block as received; its other members are kept. */
static void write_call(ck_json_writer *w, const ck_model_turn *turn, size_t index, ck_bytes given) {
  static const char *const ours[] = {"type", "id", "name", "input", NULL};
  const ck_model_call *call = &turn->calls[index];
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "tool_use");
  ck_json_name(w, "id");
  ck_model_append_id(w->out, turn, index);
  w->comma = true;
  ck_json_member_raw(w, "name", call->name.len > 0 ? call->name : ck_bytes_text("\"unknown\""));
  ck_model_put_arguments(w, "input", call->arguments);
  ck_model_copy_members(w, given, ours);
  ck_json_end(w, '}');
}

static void write_result(turn_writer *self, const ck_model_turn *turn, size_t index) {
  ck_json_writer *w = &self->w;
  ck_bytes result = turn->calls[index].result;
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "tool_result");
  ck_json_name(w, "tool_use_id");
  ck_model_append_id(w->out, turn, index);
  w->comma = true;
  if (result.len == 0) ck_json_member_bool(w, "is_error", true);
  if (result.len == 0 || !ck_model_is_blank(result)) {
    ck_json_name(w, "content");
    if (ck_media_is_content(result)) {
      ck_json_begin(w, '[');
      write_blocks(self, result);
      ck_json_end(w, ']');
    } else if (result.len > 0)
      ck_model_append_text(w->out, result);
    else
      ck_json_append_string(w->out, ck_bytes_text(CK_MODEL_NO_RESULT));
    w->comma = true;
  }
  ck_json_end(w, '}');
}

/* Blocks as received, signed ones untouched, except for calls that would be refused. */
static void write_own(ck_json_writer *w, const ck_model_turn *turn, ck_bytes content,
                      size_t count) {
  ck_json_iterator it = ck_json_iterate(content);
  size_t call = 0;
  for (size_t i = 0; i < count && ck_json_next(&it); i++) {
    bool calls = is_type(it.value, "tool_use");
    const ck_model_call *own = calls ? &turn->calls[call++] : NULL;
    bool sound = !own || (own->id.len > 0 && own->name.len > 0 &&
                          ck_json_type_of(own->arguments) == CK_JSON_OBJECT);
    if (!sound)
      write_call(w, turn, call - 1, it.value);
    else if (!is_empty(it.value))
      ck_json_put_raw(w, it.value);
  }
}

/* The text and the calls of a message, also of another API's. */
static void write_assistant(turn_writer *self, const ck_model_turn *turn) {
  ck_bytes content = ck_model_get_said(turn->message);
  bool own = turn->shape == CK_SHAPE_ANTHROPIC && ck_json_type_of(content) == CK_JSON_ARRAY;
  size_t count = own ? count_blocks(content) : 0;
  bool has_content = own ? count > 0 : !is_void(content);
  if (!has_content && turn->call_count == 0) return;
  open_turn(self, ASSISTANT);
  if (own)
    write_own(&self->w, turn, content, count);
  else if (has_content)
    write_content(self, content);
  for (size_t i = 0; !own && i < turn->call_count; i++)
    write_call(&self->w, turn, i, (ck_bytes){0});
}

static void write_assistant_turn(void *to, const ck_model_turn *turn) {
  turn_writer *self = to;
  write_assistant(self, turn);
  if (turn->call_count == 0) return;
  self->calls = true;
  open_turn(self, USER);
  for (size_t i = 0; i < turn->call_count; i++) write_result(self, turn, i);
}

static void write_system(turn_writer *self, const ck_conversation *conversation) {
  ck_json_writer *w = &self->w;
  size_t count = conversation ? ck_conversation_count(conversation) : 0, written = 0;
  for (size_t i = 0; i < count; i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get_seen(conversation, i)),
             content = ck_json_get(message, "content");
    if (!ck_model_is_system(message)) break;
    if (is_void(content)) continue;
    if (written++ == 0) {
      ck_json_name(w, "system");
      ck_json_begin(w, '[');
    }
    write_content(self, content);
  }
  if (written) put_mark(self);
  if (written) ck_json_end(w, ']');
}

static void write_tool(ck_json_writer *w, ck_bytes tool) {
  bool named = ck_json_type_of(tool) == CK_JSON_STRING;
  if (!named && ck_json_get(tool, "type").len > 0) {
    ck_json_put_raw(w, tool);
    return;
  }
  ck_json_begin(w, '{');
  ck_model_put_function(w, tool, "input_schema", "{\"type\":\"object\"}");
  ck_json_end(w, '}');
}

/* An answer with a schema is a call. A model that thinks cannot be made to call anything. */
static const char *choice(const ck_model_query *query, bool others) {
  ck_bytes thinking = ck_model_get_option(query, "thinking");
  if (thinking.len > 0 && !is_type(thinking, "disabled")) return "{\"type\":\"auto\"}";
  return others ? "{\"type\":\"any\"}" : "{\"type\":\"tool\",\"name\":\"" CK_MODEL_ANSWER "\"}";
}

/* The API takes no mark on a tool that is loaded when it is looked for. */
static bool is_deferred(ck_bytes tool) {
  bool deferred;
  return ck_json_read_bool(&deferred, ck_json_get(tool, "defer_loading")) && deferred;
}

/* Calls in a conversation require tools in the request, also when the model is not to make any
 * more. */
static void write_tools(ck_json_writer *w, const turn_writer *turns, ck_bytes tools) {
  const ck_model_query *query = turns->media.query;
  bool given = ck_json_type_of(tools) == CK_JSON_ARRAY && ck_json_count(tools) > 0,
       answers = ck_model_get_schema(query).len > 0;
  if (!given && !answers && !turns->calls) return;
  ck_json_name(w, "tools");
  ck_json_begin(w, '[');
  ck_json_iterator it = ck_json_iterate(tools);
  ck_bytes last = {0};
  while (given && ck_json_next(&it)) write_tool(w, last = it.value);
  if (answers) ck_model_put_answer_tool(w, query, "input_schema");
  if (!given && !answers) write_tool(w, ck_bytes_text("\"none\""));
  if (answers || !is_deferred(last)) put_mark(turns);
  ck_json_end(w, ']');
  if (answers)
    ck_json_member_raw(w, "tool_choice", ck_bytes_text(choice(query, given)));
  else if (!given)
    ck_json_member_raw(w, "tool_choice", ck_bytes_text("{\"type\":\"none\"}"));
}

static ck_status write_messages(turn_writer *self, const ck_model_query *query, ck_error *err) {
  ck_model_notifier notifier = {self, CK_SHAPE_ANTHROPIC, write_system_text, write_user,
                                write_assistant_turn};
  ck_json_name(&self->w, "messages");
  ck_json_begin(&self->w, '[');
  ck_status status = ck_model_notify(query->conversation, &notifier, err);
  if (!self->begun) write_user(self, (ck_bytes){NULL, 0});
  if (self->open == USER) put_mark(self);
  close_turn(self);
  ck_json_end(&self->w, ']');
  return status;
}

static ck_status write(ck_buffer *out, const ck_model_query *query, ck_error *err) {
  turn_writer self = {.w = {.out = out}, .media = {.query = query, .err = err}};
  self.marks = query->model->cache_s > 0 && !ck_model_has_marks(query);
  ck_json_begin(&self.w, '{');
  ck_json_member_text(&self.w, "model", query->model->model);
  if (!query->output_max && ck_model_get_option(query, "max_tokens").len == 0)
    ck_json_member_int(&self.w, "max_tokens", ck_model_api_max_tokens(query->model->api));
  ck_status status = ck_model_write_options(&self.w, query, err);
  if (status) return status;
  write_system(&self, query->conversation);
  status = write_messages(&self, query, err);
  write_tools(&self.w, &self, ck_json_get(query->request, "tools"));
  if (ck_model_streams(query->model)) ck_json_member_bool(&self.w, "stream", true);
  ck_json_end(&self.w, '}');
  if (!status) status = self.media.status;
  return status ? status : ck_buffer_check(out, err);
}

const ck_model_format ck_model_anthropic = {
    .path = "/v1/messages",
    .key_header = "x-api-key",
    .key_prefix = "",
    .version_header = "anthropic-version",
    .version = "2023-06-01",
    .write = write,
    .state = ck_anthropic_state,
    .read = ck_anthropic_read,
    .take = ck_anthropic_take,
    .finish = ck_anthropic_finish,
};
