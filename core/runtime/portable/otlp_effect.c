/* otlp_effect.c - names of the conventions for generative AI where they have one, ckrun's own for
 * the rest. */
#include "core/runtime/portable/otlp_effect.h"

#include "core/base/json.h"
#include "core/model/effect.h"
#include "core/model/profile_model.h"
#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/portable/message.h"
#include "core/runtime/portable/otlp_message.h"

void ck_otlp_given_clear(ck_otlp_given *self) {
  ck_buffer_clear(&self->messages);
  ck_buffer_clear(&self->seqs);
  ck_buffer_clear(&self->times);
}

ck_status ck_otlp_given_check(const ck_otlp_given *self, ck_error *err) {
  ck_status status = ck_buffer_check(&self->messages, err);
  if (status == CK_OK) status = ck_buffer_check(&self->seqs, err);
  return status == CK_OK ? ck_buffer_check(&self->times, err) : status;
}

static ck_bytes of_either(const ck_otlp_effect *effect, const char *name) {
  ck_bytes value = ck_json_get(effect->outcome, name);
  return value.len ? value : ck_json_get(effect->intent, name);
}

static bool is_kind(const ck_otlp_effect *effect, ck_effect_kind kind) {
  return ck_json_is_text(of_either(effect, "kind"), ck_effect_kind_name(kind));
}

static ck_bytes asked(const ck_otlp_effect *effect, const char *name) {
  return ck_json_get(ck_json_get(effect->intent, "request"), name);
}

/* "chat default": the operation, and of what. */
static void put_name(ck_otlp_span *to, const char *operation, ck_bytes of) {
  ck_buffer_append_text(&to->name, operation);
  if (ck_json_type_of(of) != CK_JSON_STRING) return;
  ck_buffer_append_char(&to->name, ' ');
  ck_json_read_string(&to->name, of);
}

static void put_operation(ck_otlp_span *to, const char *operation, ck_bytes of) {
  put_name(to, operation, of);
  ck_otlp_span_put_text(to, "gen_ai.operation.name", operation);
}

/* ---- models ---- */

/* An answer beside the conversation is a result. */
static ck_bytes answer_of(const ck_otlp_effect *effect) {
  return ck_json_get(effect->outcome,
                     ck_json_get(effect->outcome, "aside").len ? "result" : "message");
}

static const char *reason_of(const ck_otlp_effect *effect, ck_bytes message) {
  ck_bytes calls = ck_json_get(message, "tool_calls");
  if (ck_json_get(effect->outcome, "refusal").len) return "content_filter";
  if (ck_json_get(effect->outcome, "cut").len) return "length";
  return ck_json_type_of(calls) == CK_JSON_ARRAY && ck_json_count(calls) > 0 ? "tool_call" : "stop";
}

/* Messages lie in an attribute as a text, where a secret may be spelt in another way: what they say
 * is redacted first. */
static ck_status put_messages(ck_otlp_span *to, const char *name, ck_buffer *array,
                              ck_redactor *redactor, ck_error *err) {
  ck_value *all = NULL, *kept = NULL;
  ck_status status = ck_value_from(&all, array, err);
  if (status == CK_OK) status = ck_redactor_apply(&kept, redactor, CK_SINK_EXPORT, NULL, all, err);
  if (status == CK_OK && kept) ck_otlp_span_put_json(to, name, ck_value_bytes(kept));
  ck_value_free(all);
  ck_value_free(kept);
  ck_buffer_clear(array);
  return status;
}

static ck_status put_given(ck_otlp_span *to, const ck_otlp_effect *effect, ck_redactor *redactor,
                           ck_error *err) {
  ck_buffer array = {0};
  ck_json_writer w = {.out = &array};
  ck_status status = CK_OK;
  const ck_otlp_given *given = effect->given;
  if (!given->messages.len) return CK_OK;
  ck_otlp_span_put_int(to, "ckrun.input.earlier", given->earlier);
  ck_otlp_span_put_json(to, "ckrun.input.seqs", ck_buffer_bytes(&given->seqs));
  ck_otlp_span_put_json(to, "ckrun.input.times", ck_buffer_bytes(&given->times));
  ck_json_begin(&w, '[');
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&given->messages));
  while (status == CK_OK && ck_json_next(&it))
    status = ck_otlp_message_write(&w, it.value, NULL, err);
  ck_json_end(&w, ']');
  if (status == CK_OK) return put_messages(to, "gen_ai.input.messages", &array, redactor, err);
  ck_buffer_clear(&array);
  return status;
}

static ck_status put_made(ck_otlp_span *to, const ck_otlp_effect *effect, ck_redactor *redactor,
                          ck_error *err) {
  ck_bytes message = answer_of(effect);
  ck_buffer array = {0};
  ck_json_writer w = {.out = &array};
  if (ck_json_type_of(message) != CK_JSON_OBJECT) return CK_OK;
  const char *reason = reason_of(effect, message);
  ck_otlp_span_put_list(to, "gen_ai.response.finish_reasons", reason);
  ck_json_begin(&w, '[');
  ck_status status = ck_otlp_message_write(&w, message, reason, err);
  ck_json_end(&w, ']');
  if (status == CK_OK) return put_messages(to, "gen_ai.output.messages", &array, redactor, err);
  ck_buffer_clear(&array);
  return status;
}

ck_status ck_otlp_effect_put_message(ck_otlp_span *to, ck_bytes message, int64_t seq,
                                     ck_redactor *redactor, ck_error *err) {
  ck_buffer array = {0};
  ck_json_writer w = {.out = &array};
  put_name(to, "message", ck_json_get(message, "role"));
  ck_otlp_span_put_int(to, "ckrun.event.seq", seq);
  ck_otlp_span_put_text(to, "ckrun.event.kind", ck_event_kind_name(CK_EVENT_MESSAGE));
  ck_json_begin(&w, '[');
  ck_status status = ck_otlp_message_write(&w, message, NULL, err);
  ck_json_end(&w, ']');
  if (status == CK_OK) return put_messages(to, "gen_ai.input.messages", &array, redactor, err);
  ck_buffer_clear(&array);
  return status;
}

/* What was asked of it, as far as the flow did. */
static void put_request(ck_otlp_span *to, const ck_otlp_effect *effect) {
  ck_bytes room = asked(effect, "max_tokens"), temperature = asked(effect, "temperature");
  int64_t most;
  if (ck_json_read_int(&most, room)) ck_otlp_span_put_int(to, "gen_ai.request.max_tokens", most);
  ck_otlp_span_put_number(to, "gen_ai.request.temperature", temperature);
  if (ck_json_type_of(asked(effect, "response_schema")) == CK_JSON_OBJECT)
    ck_otlp_span_put_text(to, "gen_ai.output.type", "json");
}

/* By the API that was asked, which an import does not tell: by the form of its message. */
static const char *provider_of(const ck_otlp_effect *effect, ck_bytes message) {
  static const struct {
    ck_model_api api;
    const char *provider;
  } known[] = {{CK_MODEL_OPENAI, "openai"},
               {CK_MODEL_RESPONSES, "openai"},
               {CK_MODEL_ANTHROPIC, "anthropic"},
               {CK_MODEL_GEMINI, "gcp.gemini"}};
  ck_bytes api = ck_json_get(effect->outcome, "api");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (ck_json_is_text(api, ck_model_api_name(known[i].api))) return known[i].provider;
  return ck_otlp_message_provider(message);
}

static ck_status put_model(ck_otlp_span *to, const ck_otlp_effect *effect, ck_redactor *redactor,
                           ck_error *err) {
  ck_bytes other = of_either(effect, "model"), model = other.len ? other : asked(effect, "model"),
           message = answer_of(effect), told = ck_json_get(effect->outcome, "response_model");
  to->client = true;
  put_operation(to, "chat", model);
  ck_otlp_span_put_text(to, "gen_ai.provider.name", provider_of(effect, message));
  ck_otlp_span_put_string(to, "gen_ai.request.model", model);
  if (!told.len) told = ck_json_get(message, "model"); /* of an import */
  ck_otlp_span_put_string(to, "gen_ai.response.model", told);
  ck_otlp_span_put_string(to, "gen_ai.response.id", ck_json_get(message, "id"));
  ck_otlp_span_put_text(to, "gen_ai.conversation.id", effect->session);
  put_request(to, effect);
  ck_status status = put_given(to, effect, redactor, err);
  return status == CK_OK ? put_made(to, effect, redactor, err) : status;
}

/* ---- tools, agents and all others ---- */

/* What its message says, of one without a message its result. */
static ck_bytes result_of(const ck_otlp_effect *effect) {
  ck_bytes message = ck_json_get(effect->outcome, "message");
  return message.len ? ck_json_get(message, "content") : ck_json_get(effect->outcome, "result");
}

static void put_tool(ck_otlp_span *to, const ck_otlp_effect *effect) {
  const char *ignored;
  ck_bytes name = asked(effect, "name"), id = asked(effect, "call_id"),
           arguments = asked(effect, "arguments"), result = result_of(effect);
  if (!name.len) name = ck_json_get(effect->outcome, "name");
  if (!id.len) id = effect->call_id;
  if (!id.len) id = ck_message_answers(&ignored, ck_json_get(effect->outcome, "message"));
  put_operation(to, "execute_tool", name);
  ck_otlp_span_put_string(to, "gen_ai.tool.name", name);
  ck_otlp_span_put_text(to, "gen_ai.tool.type", "function");
  ck_otlp_span_put_string(to, "gen_ai.tool.call.id", id);
  ck_otlp_span_put_value(to, "gen_ai.tool.call.arguments",
                         arguments.len ? arguments : effect->arguments);
  ck_otlp_span_put_value(to, "gen_ai.tool.call.result", result);
  if (result.len && ck_json_type_of(result) != CK_JSON_STRING)
    ck_otlp_span_put_text(to, "ckrun.tool.call.result.type", "json");
}

static void put_agent(ck_otlp_span *to, const ck_otlp_effect *effect) {
  to->client = true;
  put_operation(to, "invoke_agent", asked(effect, "process"));
  ck_otlp_span_put_string(to, "gen_ai.agent.name", asked(effect, "process"));
  ck_otlp_span_put_json(to, "ckrun.request", ck_json_get(effect->intent, "request"));
  ck_otlp_span_put_value(to, "ckrun.result", result_of(effect));
}

static void put_other(ck_otlp_span *to, const ck_otlp_effect *effect) {
  ck_json_read_string(&to->name, of_either(effect, "kind"));
  ck_otlp_span_put_json(to, "ckrun.request", ck_json_get(effect->intent, "request"));
  ck_otlp_span_put_value(to, "ckrun.result", result_of(effect));
}

/* ---- how it ended, and what it cost ---- */

static int64_t number(const ck_otlp_effect *effect, const char *name) {
  int64_t found = 0;
  ck_json_read_int(&found, ck_json_get(effect->outcome, name));
  return found;
}

static void put_positive(ck_otlp_span *to, const char *name, int64_t count) {
  if (count > 0) ck_otlp_span_put_int(to, name, count);
}

static void put_usage(ck_otlp_span *to, const ck_otlp_effect *effect) {
  int64_t cost = number(effect, "cost"), input = number(effect, "input_tokens"),
          output = number(effect, "output_tokens");
  if (input > 0 || output > 0) {
    ck_otlp_span_put_int(to, "gen_ai.usage.input_tokens", input);
    ck_otlp_span_put_int(to, "gen_ai.usage.output_tokens", output);
  }
  put_positive(to, "gen_ai.usage.cache_read.input_tokens", number(effect, "cache_read_tokens"));
  put_positive(to, "gen_ai.usage.cache_creation.input_tokens",
               number(effect, "cache_write_tokens"));
  bool free = cost == 0 && effect->outcome.len && is_kind(effect, CK_EFFECT_MODEL);
  if (cost > 0 || free) ck_otlp_span_put_money(to, "gen_ai.usage.cost", cost);
  if (ck_ledger_read_reserved(effect->outcome) > 0)
    ck_otlp_span_put_money(to, "ckrun.cost.estimated", ck_ledger_read_reserved(effect->outcome));
}

static void put_ending(ck_otlp_span *to, const ck_otlp_effect *effect) {
  ck_bytes status = ck_json_get(effect->outcome, "status"),
           cause = ck_json_get(effect->outcome, "cause");
  to->failed = !ck_json_is_text(status, ck_outcome_status_name(CK_OUTCOME_OK));
  to->error = ck_json_get(effect->outcome, "error");
  ck_otlp_span_put_string(to, "ckrun.effect.status", status);
  ck_otlp_span_put_string(to, "ckrun.effect.via", ck_json_get(effect->outcome, "via"));
  if (!effect->outcome.len)
    ck_otlp_span_put_text(to, "error.type", "no_outcome");
  else if (to->failed)
    ck_otlp_span_put_string(to, "error.type", cause.len ? cause : status);
}

ck_status ck_otlp_effect_put(ck_otlp_span *to, const ck_otlp_effect *effect, ck_redactor *redactor,
                             ck_error *err) {
  ck_status status = CK_OK;
  bool list = ck_json_get(effect->outcome, "list").len > 0;
  if (is_kind(effect, CK_EFFECT_MODEL))
    status = put_model(to, effect, redactor, err);
  else if (is_kind(effect, CK_EFFECT_TOOL) && !list)
    put_tool(to, effect);
  else if (is_kind(effect, CK_EFFECT_AGENT))
    put_agent(to, effect);
  else
    put_other(to, effect);
  put_usage(to, effect);
  put_ending(to, effect);
  ck_otlp_span_put_string(to, "ckrun.effect.kind", of_either(effect, "kind"));
  ck_otlp_span_put_string(to, "ckrun.effect.class", ck_json_get(effect->intent, "class"));
  ck_otlp_span_put_string(to, "ckrun.effect.key", of_either(effect, "key"));
  if (effect->outcome_seq) ck_otlp_span_put_int(to, "ckrun.outcome.seq", effect->outcome_seq);
  if (effect->left) ck_otlp_span_put_text(to, "ckrun.left_behind", "true");
  return status;
}
