/* ledger_body.c - writes intents and outcomes as bodies of events, and reads them back. */
#include <stdlib.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/model/sources.h"
#include "core/model/sums.h"
#include "core/runtime/ledger/ledger_body.h"

/* Who pays, each once; and how many agents there are above the first. */
static void write_payers(ck_json_writer *w, const char *const *payers, int depth) {
  ck_json_name(w, "for");
  ck_json_begin(w, '[');
  for (; payers && *payers; payers++) ck_json_put_text(w, *payers);
  ck_json_end(w, ']');
  if (depth) ck_json_member_int(w, "depth", depth);
}

static void write_head(ck_json_writer *w, const ck_effect *effect) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "key", effect->key);
  ck_json_member_int(w, "attempt", effect->attempt);
  ck_json_member_text(w, "kind", ck_effect_kind_name(effect->kind));
}

/* {model, failed?}: of a chain that remembers who answered. */
static void write_first(ck_json_writer *w, const ck_effect *effect) {
  if (!effect->remembered) return;
  ck_json_name(w, "first");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "model", ck_json_get(effect->request, "model"));
  if (effect->failed_ms) ck_json_member_int(w, "failed", effect->failed_ms);
  ck_json_end(w, '}');
}

static void write_asked(ck_json_writer *w, const ck_effect *effect, const char *digest) {
  write_head(w, effect);
  ck_json_member_text(w, "class", ck_effect_class_name(effect->class));
  ck_json_member_text(w, "model", effect->model);
  write_first(w, effect);
  ck_json_member_text(w, "digest", digest);
  ck_sources_write(w, effect->untrusted);
}

static ck_status finish_intent(ck_value **out, ck_json_writer *w, ck_bytes request, ck_error *err) {
  ck_json_member_raw(w, "request", request);
  ck_json_end(w, '}');
  ck_status status = ck_value_from(out, w->out, err);
  ck_buffer_clear(w->out);
  return status;
}

ck_status ck_ledger_write_intent(ck_value **out, const ck_effect *effect, const char *digest,
                                 ck_bytes request, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  write_asked(&w, effect, digest);
  bool limited = effect->reserve_tokens > 0;
  if (effect->reserve_micros)
    ck_json_member_int(&w, "reserve", effect->reserve_micros < 0 ? -1 : effect->reserve_micros);
  if (limited) ck_json_member_int(&w, "reserve_tokens", effect->reserve_tokens);
  if (effect->output_max) ck_json_member_int(&w, "max_tokens", effect->output_max);
  if (effect->reserve_micros > 0 || limited) write_payers(&w, effect->payers, effect->depth);
  if (effect->kind == CK_EFFECT_SLEEP) ck_json_member_int(&w, "begun", effect->begun_ms);
  return finish_intent(out, &w, request, err);
}

ck_status ck_ledger_write_blocked(ck_value **out, const ck_effect *effect, const char *digest,
                                  ck_bytes request, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  write_asked(&w, effect, digest);
  ck_json_member_bool(&w, "held", true);
  return finish_intent(out, &w, request, err);
}

ck_status ck_ledger_write_policy_verdict(ck_value **out, const char *key, const char *verdict,
                                         const char *policy, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "key", key);
  ck_json_member_text(&w, "verdict", verdict);
  ck_json_member_text(&w, "policy", policy);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

bool ck_ledger_is_policy_verdict(ck_bytes body) { return ck_json_get(body, "policy").len > 0; }

static const char via_unsettled[] = "lost";

static bool is_lost(const char *via) { return strcmp(via, via_unsettled) == 0; }

/* Of a model's answer: whose API was asked, and what its cache was part of. */
static void write_origin(ck_json_writer *w, const ck_outcome *outcome) {
  int64_t read = outcome->cache_read_tokens, write = outcome->cache_write_tokens;
  if (read) ck_json_member_int(w, "cache_read_tokens", read);
  if (write) ck_json_member_int(w, "cache_write_tokens", write);
  ck_json_member_text(w, "api", outcome->api);
}

ck_status ck_ledger_write_outcome(ck_value **out, const ck_effect *effect,
                                  const ck_outcome *outcome, const char *digest, const char *via,
                                  const ck_value *message, ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  write_head(&w, effect);
  ck_json_member_text(&w, "status", ck_outcome_status_name(outcome->status));
  ck_json_member_text(&w, "via", via);
  ck_json_member_text(&w, "model", effect->model);
  write_first(&w, effect);
  if (effect->kind == CK_EFFECT_TOOL && !ck_effect_is_tool_call(effect))
    ck_json_member_bool(&w, "list", true);
  if (effect->own) {
    ck_json_member_bool(&w, "own", true);
    ck_bytes name = ck_json_get(effect->request, "name");
    if (name.len) ck_json_member_raw(&w, "name", name);
  }
  ck_json_member_text(&w, "digest", digest);
  ck_json_member_text(&w, "error", outcome->error);
  if (outcome->status == CK_OUTCOME_FAILED)
    ck_json_member_text(&w, "cause", ck_status_name(outcome->error_status));
  if (effect->payers) write_payers(&w, effect->payers, effect->depth);
  if (outcome->cost_micros) ck_json_member_int(&w, "cost", outcome->cost_micros);
  if (outcome->reserved_micros || is_lost(via))
    ck_json_member_int(&w, "reserved", outcome->reserved_micros);
  if (outcome->input_tokens) ck_json_member_int(&w, "input_tokens", outcome->input_tokens);
  if (outcome->output_tokens) ck_json_member_int(&w, "output_tokens", outcome->output_tokens);
  write_origin(&w, outcome);
  if (outcome->denied) ck_json_member_raw(&w, "denied", ck_value_bytes(outcome->denied));
  if (outcome->failure) ck_json_member_raw(&w, "failure", ck_value_bytes(outcome->failure));
  ck_sources_write(&w, ck_sources_bytes(outcome->untrusted));
  if (outcome->by.len) ck_json_member_raw(&w, "by", outcome->by);
  if (outcome->wants) ck_json_member_bool(&w, "wants", true);
  if (outcome->tools_changed) ck_json_member_bool(&w, "tools_changed", true);
  if (ck_effect_is_aside(effect)) ck_json_member_bool(&w, "aside", true);
  ck_json_member_text(&w, "cut", outcome->cut);
  ck_json_member_text(&w, "refusal", outcome->refusal);
  ck_json_member_text(&w, "response_model", outcome->response_model);
  if (outcome->goes_on) ck_json_member_bool(&w, "goes_on", true);
  ck_json_member_text(&w, "note", outcome->note);
  if (message)
    ck_json_member_raw(&w, "message", ck_value_bytes(message));
  else if (outcome->result)
    ck_json_member_raw(&w, "result", ck_value_bytes(outcome->result));
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* Intents of earlier versions do not name their payers: the agent that asked is one. */
ck_status ck_ledger_write_unsettled(ck_value **out, const ck_ledger_entry *entry, ck_error *err) {
  ck_bytes intent = ck_value_bytes(entry->intent), payers = ck_json_get(intent, "for"),
           depth = ck_json_get(intent, "depth");
  const ck_effect effect = {
      .key = entry->key, .attempt = entry->intent_attempt, .kind = entry->kind};
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  write_head(&w, &effect);
  ck_json_member_text(&w, "status", ck_outcome_status_name(CK_OUTCOME_FAILED));
  ck_json_member_text(&w, "via", via_unsettled);
  ck_bytes model = ck_json_get(intent, "model");
  if (model.len) ck_json_member_raw(&w, "model", model);
  ck_json_member_text(&w, "digest", entry->intent_digest);
  ck_json_member_text(&w, "error", "its outcome was lost; it counts at what was reserved for it");
  ck_json_member_text(&w, "cause", ck_status_name(CK_E_INTERRUPTED));
  if (ck_json_type_of(payers) == CK_JSON_ARRAY)
    ck_json_member_raw(&w, "for", payers);
  else if (entry->agent)
    write_payers(&w, (const char *const[]){entry->agent, NULL}, 0);
  if (depth.len) ck_json_member_raw(&w, "depth", depth);
  ck_json_member_raw(&w, "cost", ck_json_get(intent, "reserve"));
  ck_json_member_raw(&w, "reserved", ck_json_get(intent, "reserve"));
  int64_t tokens;
  if (ck_json_read_int(&tokens, ck_json_get(intent, "reserve_tokens")) && tokens > 0)
    ck_json_member_int(&w, "output_tokens", tokens);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

bool ck_ledger_is_unsettled(ck_bytes body) {
  return ck_json_is_text(ck_json_get(body, "via"), via_unsettled);
}

ck_ledger_state ck_ledger_read_state(ck_bytes body) {
  ck_bytes status = ck_json_get(body, "status");
  if (ck_json_is_text(status, "failed"))
    return ck_ledger_is_unsettled(body) ? CK_LEDGER_LOST : CK_LEDGER_FAILED;
  if (ck_json_is_text(status, "ok")) return CK_LEDGER_OK;
  return ck_json_is_text(status, "unknown") ? CK_LEDGER_UNKNOWN : CK_LEDGER_ERROR;
}

static bool is_program(ck_bytes kind) {
  return ck_json_is_text(kind, ck_effect_kind_name(CK_EFFECT_EXEC)) ||
         ck_json_is_text(kind, ck_effect_kind_name(CK_EFFECT_AGENT));
}

bool ck_ledger_was_denied(ck_bytes body) { return ck_json_get(body, "denied").len > 0; }

bool ck_ledger_failed_in_passing(ck_bytes body) {
  static const ck_status passing[] = {CK_E_UNAVAILABLE, CK_E_SECRET_MISSING, CK_E_LIMIT,
                                      CK_E_WAITING,     CK_E_INTERRUPTED,    CK_OK};
  ck_bytes cause = ck_json_get(body, "cause");
  if (!ck_json_is_text(ck_json_get(body, "status"), ck_outcome_status_name(CK_OUTCOME_FAILED)))
    return false;
  for (size_t i = 0; i < sizeof passing / sizeof *passing; i++)
    if (ck_json_is_text(cause, ck_status_name(passing[i]))) return true;
  return ck_json_type_of(cause) != CK_JSON_STRING;
}

bool ck_ledger_is_failure(ck_bytes body) {
  ck_bytes cause = ck_json_get(body, "cause"), ending = ck_json_get(body, "status");
  if (ck_json_is_text(ending, ck_outcome_status_name(CK_OUTCOME_ERROR)))
    return is_program(ck_json_get(body, "kind"));
  bool put_off = ck_json_is_text(ck_json_get(body, "via"), "runtime") &&
                 ck_json_is_text(cause, ck_status_name(CK_E_INTERRUPTED));
  if (ck_ledger_was_denied(body)) return false;
  return ck_json_is_text(ending, ck_outcome_status_name(CK_OUTCOME_FAILED)) && !put_off &&
         !ck_json_is_text(cause, ck_status_name(CK_E_WAITING));
}

/* Earlier versions did not say it; all that was lost counted at its reserve. */
int64_t ck_ledger_read_reserve(ck_bytes intent) {
  int64_t reserve = 0;
  ck_json_read_int(&reserve, ck_json_get(intent, "reserve"));
  return reserve > 0 ? reserve : 0;
}

int64_t ck_ledger_read_reserved(ck_bytes body) { return ck_outcome_read_reserved(body); }

/* The result lies in the message, for a model whole, for the others as its content. */
static ck_bytes result_span(ck_bytes body) {
  ck_bytes message = ck_json_get(body, "message");
  if (ck_json_type_of(message) == CK_JSON_NONE) return ck_json_get(body, "result");
  return ck_json_is_text(ck_json_get(body, "kind"), "model") ? message
                                                             : ck_json_get(message, "content");
}

static void read_told(ck_outcome *out, ck_bytes body) {
  enum { COST, INPUT, OUTPUT, WANTS, TOOLS_CHANGED, CUT, REFUSAL, MODEL, GOES_ON, NOTE, MEMBERS };
  static const char *const names[MEMBERS] = {[COST] = "cost",
                                             [INPUT] = "input_tokens",
                                             [OUTPUT] = "output_tokens",
                                             [WANTS] = "wants",
                                             [TOOLS_CHANGED] = "tools_changed",
                                             [CUT] = "cut",
                                             [NOTE] = "note",
                                             [REFUSAL] = "refusal",
                                             [MODEL] = "response_model",
                                             [GOES_ON] = "goes_on"};
  ck_bytes members[MEMBERS];
  ck_json_get_all(members, names, MEMBERS, body);
  ck_json_read_int(&out->cost_micros, members[COST]);
  out->reserved_micros = ck_ledger_read_reserved(body);
  ck_json_read_int(&out->input_tokens, members[INPUT]);
  ck_json_read_int(&out->output_tokens, members[OUTPUT]);
  ck_json_read_bool(&out->wants, members[WANTS]);
  ck_json_read_bool(&out->tools_changed, members[TOOLS_CHANGED]);
  out->cut = ck_json_dup_string(members[CUT]);
  out->refusal = ck_json_dup_string(members[REFUSAL]);
  out->response_model = ck_json_dup_string(members[MODEL]);
  ck_json_read_bool(&out->goes_on, members[GOES_ON]);
  out->note = ck_json_dup_string(members[NOTE]);
}

ck_status ck_ledger_read_outcome(ck_outcome **out, const ck_value *value, int64_t seq,
                                 ck_error *err) {
  *out = NULL;
  ck_bytes body = ck_value_bytes(value), span = result_span(body);
  ck_value *result = NULL;
  char *name = ck_json_dup_string(ck_json_get(body, "status")),
       *text = ck_json_dup_string(ck_json_get(body, "error"));
  ck_outcome_status outcome_status;
  ck_status status = CK_OK;
  if (!name || !ck_outcome_status_of(&outcome_status, name))
    status =
        ck_error_set(err, CK_E_CORRUPT, "outcome event %lld has no known status", (long long)seq);
  if (status == CK_OK && ck_json_type_of(span) != CK_JSON_NONE)
    status = ck_value_copy(&result, span, err);
  if (status == CK_OK) status = ck_outcome_new(out, outcome_status, result, text, err);
  if (status == CK_OK) status = ck_sources_add_member(&(*out)->untrusted, body, err);
  if (status == CK_OK && ck_ledger_was_denied(body))
    status = ck_value_copy(&(*out)->denied, ck_json_get(body, "denied"), err);
  if (status == CK_OK) read_told(*out, body);
  if (status == CK_OK) (*out)->seq = seq;
  ck_value_free(result);
  free(name);
  free(text);
  return status;
}

ck_status ck_ledger_read_status(ck_bytes name, ck_status otherwise) {
  for (int i = 0; i < CK_STATUS_COUNT; i++)
    if (ck_json_is_text(name, ck_status_name((ck_status)i))) return (ck_status)i;
  return otherwise;
}

bool ck_ledger_is_other_tool(ck_bytes request, ck_bytes recorded) {
  ck_bytes name = ck_json_get(request, "name"), other = ck_json_get(recorded, "name");
  if (ck_json_type_of(name) != CK_JSON_STRING || ck_json_type_of(other) != CK_JSON_STRING)
    return false;
  return !ck_placeholder_equal(name, other) ||
         !ck_placeholder_equal(ck_json_get(request, "server"), ck_json_get(recorded, "server"));
}

bool ck_ledger_is_same_action(ck_bytes request, ck_bytes recorded) {
  if (ck_json_type_of(recorded) != CK_JSON_OBJECT ||
      ck_json_count(request) != ck_json_count(recorded))
    return false;
  ck_json_iterator a = ck_json_iterate(request), b = ck_json_iterate(recorded);
  while (ck_json_next(&a) && ck_json_next(&b)) {
    if (!ck_bytes_equal(a.name, b.name)) return false;
    if (!ck_placeholder_equal(a.value, b.value) &&
        !ck_bytes_equal(a.name, ck_bytes_text("\"call_id\"")))
      return false;
  }
  return true;
}

static bool has_stand_in(const ck_ledger_entry *entry) {
  if (!entry->blocked || !entry->outcome) return false;
  return !entry->displaced ||
         !ck_ledger_is_other_tool(ck_json_get(ck_value_bytes(entry->intent), "request"),
                                  ck_json_get(ck_value_bytes(entry->displaced), "request"));
}

/* The result of the action that was done in its place, and now counts for it. */
static ck_status read_stand_in(ck_outcome **out, const ck_ledger_entry *entry, ck_error *err) {
  ck_status status = ck_ledger_read_outcome(out, entry->outcome, entry->outcome_seq, err);
  if (status == CK_OK) (*out)->cost_micros = (*out)->reserved_micros = 0;
  if (status == CK_OK) (*out)->input_tokens = (*out)->output_tokens = 0;
  return status;
}

ck_status ck_ledger_read_resolution(ck_outcome **out, const ck_ledger_entry *entry, ck_error *err) {
  *out = NULL;
  if (entry->verdict == CK_VERDICT_ABORT && entry->blocked)
    return ck_outcome_new(out, CK_OUTCOME_ERROR, NULL, "aborted: it was not run", err);
  if (entry->verdict == CK_VERDICT_ABORT)
    return ck_outcome_new(out, CK_OUTCOME_UNKNOWN, NULL,
                          "aborted: its outcome is not known and it was not run again", err);
  ck_bytes given = ck_json_get(ck_value_bytes(entry->resolution), "result");
  ck_value *result = NULL;
  if (has_stand_in(entry) && ck_json_type_of(given) == CK_JSON_NONE)
    return read_stand_in(out, entry, err);
  ck_status status =
      ck_json_type_of(given) == CK_JSON_NONE
          ? ck_value_text(&result,
                          ck_bytes_text("done (confirmed by hand; its output is not known)"), err)
          : ck_value_copy(&result, given, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, result, NULL, err);
  ck_value_free(result);
  return status;
}

void ck_totals_add_outcome(ck_totals *totals, const ck_value *body) {
  ck_totals_add_body(totals, ck_value_bytes(body));
}
