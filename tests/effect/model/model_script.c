/* model_script.c - answers of a model in both formats, whole and streamed, and gzip by hand. */
#include "tests/effect/model/model_script.h"

#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"
#include "tests/effect/wire_check.h"

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
  return turns + turns_of_input(ck_json_get(request, "input"));
}

/* The answer. Texts are decoded. */
typedef struct answer {
  ck_bytes calls;
  ck_buffer text, thinking;
  char signature[WIRE_SIGNATURE_SIZE];
  size_t turn;
  int64_t input, output, cached, written;
  ck_buffer *out;
} answer;

static int64_t number(ck_bytes object, const char *name, int64_t otherwise) {
  int64_t value;
  return ck_json_read_int(&value, ck_json_get(object, name)) ? value : otherwise;
}

static void read_answer(answer *self, ck_bytes given, ck_bytes request, ck_buffer *out) {
  ck_bytes usage = ck_json_get(given, "usage");
  ck_buffer raw = {0};
  *self = (answer){
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
static void split(answer *self, ck_bytes text,
                  void (*each)(answer *self, ck_bytes piece, size_t index), size_t index) {
  while (text.len > 0) {
    size_t len = 0;
    for (int i = 0; i < PIECE && len < text.len; i++)
      len += ck_utf8_length(text.data + len, text.len - len);
    each(self, (ck_bytes){text.data, len}, index);
    text.data += len;
    text.len -= len;
  }
}

static void open_event(answer *self, ck_json_writer *w, const char *name) {
  *w = (ck_json_writer){.out = self->out};
  if (name) ck_buffer_append_format(self->out, "event: %s\n", name);
  ck_buffer_append_text(self->out, "data: ");
  ck_json_begin(w, '{');
  if (name) ck_json_member_text(w, "type", name);
}

static void close_event(answer *self, ck_json_writer *w) {
  ck_json_end(w, '}');
  ck_buffer_append_text(self->out, "\n\n");
}

/* ---- OpenAI ---- */

static void put_openai_usage(answer *self, ck_json_writer *w) {
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

static void put_openai_call(answer *self, ck_json_writer *w, ck_bytes call, size_t index,
                            bool begin, ck_bytes arguments) {
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

static void write_openai(answer *self) {
  ck_json_writer w = {.out = self->out};
  size_t index = 0;
  ck_buffer_append_text(self->out, "{\"id\": \"chatcmpl-1\", "
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

static void open_delta(answer *self, ck_json_writer *w) {
  open_event(self, w, NULL);
  ck_json_member_text(w, "id", "chatcmpl-1");
  ck_buffer_append_text(self->out, ",\"choices\":[{\"index\":0,\"finish_reason\":null,\"delta\":");
  w->comma = false;
  ck_json_begin(w, '{');
}

static void close_delta(answer *self, ck_json_writer *w) {
  ck_json_end(w, '}');
  ck_buffer_append_text(self->out, "}]");
  close_event(self, w);
}

static void stream_openai_text(answer *self, ck_bytes piece, size_t index) {
  (void)index;
  ck_json_writer w;
  open_delta(self, &w);
  ck_json_member_string(&w, "content", piece);
  close_delta(self, &w);
}

static void stream_openai_call(answer *self, ck_bytes call, size_t index, bool begin,
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

static void stream_openai_arguments(answer *self, ck_bytes piece, size_t index) {
  stream_openai_call(self, (ck_bytes){NULL, 0}, index, false, piece);
}

static void stream_openai(answer *self) {
  ck_json_writer w;
  size_t index = 0;
  ck_buffer_append_text(self->out, ": a comment\n\n");
  open_delta(self, &w);
  ck_json_member_text(&w, "role", "assistant");
  ck_json_member_text(&w, "content", self->calls.len > 0 ? NULL : "");
  close_delta(self, &w);
  split(self, ck_buffer_bytes(&self->text), stream_openai_text, 0);
  ck_json_iterator it = ck_json_iterate(self->calls);
  for (; self->calls.len > 0 && ck_json_next(&it); index++) {
    stream_openai_call(self, it.value, index, true, (ck_bytes){NULL, 0});
    split(self, ck_json_get(it.value, "arguments"), stream_openai_arguments, index);
  }
  ck_buffer_append_format(
      self->out, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n",
      index ? "tool_calls" : "stop");
  open_event(self, &w, NULL);
  ck_json_member_raw(&w, "choices", ck_bytes_text("[]"));
  put_openai_usage(self, &w);
  close_event(self, &w);
  ck_buffer_append_text(self->out, "data: [DONE]\n\n");
}

/* ---- Anthropic ---- */

static void put_anthropic_usage(answer *self, ck_json_writer *w, int64_t output) {
  ck_json_name(w, "usage");
  ck_json_begin(w, '{');
  ck_json_member_int(w, "input_tokens", self->input);
  ck_json_member_int(w, "cache_read_input_tokens", self->cached);
  ck_json_member_int(w, "cache_creation_input_tokens", self->written);
  ck_json_member_int(w, "output_tokens", output);
  ck_json_end(w, '}');
}

static void begin_message(answer *self, ck_json_writer *w) {
  char id[64];
  snprintf(id, sizeof id, "msg_t%zu", self->turn);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", id);
  ck_json_member_text(w, "type", "message");
  ck_json_member_text(w, "role", "assistant");
  ck_json_member_text(w, "model", "claude-test");
}

static void put_use(answer *self, ck_json_writer *w, ck_bytes call, size_t index, ck_bytes input) {
  char id[64];
  snprintf(id, sizeof id, "toolu_t%zu_%zu", self->turn, index);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", "tool_use");
  ck_json_member_text(w, "id", id);
  ck_json_member_raw(w, "name", ck_json_get(call, "name"));
  ck_json_member_raw(w, "input", input);
  ck_json_end(w, '}');
}

static void put_text(ck_json_writer *w, const char *type, const char *member, ck_bytes text,
                     const char *signature) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "type", type);
  ck_json_member_string(w, member, text);
  ck_json_member_text(w, "signature", signature);
  ck_json_end(w, '}');
}

static void write_anthropic(answer *self) {
  ck_json_writer w = {.out = self->out};
  size_t index = 0;
  begin_message(self, &w);
  ck_json_name(&w, "content");
  ck_json_begin(&w, '[');
  if (self->thinking.len > 0)
    put_text(&w, "thinking", "thinking", ck_buffer_bytes(&self->thinking), self->signature);
  if (self->text.len > 0) put_text(&w, "text", "text", ck_buffer_bytes(&self->text), NULL);
  ck_json_iterator it = ck_json_iterate(self->calls);
  while (self->calls.len > 0 && ck_json_next(&it))
    put_use(self, &w, it.value, index++, ck_json_get(it.value, "arguments"));
  ck_json_end(&w, ']');
  ck_json_member_text(&w, "stop_reason", index ? "tool_use" : "end_turn");
  put_anthropic_usage(self, &w, self->output);
  ck_json_end(&w, '}');
}

static void stream_delta(answer *self, size_t index, const char *type, const char *member,
                         ck_bytes text) {
  ck_json_writer w;
  open_event(self, &w, "content_block_delta");
  ck_json_member_int(&w, "index", (int64_t)index);
  ck_json_name(&w, "delta");
  put_text(&w, type, member, text, NULL);
  close_event(self, &w);
}

static void stream_text(answer *self, ck_bytes piece, size_t index) {
  stream_delta(self, index, "text_delta", "text", piece);
}
static void stream_thinking(answer *self, ck_bytes piece, size_t index) {
  stream_delta(self, index, "thinking_delta", "thinking", piece);
}
static void stream_input(answer *self, ck_bytes piece, size_t index) {
  stream_delta(self, index, "input_json_delta", "partial_json", piece);
}

static void open_block(answer *self, ck_json_writer *w, size_t index) {
  open_event(self, w, "content_block_start");
  ck_json_member_int(w, "index", (int64_t)index);
  ck_json_name(w, "content_block");
}

static void stop_block(answer *self, size_t index) {
  ck_json_writer w;
  open_event(self, &w, "content_block_stop");
  ck_json_member_int(&w, "index", (int64_t)index);
  close_event(self, &w);
}

static void stream_said(answer *self, size_t *index) {
  ck_json_writer w;
  if (self->thinking.len > 0) {
    open_block(self, &w, *index);
    put_text(&w, "thinking", "thinking", (ck_bytes){"", 0}, "");
    close_event(self, &w);
    split(self, ck_buffer_bytes(&self->thinking), stream_thinking, *index);
    stream_delta(self, *index, "signature_delta", "signature", ck_bytes_text(self->signature));
    stop_block(self, (*index)++);
  }
  if (self->text.len > 0) {
    open_block(self, &w, *index);
    put_text(&w, "text", "text", (ck_bytes){"", 0}, NULL);
    close_event(self, &w);
    ck_buffer_append_text(self->out, "event: ping\ndata: {\"type\": \"ping\"}\n\n");
    split(self, ck_buffer_bytes(&self->text), stream_text, *index);
    stop_block(self, (*index)++);
  }
}

static void stream_anthropic(answer *self) {
  ck_json_writer w;
  size_t index = 0, call = 0;
  open_event(self, &w, "message_start");
  ck_json_name(&w, "message");
  begin_message(self, &w);
  ck_json_member_raw(&w, "content", ck_bytes_text("[]"));
  ck_json_member_raw(&w, "stop_reason", ck_bytes_text("null"));
  put_anthropic_usage(self, &w, 1);
  ck_json_end(&w, '}');
  close_event(self, &w);
  stream_said(self, &index);
  ck_json_iterator it = ck_json_iterate(self->calls);
  for (; self->calls.len > 0 && ck_json_next(&it); call++) {
    open_block(self, &w, index);
    put_use(self, &w, it.value, call, ck_bytes_text("{}"));
    close_event(self, &w);
    split(self, ck_json_get(it.value, "arguments"), stream_input, index);
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

/* ---- responses ---- */

/* The `index`-th item: what was thought, what is said, then the calls. False: there is none. */
static bool put_item(answer *self, ck_json_writer *w, size_t index) {
  bool thinks = self->thinking.len > 0, says = self->text.len > 0;
  size_t call = index - thinks - says;
  char id[64];
  ck_json_iterator it = ck_json_iterate(self->calls);
  if (index >= (size_t)thinks + says)
    for (size_t i = 0; i <= call; i++)
      if (self->calls.len == 0 || !ck_json_next(&it)) return false;
  snprintf(id, sizeof id, "item_t%zu_%zu", self->turn, index);
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", id);
  if (index == 0 && thinks) {
    ck_json_member_text(w, "type", "reasoning");
    ck_json_name(w, "summary");
    ck_json_begin(w, '[');
    put_text(w, "summary_text", "text", ck_buffer_bytes(&self->thinking), NULL);
    ck_json_end(w, ']');
    ck_json_member_text(w, "encrypted_content", self->signature);
  } else if (index == thinks && says) {
    ck_json_member_text(w, "type", "message");
    ck_json_member_text(w, "status", "completed");
    ck_json_member_text(w, "role", "assistant");
    ck_json_name(w, "content");
    ck_json_begin(w, '[');
    put_text(w, "output_text", "text", ck_buffer_bytes(&self->text), NULL);
    ck_json_end(w, ']');
  } else {
    snprintf(id, sizeof id, "call_t%zu_%zu", self->turn, call);
    ck_json_member_text(w, "type", "function_call");
    ck_json_member_text(w, "status", "completed");
    ck_json_member_text(w, "call_id", id);
    ck_json_member_raw(w, "name", ck_json_get(it.value, "name"));
    ck_json_member_string(w, "arguments", ck_json_get(it.value, "arguments"));
  }
  ck_json_end(w, '}');
  return true;
}

/* With `usage` it has ended. */
static void put_response(answer *self, ck_json_writer *w, bool ended, bool items) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "id", "resp_1");
  ck_json_member_text(w, "object", "response");
  ck_json_member_text(w, "status", ended ? "completed" : "in_progress");
  ck_json_member_raw(w, "error", ck_bytes_text("null"));
  ck_json_member_raw(w, "incomplete_details", ck_bytes_text("null"));
  ck_json_name(w, "output");
  ck_json_begin(w, '[');
  for (size_t i = 0; items && put_item(self, w, i); i++) continue;
  ck_json_end(w, ']');
  ck_json_name(w, "usage");
  if (ended) {
    ck_json_begin(w, '{');
    ck_json_member_int(w, "input_tokens", self->input + self->cached);
    ck_json_name(w, "input_tokens_details");
    ck_json_begin(w, '{');
    ck_json_member_int(w, "cached_tokens", self->cached);
    ck_json_end(w, '}');
    ck_json_member_int(w, "output_tokens", self->output);
    ck_json_end(w, '}');
  } else {
    ck_json_put_text(w, NULL);
  }
  ck_json_end(w, '}');
}

static void write_responses(answer *self) {
  ck_json_writer w = {.out = self->out};
  put_response(self, &w, true, true);
}

static void stream_response(answer *self, const char *type, bool ended) {
  ck_json_writer w;
  open_event(self, &w, type);
  ck_json_name(&w, "response");
  put_response(self, &w, ended, ended && self->turn % 2 == 0);
  close_event(self, &w);
}

static void stream_output_text(answer *self, ck_bytes piece, size_t index) {
  ck_json_writer w;
  open_event(self, &w, "response.output_text.delta");
  ck_json_member_int(&w, "output_index", (int64_t)index);
  ck_json_member_string(&w, "delta", piece);
  close_event(self, &w);
}

static bool stream_item(answer *self, const char *type, size_t index) {
  ck_json_writer w;
  size_t before = self->out->len;
  open_event(self, &w, type);
  ck_json_member_int(&w, "output_index", (int64_t)index);
  ck_json_name(&w, "item");
  if (!put_item(self, &w, index)) {
    self->out->len = before;
    return false;
  }
  close_event(self, &w);
  return true;
}

/* The last event repeats the items in every other turn: some servers do, some do not. */
static void stream_responses(answer *self) {
  stream_response(self, "response.created", false);
  stream_response(self, "response.in_progress", false);
  for (size_t i = 0; stream_item(self, "response.output_item.added", i); i++) {
    if (i == (self->thinking.len > 0))
      split(self, ck_buffer_bytes(&self->text), stream_output_text, i);
    stream_item(self, "response.output_item.done", i);
  }
  stream_response(self, "response.completed", true);
}

void model_script_answer(ck_buffer *out, bool *events, ck_bytes given, const char *path,
                         ck_bytes request) {
  answer self;
  bool anthropic = strstr(path, "/messages") != NULL,
       responses = strstr(path, "/responses") != NULL;
  read_answer(&self, given, request, out);
  *events = ck_json_type_of(ck_json_get(request, "stream")) == CK_JSON_TRUE;
  if (responses)
    (*events ? stream_responses : write_responses)(&self);
  else if (anthropic)
    (*events ? stream_anthropic : write_anthropic)(&self);
  else
    (*events ? stream_openai : write_openai)(&self);
  ck_buffer_clear(&self.text);
  ck_buffer_clear(&self.thinking);
}

/* ---- gzip (RFC 1951, 1952) ---- */

static const char gzip_head[10] = "\x1f\x8b\x08\0\0\0\0\0\0\x03";

static void append_little(ck_buffer *out, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) ck_buffer_append_char(out, (char)(value >> (8 * i)));
}

static uint32_t crc_of(ck_bytes plain) {
  uint32_t crc = 0xffffffff;
  for (size_t i = 0; i < plain.len; i++) {
    crc ^= (unsigned char)plain.data[i];
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

void model_script_gzip(ck_buffer *out, ck_bytes plain) {
  ck_buffer_append(out, gzip_head, sizeof gzip_head);
  for (size_t at = 0; at == 0 || at < plain.len;) {
    size_t len = plain.len - at < 65535 ? plain.len - at : 65535;
    ck_buffer_append_char(out, at + len == plain.len);
    append_little(out, (uint32_t)len, 2);
    append_little(out, (uint32_t)~len & 0xffff, 2);
    ck_buffer_append(out, plain.data + at, len);
    at += len ? len : 1;
  }
  append_little(out, crc_of(plain), 4);
  append_little(out, (uint32_t)plain.len, 4);
}

/* Codes go in from their highest bit, into bytes from their lowest. */
typedef struct bits {
  ck_buffer *out;
  unsigned byte, count;
} bits;

static void put_bits(bits *self, unsigned code, int width) {
  while (width-- > 0) {
    self->byte |= (code >> width & 1) << self->count;
    if (++self->count < 8) continue;
    ck_buffer_append_char(self->out, (char)self->byte);
    self->byte = self->count = 0;
  }
}

/* One blank, then "258 times what was one byte ago" in 13 bits each. */
void model_script_bomb(ck_buffer *out, size_t blanks) {
  bits w = {.out = out};
  ck_buffer_append(out, gzip_head, sizeof gzip_head);
  put_bits(&w, 1, 1);
  put_bits(&w, 2, 2);
  put_bits(&w, 0x30 + ' ', 8);
  for (size_t i = 0; i < blanks / 258; i++) {
    put_bits(&w, 0xc5, 8);
    put_bits(&w, 0, 5);
  }
  put_bits(&w, 0, 7);
  put_bits(&w, 0, 7);
  append_little(out, 0, 4);
  append_little(out, (uint32_t)(1 + blanks / 258 * 258), 4);
}
