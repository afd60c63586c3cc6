/* rerun_permit.c - asks permit again: of effects that were begun, put to a person, or denied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/ledger_body.h"
#include "core/runtime/session/boundary_event.h"
#include "core/runtime/simulation/hook_rerun_private.h"
#include "core/runtime/simulation/recording.h"

/* What became of the effect in this event. */
typedef struct judged {
  ck_effect effect;
  char *key, *tool;   /* owned */
  ck_buffer request;  /* of a call that its flow carries out: what is kept of its request */
  ck_bytes said;      /* that has the members policies and question or reason; no bytes: none */
  ck_bytes at;        /* what was shown of the place; no bytes: it is not recorded */
  bool begun, masked; /* masked: policies took something out of the event */
  bool bare;          /* of a call that its flow carries out: its tool is all that is kept of it */
} judged;

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), part = strlen(end);
  return len > part && strcmp(text + len - part, end) == 0;
}

/* The question is an effect of its own, below the one that it is about. */
static void read_question(judged *out, ck_bytes body) {
  out->said = ck_json_get(body, "request");
  ck_bytes about = ck_json_get(out->said, "effect");
  out->key[strlen(out->key) - strlen("/permit")] = 0;
  ck_begun_effect_read(&out->effect, about);
}

/* An earlier version kept no name. */
static void read_own(judged *out, ck_bytes body) {
  ck_json_writer w = {.out = &out->request};
  ck_bytes name = ck_json_get(body, "name");
  if (!name.len) return;
  ck_json_begin(&w, '{');
  ck_json_member_raw(&w, "name", name);
  ck_json_end(&w, '}');
  out->effect.request = ck_buffer_bytes(&out->request);
}

/* Policies saw the name of the model that was asked. */
static void read_asked(judged *out, ck_bytes model) {
  ck_value *asked = NULL;
  ck_error ignored = CK_ERROR_INIT;
  char *name = ck_json_dup_string(model);
  if (name && ck_effect_write_asked(&asked, out->effect.request, name, &ignored) == CK_OK) {
    ck_buffer_append_bytes(&out->request, ck_value_bytes(asked));
    out->effect.request = ck_buffer_bytes(&out->request);
  }
  ck_value_free(asked);
  free(name);
}

static void read_outcome(judged *out, ck_bytes body) {
  out->said = ck_json_get(body, "denied");
  out->bare = out->said.len == 0;
  out->at = ck_json_get(out->said, "at");
  out->effect.untrusted = (ck_bytes){0};
  if (out->bare)
    read_own(out, body);
  else
    ck_begun_effect_read(&out->effect, out->said);
}

/* False: nothing is decided here. */
static bool read_judged(judged *out, const ck_event *event) {
  ck_bytes body = ck_value_bytes(event->body);
  *out = (judged){.key = ck_json_dup_string(ck_json_get(body, "key"))};
  out->masked = ck_json_get(body, "redacted").len > 0;
  out->at = ck_json_get(body, "at");
  if (!out->key) return true;
  ck_begun_effect_read(&out->effect, body);
  bool intent = event->kind == CK_EVENT_INTENT;
  ck_bytes model = intent ? ck_json_get(body, "model") : (ck_bytes){0};
  if (intent && ends_with(out->key, "/permit"))
    read_question(out, body);
  else if (model.len)
    read_asked(out, model);
  else if (!intent)
    read_outcome(out, body);
  out->begun = intent && !out->said.len;
  ck_json_read_int(&out->effect.reserve_micros, ck_json_get(out->at, "reserve"));
  out->tool = ck_json_dup_string(ck_json_get(out->effect.request, "name"));
  out->effect.key = out->key;
  out->effect.scope = event->scope;
  out->effect.agent = event->agent;
  return true;
}

/* It begins after it was asked about: its question is an earlier event. */
static ck_bytes find_question(const ck_asking *self, const judged *of) {
  char key[2 * CK_STATE_KEY_MAX];
  if (!of->begun || !of->key) return of->said;
  snprintf(key, sizeof key, "%s/permit", of->key);
  const ck_begun_effect *asked = ck_begun_effects_get(&self->effects, key);
  if (!asked || asked->masked) return of->said;
  return ck_json_get(ck_value_bytes(asked->intent), "request");
}

/* Where no policy was asked: it was not begun before, as far as a run would know. What the flow
 * carries out is recorded each time that it is called. */
static bool would_be_asked(const ck_asking *self, const judged *of, const ck_event *event) {
  if (event->kind == CK_EVENT_OUTCOME)
    return ck_json_get(ck_value_bytes(event->body), "own").len > 0 && of->bare;
  if (!of->begun || !ck_effect_asks_leave(&of->effect)) return false;
  if (ck_json_get(ck_value_bytes(event->body), "held").len) return false;
  const ck_begun_effect *before = ck_begun_effects_get(&self->effects, of->key);
  if (!before) return true;
  ck_bytes then = ck_value_bytes(before->intent), now = ck_value_bytes(event->body);
  if (!ck_bytes_equal(ck_json_get(then, "digest"), ck_json_get(now, "digest")) ||
      !ck_bytes_equal(ck_json_get(then, "model"), ck_json_get(now, "model")))
    return true;
  return !before->open && !before->lost && before->timeline != event->timeline;
}

/* ---- what is not told ---- */

/* An intent has the reserve of its effect. */
static void add_place(ck_unknown *unknown, const judged *of) {
  for (const char *const *field = ck_boundary_place_fields + of->begun; *field; field++)
    ck_unknown_add(unknown, *field);
}

static void find_unknown(ck_unknown *out, const judged *of) {
  ck_bytes request = of->effect.request;
  bool masked = of->masked || !request.len || ck_begun_effect_is_masked(request);
  *out = (ck_unknown){0};
  if (!of->key) ck_unknown_add(out, "effect");
  if (!of->at.len) add_place(out, of);
  if (of->bare) {
    ck_unknown_add(out, "effect.class");
    ck_unknown_add(out, "effect.untrusted");
    ck_unknown_add(out, "at.next");
  }
  if (of->bare && masked) ck_unknown_add(out, "effect.tool");
  if (of->bare || masked) {
    ck_unknown_add(out, "effect.request");
    ck_unknown_add(out, "effect.arguments");
  }
}

/* ---- the question ---- */

/* The words of policies alone: to an agent's action the profile's rules have some, too. */
static bool is_whole(const ck_rerun_said *then, const judged *of) {
  bool rules = then->policies && strcmp(then->policies, CK_LEAVE_BY_RULES) == 0;
  bool said = strcmp(then->word, "deny") == 0 || strcmp(then->word, "ask") == 0;
  return said && then->text && !rules && !of->masked;
}

static ck_status take_then(ck_rerun_said *out, const judged *of, const ck_answers *answers,
                           ck_error *err) {
  ck_bytes question = ck_json_get(of->said, "question"), reason = ck_json_get(of->said, "reason");
  out->answers = *answers;
  if (!answers->hook) return CK_OK;
  out->word = ck_rerun_word(answers);
  out->policies = ck_json_dup_string(ck_json_get(of->said, "policies"));
  out->text = ck_json_dup_string(question.len ? question : reason);
  if (!out->word) return ck_error_no_memory(err);
  if (out->text && ends_with(out->text, CK_LEAVE_MASKED_HINT))
    out->text[strlen(out->text) - strlen(CK_LEAVE_MASKED_HINT)] = 0;
  out->whole = is_whole(out, of);
  return CK_OK;
}

/* Takes what `leave` owns. */
static ck_status take_now(ck_rerun_said *out, ck_leave *leave, ck_error *err) {
  leave->answers.hook = CK_HOOK_PERMIT;
  *out = (ck_rerun_said){.word = ck_rerun_word(&leave->answers),
                         .policies = leave->policies,
                         .text = leave->text,
                         .answers = leave->answers};
  return out->word ? CK_OK : ck_error_no_memory(err);
}

/* What is known of where the effect was to begin. */
static ck_status read_place(ck_boundary *out, const judged *of, const ck_event *event,
                            ck_error *err) {
  ck_status status = ck_recorded_place_read(out, event, of->at, err);
  free((char *)out->next.tool);
  out->next.tool = of->tool && *of->tool ? strdup(of->tool) : NULL;
  out->next.has_class = true;
  out->next.effect_class = of->effect.class;
  return status;
}

/* As the profile would show it; the text of its message as far as the transcript tells it. */
static void show_place(ck_boundary *at, ck_unknown *unknown, const ck_asking *self,
                       const ck_event *event) {
  static const ck_shown_message none = {0};
  const ck_shown_as as = ck_shown_as_profile(self->source->profile);
  const ck_shown_message *message = ck_permit_texts_get(&self->texts, event->seq);
  if (message && ck_shown_message_lacks(message, &as)) ck_unknown_add(unknown, "at.message");
  ck_shown_as_apply(at, &as, message ? message : &none);
}

static ck_status ask(ck_asking *self, ck_rerun_place *place, const judged *of,
                     const ck_event *event) {
  ck_unknown unknown;
  ck_boundary at, shown;
  ck_leave leave = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status asked = CK_OK, status = read_place(&at, of, event, self->err);
  find_unknown(&unknown, of);
  shown = at;
  show_place(&shown, &unknown, self, event);
  ck_asking_watch(self, &unknown);
  if (status == CK_OK && self->engine.permit)
    asked = self->engine.permit(&leave, self->engine.self, &of->effect, &shown, &failure);
  ck_recorded_place_clear(&at);
  if (status == CK_OK) status = take_now(&place->now, &leave, self->err);
  return status == CK_OK ? ck_asking_settle(self, place, asked, &failure) : status;
}

static bool is_same_text(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

/* The run behind an answer asks the policies again: the person has answered that already, as long
 * as nothing was made of it. */
static bool was_put(const ck_asking *self, const ck_rerun_place *place) {
  const ck_rerun_place *last = NULL;
  for (const ck_rerun_place *one = self->out->list; one < place; one++)
    if (is_same_text(one->about, place->about)) last = one;
  if (!last || !last->question || !is_same_text(last->now.text, place->now.text)) return false;
  const ck_begun_effect *begun = ck_begun_effects_get(&self->effects, place->about);
  return is_same_text(last->now.word, "ask") && (!begun || begun->seq < last->seq);
}

static void see_question(ck_rerun_place *place, const ck_asking *self, const ck_event *event,
                         const judged *of) {
  place->question = event->kind == CK_EVENT_INTENT && !of->begun;
  place->asks = is_same_text(place->now.word, "ask") && !(place->about && was_put(self, place));
}

void ck_rerun_permit_take(ck_asking *self, const ck_event *event) {
  judged of;
  ck_answers answers;
  ck_rerun_place *place;
  ck_rerun_read_answers(&answers, event, CK_HOOK_PERMIT);
  bool found = read_judged(&of, event);
  if (!answers.hook)
    found = found && of.key && !ck_asking_was_asked(self, event->timeline) &&
            would_be_asked(self, &of, event);
  if (found) self->status = ck_asking_open(self, event->timeline);
  if (found && self->status == CK_OK)
    self->status = ck_asking_add(&place, self, event->seq, of.key);
  if (found && (answers.policies[CK_LEAVE_ASK] || answers.policies[CK_ANSWER_FAILED]))
    of.said = find_question(self, &of);
  if (found && self->status == CK_OK)
    self->status = take_then(&place->then, &of, &answers, self->err);
  if (found && self->status == CK_OK) self->status = ask(self, place, &of, event);
  if (found && self->status == CK_OK) see_question(place, self, event, &of);
  free(of.key);
  free(of.tool);
  ck_buffer_clear(&of.request);
}
