/* model_script.c - answers of a model, whole and streamed: those of OpenAI and Anthropic. */
#include "tests/effect/model/model_script_private.h"

#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"

enum { PIECE = 5 }; /* characters in a part of a stream */

/* Of the items of the responses API: what lies between those of others is one turn. */
static size_t turns_of_input(ck_bytes input) {
  size_t turns = 0;
  bool within = false;
  for (ck_json_iterator it = ck_json_iterate(input); input.len > 0 && ck_json_next(&it);) {
    bool own = ck_json_is_text(ck_json_get(it.value, "role"), "assistant") ||
               ck_json_is_text(ck_json_get(it.value, "type"), "reasoning") ||
               ck_json_is_text(ck_json_get(it.value, "type"), "function_call");
    turns += own && !within;
    within = own;
  }
  return turns;
}

size_t model_script_turns(ck_bytes request) {
  size_t turns = 0;
  ck_bytes messages = ck_json_get(request, "messages");
  ck_json_iterator it = ck_json_iterate(messages);
  while (messages.len > 0 && ck_json_next(&it))
    turns += ck_json_is_text(ck_json_get(it.value, "role"), "assistant");
  ck_bytes contents = ck_json_get(request, "contents");
  for (it = ck_json_iterate(contents); contents.len > 0 && ck_json_next(&it);)
    turns += ck_json_is_text(ck_json_get(it.value, "role"), "model");
  return turns + turns_of_input(ck_json_get(request, "input"));
}

static int64_t number(ck_bytes object, const char *name, int64_t otherwise) {
  int64_t value;
  return ck_json_read_int(&value, ck_json_get(object, name)) ? value : otherwise;
}

static void read_answer(model_answer_given *self, ck_bytes given, ck_bytes request,
                        ck_buffer *out) {
  ck_bytes usage = ck_json_get(given, "usage");
  ck_buffer raw = {0};
  *self = (model_answer_given){
      .calls = ck_json_get(given, "calls"), .turn = model_script_turns(request), .out = out};
  ck_json_read_string(&self->text, ck_json_get(given, "text"));
  ck_json_read_string(&self->thinking, ck_json_get(given, "thinking"));
  ck_json_append_string(&raw, ck_buffer_bytes(&self->thinking));
  wire_sign(self->signature, (ck_bytes){raw.data + 1, raw.len - 2});
  ck_buffer_clear(&raw);
  self->input = number(usage, "input", 10);
  self->output = number(usage, "output", 5);
  self->cached = number(usage, "cached", 0);
  self->written = number(usage, "written", 0);
}

/* Calls `each` for pieces of the text that end at characters. */
void model_script_split(model_answer_given *self, ck_bytes text,
                        void (*each)(model_answer_given *self, ck_bytes piece, size_t index),
                        size_t index) {
  while (text.len > 0) {
    size_t len = 0;
    for (int i = 0; i < PIECE && len < text.len; i++)
      len += ck_utf8_length(text.data + len, text.len - len);
    each(self, (ck_bytes){text.data, len}, index);
    text.data += len;
    text.len -= len;
  }
}

void model_script_open_event(model_answer_given *self, ck_json_writer *w, const char *name) {
  *w = (ck_json_writer){.out = self->out};
  if (name) ck_buffer_append_format(self->out, "event: %s\n", name);
  ck_buffer_append_text(self->out, "data: ");
  ck_json_begin(w, '{');
  if (name) ck_json_member_text(w, "type", name);
}

void model_script_close_event(model_answer_given *self, ck_json_writer *w) {
  ck_json_end(w, '}');
  ck_buffer_append_text(self->out, "\n\n");
}

/* ---- OpenAI ---- */

static void put_openai_usage(model_answer_given *self, ck_json_writer *w) {
  ck_json_name(w, "usage");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "prompt_tokens", self->input + self->cached);
  ck_json_member_int(w, "completion_tokens", self->output);
  ck_json_name(w, "prompt_tokens_details");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "cached_tokens", self->cached);
  ck_json_end(w, '}');
  ck_json_end(w, '}');
}

static void put_openai_call(model_answer_given *self, ck_json_writer *w, ck_bytes call,
                            size_t index, bool begin, ck_bytes arguments) {
  char id[64];
  snprintf(id, sizeof id, "call_t%zu_%zu", self->turn, index);
  ck_json_begin(w, '{');
  if (begin) ck_json_member_text(w, "id", id);
  if (begin) ck_json_member_text(w, "type", "function");
  ck_json_name(w, "function");
  ck_json_begin(w, '{');
  if (begin) ck_json_member_raw(w, "name", ck_json_get(call, "name"));
  ck_json_member_string(w, "arguments", arguments);
  ck_json_end(w, '}');
}

static void write_openai(model_answer_given *self) {
  ck_json_writer w = {.out = self->out};
  size_t index = 0;
  ck_buffer_append_text(self->out, "{\"id\": \"chatcmpl-1\", \"model\":\"chat-test\", "
                                   "\"object\":\"chat.completion\",\"choices\":[{\"index\":0,"
                                   "\"finish_reason\":\"stop\",\"message\": ");
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "role", "assistant");
  if (self->text.len > 0)
    ck_json_member_string(&w, "content", ck_buffer_bytes(&self->text));
  else
    ck_json_member_raw(&w, "content", ck_bytes_text("null"));
  ck_json_member_raw(&w, "refusal", ck_bytes_text("null"));
  ck_json_iterator it = ck_json_iterate(self->calls);
  if (self->calls.len > 0) ck_json_name(&w, "tool_calls"), ck_json_begin(&w, '[');
  while (self->calls.len > 0 && ck_json_next(&it)) {
    put_openai_call(self, &w, it.value, index++, true, ck_json_get(it.value, "arguments"));
    ck_json_end(&w, '}');
  }
  if (self->calls.len > 0) ck_json_end(&w, ']');
  ck_json_end(&w, '}');
  ck_buffer_append_text(self->out, "}]");
  w.comma = true;
  put_openai_usage(self, &w);
  ck_buffer_append_text(self->out, "}\n");
}

static void open_delta(model_answer_given *self, ck_json_writer *w) {
  model_script_open_event(self, w, NULL);
  ck_json_member_text(w, "id", "chatcmpl-1");
  ck_json_member_text(w, "model", "chat-test");
  ck_buffer_append_text(self->out, ",\"choices\":[{\"index\":0,\"finish_reason\":null,\"delta\":");
  w->comma = false;
  ck_json_begin(w, '{');
}

static void close_delta(model_answer_given *self, ck_json_writer *w) {
  ck_json_end(w, '}');
  ck_buffer_append_text(self->out, "}]");
  model_script_close_event(self, w);
}

static void stream_openai_text(model_answer_given *self, ck_bytes piece, size_t index) {
  (void)index;
  ck_json_writer w;
  open_delta(self, &w);
  ck_json_member_string(&w, "content", piece);
  close_delta(self, &w);
}

static void stream_openai_call(model_answer_given *self, ck_bytes call, size_t index, bool begin,
                               ck_bytes arguments) {
  ck_json_writer w;
  open_delta(self, &w);
  ck_json_name(&w, "tool_calls");
  ck_json_begin(&w, '[');
  put_openai_call(self, &w, call, index, begin, arguments);
  ck_json_member_int(&w, "index", (int64_t)index);
  ck_json_end(&w, '}');
  ck_json_end(&w, ']');
  close_delta(self, &w);
}

static void stream_openai_arguments(model_answer_given *self, ck_bytes piece, size_t index) {
  stream_openai_call(self, (ck_bytes){NULL, 0}, index, false, piece);
}

static void stream_openai(model_answer_given *self) {
  ck_json_writer w;
  size_t index = 0;
  ck_buffer_append_text(self->out, ": a comment\n\n");
  open_delta(self, &w);
  ck_json_member_text(&w, "role", "assistant");
  ck_json_member_text(&w, "content", self->calls.len > 0 ? NULL : "");
  close_delta(self, &w);
  model_script_split(self, ck_buffer_bytes(&self->text), stream_openai_text, 0);
  ck_json_iterator it = ck_json_iterate(self->calls);
  for (; self->calls.len > 0 && ck_json_next(&it); index++) {
    stream_openai_call(self, it.value, index, true, (ck_bytes){NULL, 0});
    model_script_split(self, ck_json_get(it.value, "arguments"), stream_openai_arguments, index);
  }
  ck_buffer_append_format(
      self->out, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n",
      index ? "tool_calls" : "stop");
  model_script_open_event(self, &w, NULL);
  ck_json_member_raw(&w, "choices", ck_bytes_text("[]"));
  put_openai_usage(self, &w);
  model_script_close_event(self, &w);
  ck_buffer_append_text(self->out, "data: [DONE]\n\n");
}

/* ---- Anthropic ---- */

static void put_anthropic_usage(model_answer_given *self, ck_json_writer *w, int64_t output) {
  ck_json_name(w, "usage");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "input_tokens", self->input);
  ck_json_member_int(w, "cache_read_input_tokens", self->cached);
  ck_json_member_int(w, "cache_creation_input_tokens", self->written);
  ck_json_member_int(w, "output_tokens", output);
  ck_json_end(w, '}');
}

static void begin_message(model_answer_given *self, ck_json_writer *w) {
  char id[64];
  snprintf(id, sizeof id, "msg_t%zu", self->turn);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", id);
  ck_json_member_text(w, "type", "message");
  ck_json_member_text(w, "role", "assistant");
  ck_json_member_text(w, "model", "claude-test");
}

static void put_use(model_answer_given *self, ck_json_writer *w, ck_bytes call, size_t index,
                    ck_bytes input) {
  char id[64];
  snprintf(id, sizeof id, "toolu_t%zu_%zu", self->turn, index);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "tool_use");
  ck_json_member_text(w, "id", id);
  ck_json_member_raw(w, "name", ck_json_get(call, "name"));
  ck_json_member_raw(w, "input", input);
  ck_json_end(w, '}');
}

void model_script_put_text(ck_json_writer *w, const char *type, const char *member, ck_bytes text,
                           const char *signature) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", type);
  ck_json_member_string(w, member, text);
  ck_json_member_text(w, "signature", signature);
  ck_json_end(w, '}');
}

static void write_anthropic(model_answer_given *self) {
  ck_json_writer w = {.out = self->out};
  size_t index = 0;
  begin_message(self, &w);
  ck_json_name(&w, "content");
  ck_json_begin(&w, '[');
  if (self->thinking.len > 0)
    model_script_put_text(&w, "thinking", "thinking", ck_buffer_bytes(&self->thinking),
                          self->signature);
  if (self->text.len > 0)
    model_script_put_text(&w, "text", "text", ck_buffer_bytes(&self->text), NULL);
  ck_json_iterator it = ck_json_iterate(self->calls);
  while (self->calls.len > 0 && ck_json_next(&it))
    put_use(self, &w, it.value, index++, ck_json_get(it.value, "arguments"));
  ck_json_end(&w, ']');
  ck_json_member_text(&w, "stop_reason", index ? "tool_use" : "end_turn");
  put_anthropic_usage(self, &w, self->output);
  ck_json_end(&w, '}');
}

static void stream_delta(model_answer_given *self, size_t index, const char *type,
                         const char *member, ck_bytes text) {
  ck_json_writer w;
  model_script_open_event(self, &w, "content_block_delta");
  ck_json_member_int(&w, "index", (int64_t)index);
  ck_json_name(&w, "delta");
  model_script_put_text(&w, type, member, text, NULL);
  model_script_close_event(self, &w);
}

static void stream_text(model_answer_given *self, ck_bytes piece, size_t index) {
  stream_delta(self, index, "text_delta", "text", piece);
}
static void stream_thinking(model_answer_given *self, ck_bytes piece, size_t index) {
  stream_delta(self, index, "thinking_delta", "thinking", piece);
}
static void stream_input(model_answer_given *self, ck_bytes piece, size_t index) {
  stream_delta(self, index, "input_json_delta", "partial_json", piece);
}

static void open_block(model_answer_given *self, ck_json_writer *w, size_t index) {
  model_script_open_event(self, w, "content_block_start");
  ck_json_member_int(w, "index", (int64_t)index);
  ck_json_name(w, "content_block");
}

static void stop_block(model_answer_given *self, size_t index) {
  ck_json_writer w;
  model_script_open_event(self, &w, "content_block_stop");
  ck_json_member_int(&w, "index", (int64_t)index);
  model_script_close_event(self, &w);
}

static void stream_said(model_answer_given *self, size_t *index) {
  ck_json_writer w;
  if (self->thinking.len > 0) {
    open_block(self, &w, *index);
    model_script_put_text(&w, "thinking", "thinking", (ck_bytes){"", 0}, "");
    model_script_close_event(self, &w);
    model_script_split(self, ck_buffer_bytes(&self->thinking), stream_thinking, *index);
    stream_delta(self, *index, "signature_delta", "signature", ck_bytes_text(self->signature));
    stop_block(self, (*index)++);
  }
  if (self->text.len > 0) {
    open_block(self, &w, *index);
    model_script_put_text(&w, "text", "text", (ck_bytes){"", 0}, NULL);
    model_script_close_event(self, &w);
    ck_buffer_append_text(self->out, "event: ping\ndata: {\"type\": \"ping\"}\n\n");
    model_script_split(self, ck_buffer_bytes(&self->text), stream_text, *index);
    stop_block(self, (*index)++);
  }
}

static void stream_anthropic(model_answer_given *self) {
  ck_json_writer w;
  size_t index = 0, call = 0;
  model_script_open_event(self, &w, "message_start");
  ck_json_name(&w, "message");
  begin_message(self, &w);
  ck_json_member_raw(&w, "content", ck_bytes_text("[]"));
  ck_json_member_raw(&w, "stop_reason", ck_bytes_text("null"));
  put_anthropic_usage(self, &w, 1);
  ck_json_end(&w, '}');
  model_script_close_event(self, &w);
  stream_said(self, &index);
  ck_json_iterator it = ck_json_iterate(self->calls);
  for (; self->calls.len > 0 && ck_json_next(&it); call++) {
    open_block(self, &w, index);
    put_use(self, &w, it.value, call, ck_bytes_text("{}"));
    model_script_close_event(self, &w);
    model_script_split(self, ck_json_get(it.value, "arguments"), stream_input, index);
    stop_block(self, index++);
  }
  ck_buffer_append_format(
      self->out,
      "event: message_delta\ndata: "
      "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"%s\",\"stop_sequence\":null},"
      "\"usage\":{\"output_tokens\":%lld}}\n\nevent: message_stop\ndata: "
      "{\"type\":\"message_stop\"}\n\n",
      call ? "tool_use" : "end_turn", (long long)self->output);
}

void model_script_answer(ck_buffer *out, bool *events, ck_bytes given, const char *path,
                         ck_bytes request) {
  model_answer_given self;
  bool anthropic = strstr(path, "/messages") != NULL,
       responses = strstr(path, "/responses") != NULL,
       gemini = strstr(path, "enerateContent") != NULL;
  read_answer(&self, given, request, out);
  *events =
      strstr(path, ":stream") || ck_json_type_of(ck_json_get(request, "stream")) == CK_JSON_TRUE;
  if (gemini)
    (*events ? model_script_stream_gemini : model_script_write_gemini)(&self);
  else if (responses)
    (*events ? model_script_stream_responses : model_script_write_responses)(&self);
  else if (anthropic)
    (*events ? stream_anthropic : write_anthropic)(&self);
  else
    (*events ? stream_openai : write_openai)(&self);
  ck_buffer_clear(&self.text);
  ck_buffer_clear(&self.thinking);
}
