/* action.c - what an agent wants to do in its turn: asked about, and told. */
#include "core/runtime/execution/action.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/execution/call_permit.h"
#include "core/runtime/execution/permit_question.h"
#include "core/runtime/execution/untrusted.h"

enum { ACTIONS_MAX = 10000, DIGEST_SHOWN = 12 };

static const char no_rule[] =
    "no policy allows it, and the profile has no rule for it in `permissions`";
static const char no_option[] = "the agent offers nothing that allows it once";
static const char for_ever[] =
    "; it offers no allow for this once: allow means its allow_always, for all that it takes for "
    "the same";

/* ---- the action as a call ---- */

static bool is_same_value(const ck_value *a, const ck_value *b) {
  return a && b && ck_bytes_equal(ck_value_bytes(a), ck_value_bytes(b));
}

/* The ordinal among those of this turn that want the same; one that the agent asks about again is
 * none more. */
static unsigned number(ck_action_question *self) {
  const ck_runner *runner = self->of->runner;
  unsigned count = 1;
  for (size_t i = 0; i < runner->call_count; i++) {
    ck_action_question *other = runner->calls[i]->action;
    if (!other || other->of != self->of || other->turn != self->turn || other->first ||
        strcmp(other->call->digest, self->call->digest) != 0)
      continue;
    if (is_same_value(other->id, self->id)) self->first = other;
    count++;
  }
  return count;
}

static ck_status make_key(ck_action_question *self, ck_error *err) {
  ck_call *call = self->call;
  int len =
      snprintf(call->key, sizeof call->key, "%s/%s/%.*s/%u", self->of->key,
               ck_effect_kind_name(call->effect.kind), DIGEST_SHOWN, call->digest, number(self));
  if (len < 0 || (size_t)len >= sizeof call->key)
    return ck_error_set(err, CK_E_RANGE, "the key \"%.64s…\" is too long for one below it",
                        self->of->key);
  call->effect.key = call->key;
  return CK_OK;
}

static ck_status copy(ck_value **out, ck_bytes json, ck_error *err) {
  return json.len ? ck_value_copy(out, json, err) : CK_OK;
}

static ck_status fill(ck_action_question *self, const ck_action *action, ck_error *err) {
  const ck_effect *prompt = &self->of->effect;
  ck_call *call = self->call;
  ck_status status = copy(&self->id, action->call, err);
  if (status == CK_OK) status = copy(&self->option, action->option, err);
  if (status == CK_OK) status = ck_value_copy(&self->request, action->request, err);
  if (status != CK_OK) return status;
  call->effect = (ck_effect){.scope = prompt->scope,
                             .attempt = prompt->attempt,
                             .kind = CK_EFFECT_AGENT_TOOL,
                             .class = action->class,
                             .agent = prompt->agent,
                             .depth = prompt->depth,
                             .request = ck_value_bytes(self->request),
                             .reserve_tokens = -1};
  call->class = action->class;
  status = ck_untrusted_show_action(call, self->of, err);
  if (status == CK_OK) status = ck_call_redact_request(call, err);
  if (status != CK_OK) return status;
  ck_request_digest(call->digest, &call->effect, ck_value_bytes(call->request));
  return make_key(self, err);
}

static ck_status make(ck_call **out, ck_call *of, const ck_action *action, ck_error *err) {
  ck_call *call = calloc(1, sizeof *call);
  *out = call;
  if (!call) return ck_error_no_memory(err);
  call->runner = of->runner;
  call->phase = CK_CALL_LEFT;
  call->action = calloc(1, sizeof *call->action);
  if (!call->action) return ck_error_no_memory(err);
  *call->action = (ck_action_question){.call = call,
                                       .of = of,
                                       .turn = of->ticket,
                                       .rule = action->rule,
                                       .lasts = action->lasts,
                                       .answered = action->answered,
                                       .to = action->to};
  return fill(call->action, action, err);
}

/* ---- the word ---- */

static bool was_anyone_asked(const ck_answers *answers) {
  uint64_t asked = 0;
  for (int i = 0; i < CK_ANSWER_COUNT; i++) asked |= answers->policies[i];
  return asked != 0;
}

static void append_question(ck_buffer *out, const ck_call *self) {
  ck_bytes request = ck_value_bytes(self->request);
  ck_buffer_append_text(out, "the agent '");
  ck_json_read_string(out, ck_json_get(request, "process"));
  ck_buffer_append_text(out, "' asks for permission: ");
  ck_json_read_string(out, ck_json_get(request, "title"));
  ck_buffer_append_format(out, " (%s)", self->label);
  if (self->action->lasts) ck_buffer_append_text(out, for_ever);
}

/* What policies ask says nothing of the agent's options. */
static ck_status warn(ck_leave *leave, ck_error *err) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, leave->text ? leave->text : "");
  ck_buffer_append_text(&text, for_ever);
  free(leave->text);
  leave->text = ck_buffer_take(&text);
  return leave->text ? CK_OK : ck_error_no_memory(err);
}

/* The profile's rule is one word more: the stricter one counts. */
static ck_status add_rule(ck_call *self, ck_error *err) {
  ck_leave *leave = &self->leave;
  ck_permit rule = self->action->rule;
  ck_buffer text = {0};
  bool unset = rule == CK_PERMIT_UNSET && leave->word == CK_LEAVE_ALLOW && !leave->approved;
  bool asks = rule == CK_PERMIT_ASK && leave->word == CK_LEAVE_ALLOW;
  bool denies = unset || (!self->action->option && leave->word != CK_LEAVE_DENY);
  bool warns = self->action->lasts && leave->word == CK_LEAVE_ASK && !denies;
  if (warns) return warn(leave, err);
  if (!denies && !asks) return CK_OK;
  if (denies)
    ck_buffer_append_text(&text, unset ? no_rule : no_option);
  else
    append_question(&text, self);
  free(leave->policies);
  free(leave->text);
  leave->word = denies ? CK_LEAVE_DENY : CK_LEAVE_ASK;
  leave->policies = strdup(CK_LEAVE_BY_RULES);
  leave->text = ck_buffer_take(&text);
  return leave->policies && leave->text ? CK_OK : ck_error_no_memory(err);
}

/* *asked: a policy has a word in it, or the profile has a person asked. */
static ck_status judge(bool *asked, ck_call *self, ck_error *err) {
  bool denied, may = false;
  ck_status status = ck_permit_judge(&denied, self, err);
  *asked = denied || self->action->rule == CK_PERMIT_ASK || was_anyone_asked(&self->leave.answers);
  if (status != CK_OK || denied || !*asked) return status;
  status = add_rule(self, err);
  if (status == CK_OK && self->leave.word == CK_LEAVE_DENY) return ck_permit_deny(self, err);
  if (status == CK_OK) status = ck_permit_ask(&may, self, err);
  return status == CK_OK && may ? ck_action_allow(self, err) : status;
}

static ck_status add(ck_call *self, ck_error *err) {
  ck_runner *runner = self->runner;
  if (runner->call_count >= ACTIONS_MAX)
    return ck_error_set(err, CK_E_REFUSED, "the agent wants more than %d things in one turn",
                        ACTIONS_MAX);
  ck_call **calls = reallocarray(runner->calls, runner->call_count + 1, sizeof(ck_call *));
  if (!calls) return ck_error_no_memory(err);
  runner->calls = calls;
  calls[runner->call_count++] = self;
  ck_runner_wake(runner);
  ck_waker_wake(runner->execution->options.waker);
  return CK_OK;
}

ck_status ck_action_ask(ck_action_question **out, ck_effect_sink *sink, const ck_action *action,
                        ck_error *err) {
  ck_call *of = ((ck_call_sink *)sink)->call, *call;
  bool asked = true;
  *out = NULL;
  if (!ck_call_session(of)->policies->permit && action->rule != CK_PERMIT_ASK) return CK_OK;
  ck_status status = make(&call, of, action, err);
  if (status == CK_OK && !call->action->first) status = judge(&asked, call, err);
  if (status == CK_OK && asked) status = add(call, err);
  if (status == CK_OK && asked)
    *out = call->action;
  else if (call)
    ck_call_free(call);
  return status;
}

/* ---- told ---- */

/* False: it is not decided. */
static bool find_word(ck_action_word *out, const ck_action_question *self) {
  const ck_call *call = self->first ? self->first->call : self->call;
  bool done = call->phase == CK_CALL_DONE;
  *out = !done ? CK_ACTION_LATER : call->action->allowed ? CK_ACTION_ALLOWED : CK_ACTION_DENIED;
  return done || call->phase == CK_CALL_WAITING || call->phase == CK_CALL_LEFT;
}

bool ck_action_tell(ck_call *self) {
  ck_action_question *action = self->action;
  ck_action_word word;
  if (action->told || !find_word(&word, action)) return false;
  const ck_call *call = action->first ? action->first->call : self;
  bool person = word != CK_ACTION_LATER && call->leave.word == CK_LEAVE_ASK;
  const char *denied = call->outcome ? call->outcome->error : NULL;
  action->told = true;
  action->answered(action->to, word, person,
                   word == CK_ACTION_DENIED && denied ? denied
                   : call->leave.text                 ? call->leave.text
                                                      : call->key);
  return true;
}

/* The question stays: a turn that goes again may find its answer. */
void ck_action_forget(ck_effect_sink *sink, ck_action_question *question) {
  ck_call *self = question->call;
  (void)sink;
  question->told = true;
  if (self->phase == CK_CALL_DRIVER && self->run &&
      self->driver->withdraw(self->driver->self, self->run, "its turn has ended"))
    ck_permit_put_back(self);
  if (self->phase == CK_CALL_WAITING) self->phase = CK_CALL_LEFT;
}

ck_status ck_action_go_again(ck_call *self, ck_error *err) {
  ck_call *of = self->action->of;
  if (!self->action->told) return CK_OK;
  self->phase = CK_CALL_DONE;
  self->action->late = true;
  return of->phase == CK_CALL_WAITING ? ck_action_resume_turn(of, err) : CK_OK;
}

static bool is_answered(const ck_call *of) {
  const ck_runner *runner = of->runner;
  for (size_t i = 0; i < runner->call_count; i++) {
    const ck_action_question *action = runner->calls[i]->action;
    if (action && action->of == of && action->turn == of->ticket && action->late) return true;
  }
  return false;
}

ck_status ck_action_resume_turn(ck_call *of, ck_error *err) {
  ck_runner *runner = of->runner;
  if (of->asks_limit || !is_answered(of)) return CK_OK;
  for (size_t i = 0; i < runner->call_count; i++) {
    ck_call *call = runner->calls[i];
    if (!call->action || call->action->of != of) continue;
    if (call->question) call->question->open = false;
    call->phase = CK_CALL_DONE;
  }
  return ck_call_commit_intent(of, err);
}
