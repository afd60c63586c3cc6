/* peer_output.c - splits a peer's output into lines, each a message or a batch of messages. */
#include <stdio.h>
#include <string.h>

#include "core/base/json_mend.h"
#include "core/effect/jsonrpc/private.h"

static bool refuse(ck_buffer *why, ck_bytes text, const char *what) {
  ck_buffer_append_format(why, "%s: ", what);
  ck_peer_append_excerpt(why, text);
  return false;
}

enum { DATA_MAX = 500 };

/* What the peer adds to its message is often the cause. */
static void append_data(ck_buffer *out, ck_bytes data) {
  if (!data.len || ck_json_type_of(data) == CK_JSON_NULL) return;
  size_t most = ck_peer_cut(data, DATA_MAX);
  ck_buffer_append_text(out, ": ");
  ck_buffer_append_bytes(out, (ck_bytes){data.data, most});
  if (most < data.len) ck_buffer_append_text(out, "…");
}

static void take_answer(ck_peer *self, const ck_rpc_message *message) {
  ck_peer_call *call = ck_peer_find_call(self, message->id);
  if (!call) return; /* late, answered before, or never asked for */
  ck_peer_answer answer = {.outcome = CK_PEER_RESULT, .json = message->result};
  ck_buffer text = {0};
  if (message->error.len) {
    answer.outcome = CK_PEER_ERROR;
    answer.json = message->error;
    ck_json_read_int(&answer.code, ck_json_get(message->error, "code"));
    ck_buffer_append_format(&text, "%s: ", self->name);
    if (!ck_json_read_string(&text, ck_json_get(message->error, "message")))
      ck_buffer_append_text(&text, "refused without a reason");
    ck_buffer_append_format(&text, " (error %lld)", (long long)answer.code);
    append_data(&text, ck_json_get(message->error, "data"));
    answer.text = text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data;
  }
  ck_peer_answer_call(call, &answer);
  ck_peer_set_timer(self);
  ck_buffer_clear(&text);
}

static bool take_message(ck_peer *self, ck_bytes json, ck_buffer *why) {
  ck_rpc_message message;
  if (!ck_rpc_read(&message, json)) return refuse(why, json, "no JSON-RPC message");
  if (message.kind == CK_RPC_ANSWER)
    take_answer(self, &message);
  else
    self->received(self->to, &message);
  return true;
}

static bool is_blank(ck_bytes line) {
  for (size_t i = 0; i < line.len; i++) {
    if (!strchr(" \t\r", line.data[i]) || !line.data[i]) return false;
  }
  return true;
}

static bool take_json(ck_peer *self, ck_bytes json, ck_buffer *why) {
  bool taken = true;
  if (ck_json_type_of(json) != CK_JSON_ARRAY || ck_json_count(json) == 0)
    return take_message(self, json, why);
  ck_json_iterator it = ck_json_iterate(json); /* a batch, as revision 2025-03-26 of MCP allowed */
  while (taken && !*self->why && ck_json_next(&it)) taken = take_message(self, it.value, why);
  return taken;
}

bool ck_peer_take(ck_peer *self, ck_bytes text, ck_buffer *why) {
  ck_buffer mended = {0};
  ck_error err = CK_ERROR_INIT;
  bool taken = true;
  if (is_blank(text)) return true;
  ck_status status = ck_json_check(text, &err);
  ck_bytes json = text;
  if (status == CK_E_PARSE && ck_json_mend(&mended, text)) {
    json = ck_buffer_bytes(&mended);
    status = ck_buffer_check(&mended, &err);
    if (status == CK_OK) status = ck_json_check(json, &err);
  }
  if (status == CK_OK)
    taken = take_json(self, json, why);
  else if (status == CK_E_NO_MEMORY)
    ck_peer_stop(self, err.text);
  else
    taken = refuse(why, text, "no JSON");
  ck_buffer_clear(&mended);
  return taken;
}

static void take_line(ck_peer *self, ck_bytes line) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, "it wrote a line that is ");
  if (!ck_peer_take(self, line, &text))
    ck_peer_stop(self, text.failed ? ck_status_text(CK_E_NO_MEMORY) : text.data);
  ck_buffer_clear(&text);
}

/* A line that arrives in one piece is never copied. */
void ck_peer_take_output(ck_peer *self, ck_bytes chunk) {
  if (!chunk.len && !*self->why) { /* usually the process ends now; its exit status, which says
                                      more, is awaited */
    self->silent = true;
    ck_child_close_input(self->child);
  }
  while (chunk.len && !*self->why) {
    const char *newline = memchr(chunk.data, '\n', chunk.len);
    ck_bytes part = {chunk.data, newline ? (size_t)(newline - chunk.data) : chunk.len};
    if (part.len > self->line_max - self->line.len) {
      char text[CK_PEER_TEXT_MAX];
      snprintf(text, sizeof text, "it wrote a line of more than %zu bytes", self->line_max);
      ck_peer_stop(self, text);
      return;
    }
    chunk = (ck_bytes){part.data + part.len + (newline != NULL),
                       chunk.len - part.len - (newline != NULL)};
    bool whole = newline && !self->line.len;
    if (!whole) ck_buffer_append_bytes(&self->line, part);
    if (self->line.failed)
      ck_peer_stop(self, ck_status_text(CK_E_NO_MEMORY));
    else if (newline)
      take_line(self, whole ? part : ck_buffer_bytes(&self->line));
    if (newline) ck_buffer_reset(&self->line);
  }
}
