/* fuzz_jsonrpc.c - what a peer writes: however it is cut into chunks, the same messages are taken
 * and the same line ends it; what ckrun writes is read as what was meant. The first byte says how
 * it is cut. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json_mend.h"
#include "core/effect/jsonrpc/private.h"
#include "tests/fuzz/fuzz.h"

enum { LINE_MAX_BYTES = 300, CALLS = 2 };

static void note(ck_buffer *out, char kind, ck_bytes bytes) {
  ck_buffer_append_format(out, "%c%zu:", kind, bytes.len);
  ck_buffer_append_bytes(out, bytes);
}

static void on_received(void *to, const ck_rpc_message *message) {
  fuzz_must(message->kind != CK_RPC_ANSWER, "an answer is no request");
  fuzz_must(ck_json_type_of(message->method) == CK_JSON_STRING, "a method is a string");
  note(to, message->kind == CK_RPC_REQUEST ? 'r' : 'n', message->method);
  note(to, 'i', message->id);
  note(to, 'p', message->params);
}

static void on_answered(void *to, const ck_peer_answer *answer) {
  fuzz_must(ck_json_type_of(answer->json) != CK_JSON_NONE, "an answer is JSON");
  note(to, answer->outcome == CK_PEER_RESULT ? 'a' : 'e', answer->json);
  if (answer->text) note(to, 't', ck_bytes_text(answer->text));
}

/* A peer without a process, of which two calls are pending. */
static void feed(ck_buffer *out, ck_bytes text, size_t chunk) {
  static uv_timer_t timer;
  if (!timer.loop) uv_timer_init(uv_default_loop(), &timer);
  char name[] = "peer";
  ck_peer peer = {.timer = &timer, .name = name, .line_max = LINE_MAX_BYTES};
  ck_peer_call calls[CALLS] = {{.answered = on_answered, .to = out, .sent_id = 1},
                               {.answered = on_answered, .to = out, .sent_id = 2}};
  peer.calls.next = peer.calls.previous = &peer.calls;
  peer.received = on_received;
  peer.to = out;
  for (int i = 0; i < CALLS; i++) ck_peer_renew(&peer, &calls[i]);
  for (unsigned n = 0; text.len > 0; n++) {
    ck_bytes part = fuzz_take(&text, chunk ? 1 + n * chunk % 11 : text.len);
    ck_peer_take_output(&peer, part);
  }
  for (int i = 0; i < CALLS; i++) ck_peer_forget(&peer, &calls[i]);
  note(out, 'w', ck_bytes_text(peer.why));
  ck_buffer_clear(&peer.line);
}

/* A line is mended once: what was mended needs nothing more, and is JSON if it has JSON's shape. */
static void try_mending(ck_bytes line) {
  ck_buffer once = {0}, twice = {0};
  if (ck_json_mend(&once, line))
    fuzz_must(!ck_json_mend(&twice, ck_buffer_bytes(&once)), "a mended line needs no mending");
  else
    fuzz_must(ck_bytes_equal(ck_buffer_bytes(&once), line), "a sound line stays as it is");
  ck_buffer_clear(&once);
  ck_buffer_clear(&twice);
}

static bool is_one_line(const ck_buffer *lines) {
  return lines->len > 0 && memchr(lines->data, '\n', lines->len) == lines->data + lines->len - 1;
}

static void try_writing(ck_bytes params) {
  ck_json_type type = ck_json_type_of(params);
  if (ck_json_check(params, NULL) != CK_OK) return;
  if (type != CK_JSON_ARRAY && type != CK_JSON_OBJECT) return;
  ck_buffer line = {0};
  ck_rpc_message message;
  ck_rpc_write_request(&line, 7, "do", params);
  fuzz_must(is_one_line(&line), "a request is one line");
  ck_bytes json = {line.data, line.len - 1};
  fuzz_must(ck_json_check(json, NULL) == CK_OK, "a request is JSON");
  fuzz_must(ck_rpc_read(&message, json) && message.kind == CK_RPC_REQUEST, "it is a request");
  fuzz_must(ck_json_count(message.params) == ck_json_count(params), "with its params");
  ck_buffer_clear(&line);
}

void fuzz_jsonrpc(ck_bytes input) {
  ck_buffer whole = {0}, cut = {0};
  unsigned chunk = fuzz_byte(&input);
  feed(&whole, input, 0);
  feed(&cut, input, 1 + chunk);
  fuzz_must(ck_bytes_equal(ck_buffer_bytes(&whole), ck_buffer_bytes(&cut)),
            "chunks change no message: %s, %s", whole.data, cut.data);
  try_mending(input);
  try_writing(input);
  ck_buffer_clear(&whole);
  ck_buffer_clear(&cut);
}
