/* anthropic_answer.c - reads whole answers of Anthropic's messages API; parts shared with streamed
 * ones. */
#include "core/effect/model/anthropic.h"

static bool raise(ck_model_reply *to, int64_t *figure, ck_bytes usage, const char *name) {
  int64_t tokens;
  bool stated = ck_model_read_tokens(to, &tokens, usage, name);
  if (stated && tokens > *figure) *figure = tokens;
  return stated;
}

/* A stream states its input when it begins, and all of its output when it ends. */
void ck_anthropic_state(ck_model_reply *to, ck_bytes usage, bool begins) {
  ck_usage *sum = &to->usage;
  int64_t writes = 0;
  to->input_stated |= raise(to, &sum->input, usage, "input_tokens");
  bool output = raise(to, &sum->output, usage, "output_tokens");
  to->output_stated |= output;
  (void)raise(to, &sum->cache_read, usage, "cache_read_input_tokens");
  (void)raise(to, &sum->cache_write_long, ck_json_get(usage, "cache_creation"),
              "ephemeral_1h_input_tokens");
  (void)raise(to, &writes, usage, "cache_creation_input_tokens");
  if (writes - sum->cache_write_long > sum->cache_write)
    sum->cache_write = writes - sum->cache_write_long;
  sum->known = to->input_stated && to->output_stated;
  to->final |= output && !begins;
}

bool ck_anthropic_take_fault(ck_model_reply *out, ck_bytes answer) {
  if (!ck_json_is_text(ck_json_get(answer, "type"), "error")) return false;
  ck_buffer_append_bytes(&out->fault, answer);
  return true;
}

/* Words of a refusal are for people, and may lack; what was said before it is no answer. A turn
 * that pauses is that of tools which the provider runs itself, and takes long:
 * platform.claude.com/docs/en/build-with-claude/handling-stop-reasons and
 * …/docs/en/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals. */
void ck_anthropic_take_end(ck_model_reply *out, ck_bytes from) {
  ck_bytes reason = ck_json_get(from, "stop_reason"), details = ck_json_get(from, "stop_details"),
           words = ck_json_get(details, "explanation");
  ck_model_take_end(out, reason);
  out->pauses = ck_json_is_text(reason, "pause_turn");
  if (!ck_json_is_text(reason, "refusal")) return;
  if (ck_model_is_blank(words))
    ck_model_refuse(out, reason, ck_json_get(details, "category"));
  else
    ck_model_refuse(out, (ck_bytes){0}, words);
}

/* The message is the whole answer. */
ck_status ck_anthropic_read(ck_model_reply *out, ck_bytes body, ck_error *err) {
  if (ck_anthropic_take_fault(out, body)) return ck_buffer_check(&out->fault, err);
  bool message = ck_json_is_text(ck_json_get(body, "type"), "message") &&
                 ck_json_is_text(ck_json_get(body, "role"), "assistant");
  if (!message || ck_json_type_of(ck_json_get(body, "content")) != CK_JSON_ARRAY)
    return ck_error_set(err, CK_E_PARSE, "the answer is no message of the assistant");
  ck_anthropic_take_end(out, body);
  ck_buffer_append_bytes(&out->message, body);
  return ck_buffer_check(&out->message, err);
}
