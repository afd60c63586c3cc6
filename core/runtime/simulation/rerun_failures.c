/* rerun_failures.c - asks on_failure again of what failed, and in_doubt of what was in doubt. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "core/base/text.h"
#include "core/runtime/simulation/hook_rerun_private.h"

static ck_status take_words(ck_rerun_said *out, const ck_answers *answers, ck_error *err) {
  out->answers = *answers;
  out->word = answers->hook ? ck_rerun_word(answers) : NULL;
  return out->word || !answers->hook ? CK_OK : ck_error_no_memory(err);
}

/* A new place with what was answered then, and the engine that is to answer now. */
static ck_status open_place(ck_rerun_place **out, ck_asking *self, const ck_event *event,
                            const char *key, const ck_answers *then) {
  ck_status status = ck_asking_open(self, event->timeline);
  if (status == CK_OK) status = ck_asking_add(out, self, event->seq, key);
  return status == CK_OK ? take_words(&(*out)->then, then, self->err) : status;
}

/* ---- on_failure ---- */

/* What a run would ask about: it was carried out, and failed. */
static bool is_failure(ck_bytes body) {
  bool lost = ck_ledger_is_unsettled(body);
  bool held = ck_json_is_text(ck_json_get(body, "via"), "runtime") || ck_ledger_was_denied(body);
  bool agent = ck_json_is_text(ck_json_get(body, "kind"), "agent") &&
               !ck_json_is_text(ck_json_get(body, "status"), "failed");
  return ck_ledger_is_failure(body) && !lost && !held && !agent;
}

typedef struct failing {
  ck_failure failure;
  ck_bytes shown; /* what else was shown of it; no bytes: it is not recorded */
  char *key, *node, *tool, *error;
  char text[CK_ERROR_TEXT_MAX];
} failing;

static void clear_failing(failing *self) {
  free(self->key);
  free(self->node);
  free(self->tool);
  free(self->error);
}

static void read_shown(ck_failure *out, failing *of) {
  int64_t number = 0;
  of->node = ck_json_dup_string(ck_json_get(of->shown, "node"));
  out->node = of->node;
  if (ck_json_read_int(&number, ck_json_get(of->shown, "try"))) out->tries = (uint32_t)number;
  ck_json_read_int(&out->retry_after_ms, ck_json_get(of->shown, "retry_after"));
}

static ck_bytes request_of(const ck_asking *self, const char *key) {
  const ck_begun_effect *begun = key ? ck_begun_effects_get(&self->effects, key) : NULL;
  return begun ? ck_json_get(ck_value_bytes(begun->intent), "request") : (ck_bytes){0};
}

static void read_failing(failing *out, const ck_asking *self, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  ck_effect effect = {0};
  ck_begun_effect_read(&effect, body);
  *out = (failing){.key = ck_json_dup_string(ck_json_get(body, "key")),
                   .error = ck_json_dup_string(ck_json_get(body, "error")),
                   .shown = ck_json_get(body, "failure")};
  if (effect.kind == CK_EFFECT_TOOL)
    out->tool = ck_json_dup_string(ck_json_get(request_of(self, out->key), "name"));
  ck_text_format(out->text, sizeof out->text, "effect %s: %s", out->key ? out->key : "",
                 out->error ? out->error : "failed");
  bool refused = ck_json_get(body, "refusal").len > 0;
  ck_status cause =
      ck_ledger_read_status(ck_json_get(body, "cause"), refused ? CK_E_REFUSAL : CK_E_FAILED);
  out->failure = (ck_failure){.agent = event->agent,
                              .key = out->key ? out->key : "",
                              .tool = out->tool && *out->tool ? out->tool : NULL,
                              .kind = effect.kind,
                              .status = cause == CK_OK ? CK_E_FAILED : cause,
                              .error = out->text,
                              .attempt = effect.attempt};
  read_shown(&out->failure, out);
}

static void find_unknown(ck_unknown *out, const failing *of, const ck_asking *self,
                         const ck_event *event) {
  bool masked = ck_json_get(ck_value_bytes(event->body), "redacted").len > 0;
  *out = (ck_unknown){0};
  if (!of->key) ck_unknown_add(out, "failure");
  if (masked || ck_begun_effect_is_masked(ck_bytes_text(of->text)))
    ck_unknown_add(out, "failure.error");
  if (of->failure.kind == CK_EFFECT_TOOL && !request_of(self, of->key).len)
    ck_unknown_add(out, "failure.tool");
  if (of->shown.len) return;
  ck_unknown_add(out, "failure.node");
  ck_unknown_add(out, "failure.try");
  ck_unknown_add(out, "failure.retry_after");
}

/* "waits 500 ms". */
static ck_status take_wait(char **out, int64_t wait_ms, ck_error *err) {
  if (wait_ms <= 0) return CK_OK;
  bool made = asprintf(out, "waits %lld ms", (long long)wait_ms) >= 0;
  if (!made) *out = NULL;
  return made ? CK_OK : ck_error_no_memory(err);
}

static ck_status ask_failure(ck_asking *self, ck_rerun_place *place, const failing *of,
                             const ck_event *event) {
  ck_unknown unknown;
  ck_failure_answer answer = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status asked = CK_OK;
  find_unknown(&unknown, of, self, event);
  ck_asking_watch(self, &unknown);
  if (self->engine.on_failure)
    asked = self->engine.on_failure(&answer, self->engine.self, &of->failure, &failure);
  answer.answers.hook = CK_HOOK_ON_FAILURE;
  ck_status status = take_words(&place->now, &answer.answers, self->err);
  if (status == CK_OK && answer.word == CK_FAILURE_RETRY)
    status = take_wait(&place->now.text, answer.wait_ms, self->err);
  return status == CK_OK ? ck_asking_settle(self, place, asked, &failure) : status;
}

void ck_rerun_on_failure_take(ck_asking *self, const ck_event *event) {
  failing of;
  ck_answers answers;
  ck_rerun_place *place;
  int64_t wait_ms = 0;
  ck_rerun_read_answers(&answers, event, CK_HOOK_ON_FAILURE);
  if (event->kind != CK_EVENT_OUTCOME) return;
  if (!answers.hook &&
      (ck_asking_was_asked(self, event->timeline) || !is_failure(ck_value_bytes(event->body))))
    return;
  read_failing(&of, self, event);
  self->status = open_place(&place, self, event, of.key, &answers);
  ck_json_read_int(&wait_ms, ck_json_get(of.shown, "wait"));
  if (self->status == CK_OK) self->status = take_wait(&place->then.text, wait_ms, self->err);
  if (self->status == CK_OK) place->then.whole = of.shown.len > 0;
  if (self->status == CK_OK) self->status = ask_failure(self, place, &of, event);
  clear_failing(&of);
}

/* ---- in_doubt ---- */

/* The reason of a pause names the effect that is in doubt; the longest of those that fit is it. */
static char *find_stopped(const ck_asking *self, ck_bytes body) {
  char *reason = ck_json_dup_string(ck_json_get(body, "reason")), *found = NULL;
  const ck_map *all = &self->effects.by_key;
  for (size_t i = 0; reason && i < all->cap; i++) {
    char name[CK_ERROR_TEXT_MAX];
    const char *key = all->slots[i].key;
    if (!key) continue;
    snprintf(name, sizeof name, "effect %s (", key);
    if (!strstr(reason, name) || (found && strlen(found) >= strlen(key))) continue;
    free(found);
    found = strdup(key);
  }
  free(reason);
  return found;
}

/* Without policies: the pause of a session in doubt, and what was told to be unknown. */
static bool is_doubt(const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  if (event->kind == CK_EVENT_SESSION_PAUSED)
    return ck_json_is_text(ck_json_get(body, "status"), "in_doubt");
  return event->kind == CK_EVENT_OUTCOME &&
         ck_json_is_text(ck_json_get(body, "status"), "unknown") &&
         !ck_json_is_text(ck_json_get(body, "via"), "resolution");
}

static ck_effect read_begun(const ck_asking *self, const ck_begun_effect *begun,
                            const ck_event *event) {
  const ck_timeline *timeline = ck_asking_timeline(self, event->timeline);
  ck_effect effect = {.scope = begun->scope, .key = begun->key, .agent = begun->agent};
  ck_begun_effect_read(&effect, ck_value_bytes(begun->intent));
  if (timeline) effect.attempt = timeline->attempt;
  return effect;
}

static ck_status ask_doubt(ck_asking *self, ck_rerun_place *place, const ck_event *event) {
  const ck_begun_effect *begun =
      place->about ? ck_begun_effects_get(&self->effects, place->about) : NULL;
  ck_effect effect = {.scope = "main", .key = ""};
  ck_unknown unknown = {0};
  ck_doubt_answer answer = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status asked = CK_OK;
  if (begun)
    effect = read_begun(self, begun, event);
  else
    ck_unknown_add(&unknown, "effect");
  if (begun && (begun->masked || ck_begun_effect_is_masked(effect.request))) {
    ck_unknown_add(&unknown, "effect.request");
    ck_unknown_add(&unknown, "effect.arguments");
  }
  ck_asking_watch(self, &unknown);
  if (self->engine.in_doubt)
    asked = self->engine.in_doubt(&answer, self->engine.self, &effect, &failure);
  answer.answers.hook = CK_HOOK_IN_DOUBT;
  ck_status status = take_words(&place->now, &answer.answers, self->err);
  if (status == CK_OK && answer.policy) place->now.policies = strdup(answer.policy);
  return status == CK_OK ? ck_asking_settle(self, place, asked, &failure) : status;
}

void ck_rerun_in_doubt_take(ck_asking *self, const ck_event *event) {
  ck_answers answers;
  ck_rerun_place *place;
  ck_bytes body = ck_value_bytes(event->body);
  ck_rerun_read_answers(&answers, event, CK_HOOK_IN_DOUBT);
  if (!answers.hook && (ck_asking_was_asked(self, event->timeline) || !is_doubt(event))) return;
  char *key = event->kind == CK_EVENT_SESSION_PAUSED ? find_stopped(self, body)
                                                     : ck_json_dup_string(ck_json_get(body, "key"));
  self->status = open_place(&place, self, event, key, &answers);
  free(key);
  if (self->status != CK_OK) return;
  place->then.policies = ck_json_dup_string(ck_json_get(body, "policy"));
  self->status = ask_doubt(self, place, event);
}
