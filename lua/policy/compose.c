/* compose.c - asks each policy of the list, and makes one answer of theirs. */
#include "lua/policy/compose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/ask.h"
#include "lua/policy/leave_words.h"
#include "lua/policy/select.h"
#include "lua/vm/json.h"

/* One question to the whole list. */
typedef struct question {
  asking call;       /* hook and arguments for each policy, and where its answer goes */
  const char *agent; /* whose policies are asked; NULL: those of the profile alone */
  const char *key;   /* redact: of the item; NULL: it has none */
  void *out;         /* the answer so far */
  bool settled;      /* no further policy is asked */
  bool refuses;      /* resume: the profile's rules do */
  /* Merges `answered` into `out`; `status`: of the call, which may have failed. Gives the status of
   * call and merge. NULL: the call points to the answer. */
  ck_status (*merge)(struct question *self, const asking *answered, ck_status status,
                     ck_error *err);
} question;

/* The first failure is the answer's status; the answers of later ones are closed all the same. */
static ck_status ask_each(policy_list *self, question *about, ck_error *err) {
  ck_error found;
  ck_status first = CK_OK;
  policy_hook hook = about->call.hook;
  for (size_t i = 0; i < self->count && !about->settled; i++) {
    asking call = about->call;
    call.policy = ck_policy_select(self, i, about->call.hook, about->agent, about->key);
    if (!call.policy) continue;
    call.place = (size_t)(call.policy - self->policies);
    ck_status status = ck_policy_ask(&call, &found);
    if (about->merge) status = about->merge(about, &call, status, &found);
    if (status != CK_OK && first == CK_OK) {
      first = status;
      if (err) *err = found;
    }
    if (status != CK_OK && ck_policy_hooks[hook].rule == HOOK_ENDS_AT_FAILURE) break;
  }
  return first;
}

/* ---- checkpoint ---- */

static int answer_of(const asking *answered, ck_status status) {
  if (status != CK_OK) return CK_ANSWER_FAILED;
  if (!answered->decision.take) return CK_ANSWER_NO;
  return answered->decision.sync ? CK_ANSWER_SYNC : CK_ANSWER_YES;
}

static ck_status merge_checkpoint(question *self, const asking *answered, ck_status status,
                                  ck_error *err) {
  ck_decision *out = self->out;
  (void)err;
  ck_answers_put(&out->answers, answered->place, answer_of(answered, status));
  out->take |= status != CK_OK || answered->decision.take;
  out->sync |= status != CK_OK || answered->decision.sync;
  return status;
}

static ck_status take_reasons(ck_decision *out, policy_list *self, ck_error *err) {
  if (self->text.len == 0 && !self->text.failed) return CK_OK;
  ck_buffer_append_char(&self->text, ']');
  ck_status status = ck_value_from(&out->reasons, &self->text, err);
  if (status == CK_OK) return CK_OK;
  out->take = out->sync = true;
  ck_buffer_clear(&self->text);
  return status;
}

static ck_status engine_checkpoint(ck_decision *out, void *self, const ck_boundary *at,
                                   ck_error *err) {
  policy_list *own = self;
  *out = (ck_decision){0};
  ck_buffer_reset(&own->text);
  ck_view_count(&own->counts, at);
  question about = {.agent = at->agent, .out = out, .merge = merge_checkpoint};
  about.call =
      (asking){.hook = POLICY_checkpoint, .subject = at, .text = &own->text, .counts = own->counts};
  ck_status first = ask_each(own, &about, err);
  ck_status status = take_reasons(out, own, first == CK_OK ? err : NULL);
  return first == CK_OK ? status : first;
}

/* ---- prune ---- */

static ck_status list_by_id(const ck_checkpoint_info ***out, const ck_history *history,
                            ck_error *err) {
  *out = calloc(history->count + 1, sizeof **out);
  if (!*out) return ck_error_no_memory(err);
  for (size_t i = 0; i < history->count; i++) (*out)[i] = &history->checkpoints[i];
  qsort(*out, history->count, sizeof **out, ck_answer_compare_ids);
  return CK_OK;
}

static ck_status merge_prune(question *self, const asking *answered, ck_status status,
                             ck_error *err) {
  ck_prune_plan *out = self->out;
  int said = status == CK_OK ? answered->planned : 1 << CK_ANSWER_FAILED;
  (void)err;
  for (int answer = 0; answer < CK_ANSWER_COUNT; answer++) {
    if (said >> answer & 1) ck_answers_put(&out->answers, answered->place, answer);
  }
  return status;
}

static ck_status engine_prune(ck_prune_plan *out, void *self, const ck_history *history,
                              ck_error *err) {
  const ck_checkpoint_info **by_id;
  ck_status status = list_by_id(&by_id, history, err);
  question about = {.out = out, .merge = merge_prune};
  about.call = (asking){.hook = POLICY_prune, .subject = history, .by_id = by_id, .plan = out};
  if (status == CK_OK) status = ask_each(self, &about, err);
  for (size_t i = 0; i < history->count; i++)
    out->drop[i] = status == CK_OK && out->drop[i] && !out->keep[i];
  free(by_id);
  return status;
}

/* ---- redact ---- */

/* The answer to an item so far: `item` as the next policy sees it, `shown` the value in place of
 * one that was removed. */
typedef struct removal {
  ck_redaction *out;
  ck_item item;
  ck_value *shown;  /* owned; NULL: the value itself */
  const char *last; /* the policy that changed it last; NULL: none has */
  ck_answers answers;
} removal;

/* How much a verdict removes. A reference can be filled again; a mask leaves its mark. */
static int strength(ck_redact_verdict verdict) {
  static const int strengths[] = {[CK_REDACT_LEAVE] = 0,
                                  [CK_REDACT_REPLACE] = 1,
                                  [CK_REDACT_REF] = 2,
                                  [CK_REDACT_MASK] = 3,
                                  [CK_REDACT_DROP] = 4};
  return strengths[verdict];
}

static bool is_excluded(const policy_list *self, const char *key) {
  if (!key || strncmp(key, "memory.", 7) != 0) return false;
  for (char **name = self->excluded; *name; name++) {
    if (strcmp(key + 7, *name) == 0) return true;
  }
  return false;
}

static void clear_redaction(ck_redaction *self) {
  free(self->ref);
  ck_value_free(self->value);
  *self = (ck_redaction){0};
}

static ck_status take_verdict(ck_redaction *out, const asking *answered, ck_error *err) {
  bool again = out->verdict == CK_REDACT_REPLACE && answered->verdict == CK_REDACT_REPLACE;
  if (!again && strength(answered->verdict) <= strength(out->verdict)) return CK_OK;
  clear_redaction(out);
  out->verdict = answered->verdict;
  if (answered->verdict == CK_REDACT_REPLACE)
    return ck_value_from(&out->value, answered->text, err);
  if (answered->verdict != CK_REDACT_REF) return CK_OK;
  out->ref = answered->text->failed ? NULL : strdup(answered->text->data);
  return out->ref ? CK_OK : ck_error_no_memory(err);
}

/* The value that policies see after a removal. */
static ck_status show_removed(removal *of, ck_error *err) {
  ck_value *shown = NULL;
  ck_status status = CK_OK;
  if (of->out->verdict == CK_REDACT_REPLACE)
    shown = ck_value_share(of->out->value);
  else
    status = ck_value_text(&shown, ck_bytes_text("[redacted]"), err);
  if (status != CK_OK) return status;
  ck_value_free(of->shown);
  of->item.value = of->shown = shown;
  return CK_OK;
}

/* What a redact hook says of its failure can hold what it was to mask, and errors are kept: only
 * where it failed is told. ckrun's own words of a spent budget, or of the answer, stay. */
static void hide_message(const asking *of, ck_error *err) {
  const loaded_policy *policy = of->policy;
  const char *file = strstr(err->text, policy->file), *end = NULL;
  if (of->answered || ck_vm_get_overrun(policy->vm) != CK_VM_WITHIN) return;
  if (file) end = strchr(file + strlen(policy->file) + 1, ':');
  int place = end ? (int)(end - err->text) : 0;
  char text[sizeof err->text];
  snprintf(text, sizeof text,
           "%.*s%sit failed; its message is not kept, for it can hold what is to be masked "
           "(ckrun policy test shows it)",
           place, err->text, place ? ": " : "");
  memcpy(err->text, text, sizeof text);
}

static ck_status merge_redact(question *self, const asking *answered, ck_status status,
                              ck_error *err) {
  removal *of = self->out;
  if (status != CK_OK && status != CK_E_NO_MEMORY) hide_message(answered, err);
  if (status == CK_OK) ck_answers_put(&of->answers, answered->place, (int)answered->verdict);
  if (status == CK_OK) status = take_verdict(of->out, answered, err);
  if (status == CK_OK && of->out->verdict != CK_REDACT_LEAVE) status = show_removed(of, err);
  if (status == CK_OK && answered->verdict != CK_REDACT_LEAVE) of->last = answered->policy->name;
  self->settled = of->out->verdict == CK_REDACT_DROP;
  return status;
}

/* All policies in turn. `last`: who changed the item last. */
static ck_status ask_redact(ck_redaction *out, const char **last, policy_list *self,
                            const ck_item *given, ck_error *err) {
  removal of = {.out = out, .item = *given};
  question about = {.key = given->key, .out = &of, .merge = merge_redact};
  about.call = (asking){.hook = POLICY_redact, .subject = &of.item, .text = &self->text};
  *out = (ck_redaction){0};
  ck_status status = ask_each(self, &about, err);
  ck_value_free(of.shown);
  out->answers = of.answers;
  *last = of.last;
  return status;
}

/* What is written is redacted again, at each resume: texts that would then be other ones are not
 * written. */
static ck_status check_lasting(policy_list *self, const ck_item *given, const ck_value *value,
                               ck_error *err) {
  ck_redaction again;
  const char *last;
  ck_item item = *given;
  item.value = value;
  ck_status status = ask_redact(&again, &last, self, &item, err);
  bool same = again.verdict == CK_REDACT_LEAVE ||
              (again.verdict == CK_REDACT_REPLACE &&
               ck_bytes_equal(ck_value_bytes(again.value), ck_value_bytes(value)));
  clear_redaction(&again);
  if (status != CK_OK || same) return status;
  return ck_error_set(err, CK_E_POLICY,
                      "policy \"%s\", redact: asked about the text that the policies had made of "
                      "it, it changes that again; leave what is masked as it is",
                      last);
}

static ck_status engine_redact(ck_redaction *out, void *self, const ck_item *given, ck_error *err) {
  policy_list *own = self;
  const char *last;
  *out = (ck_redaction){.verdict = CK_REDACT_DROP};
  if (is_excluded(own, given->key)) return CK_OK;
  ck_status status = ask_redact(out, &last, own, given, err);
  if (status == CK_OK && out->verdict == CK_REDACT_REPLACE)
    status = check_lasting(own, given, out->value, err);
  if (status == CK_OK) return CK_OK;
  clear_redaction(out);
  out->verdict = CK_REDACT_DROP;
  return status;
}

/* ---- resume ---- */

static ck_resume_rules begin_rules(const ck_profile_rules *from) {
  return (ck_resume_rules){.budget = from->budget,
                           .time = from->time,
                           .rounds = from->rounds,
                           .tokens = from->tokens,
                           .tool_calls = from->tool_calls,
                           .model_calls = from->model_calls};
}

static bool any_refuses(const ck_resume_rules *rules) {
  const ck_rule all[] = {rules->budget, rules->time,       rules->rounds,
                         rules->tokens, rules->tool_calls, rules->model_calls};
  bool any = false;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) any |= all[i] == CK_RULE_REFUSE;
  return any;
}

/* A failure refuses, with its text as the reason; the first refusal stays. A rule of the profile
 * that refuses was there before. */
static ck_status merge_resume(question *self, const asking *answered, ck_status status,
                              ck_error *err) {
  ck_resume_rules *out = self->out;
  bool says = status != CK_OK || answered->text->len > 0;
  bool ruled = any_refuses(out) && !self->refuses && !out->refused_by;
  if ((says && !out->refusal) || ruled) out->refused_by = answered->policy->name;
  if (status == CK_OK && answered->text->failed) status = ck_error_no_memory(err);
  if (status == CK_OK && answered->text->len == 0) return CK_OK;
  if (out->refusal) return status;
  out->refusal = strdup(status == CK_OK ? answered->text->data : err->text);
  if (!out->refusal && status == CK_OK) status = ck_error_no_memory(err);
  return status;
}

static ck_status engine_resume(ck_resume_rules *out, void *self, const ck_resume_case *subject,
                               ck_error *err) {
  policy_list *own = self;
  *out = begin_rules(&own->rules);
  question about = {.out = out, .merge = merge_resume, .refuses = any_refuses(out)};
  about.call =
      (asking){.hook = POLICY_resume, .subject = subject, .rules = out, .text = &own->text};
  return ask_each(own, &about, err);
}

/* ---- tail ---- */

static ck_status merge_tail(question *self, const asking *answered, ck_status status,
                            ck_error *err) {
  bool *out = self->out;
  (void)err;
  *out = status == CK_OK && answered->truth;
  self->settled = !*out;
  return status;
}

static ck_status engine_tail(bool *out, void *self, const ck_event *event, const char *agent,
                             ck_error *err) {
  *out = true;
  question about = {.agent = agent, .out = out, .merge = merge_tail};
  about.call = (asking){.hook = POLICY_tail, .subject = event, .agent = agent};
  return ask_each(self, &about, err);
}

/* ---- on_failure, in_doubt ---- */

/* The first answer: its word, and how long to wait before it is carried out. */
typedef struct first_answer {
  int word; /* -1: none */
  int64_t wait_ms;
  const char *policy; /* whose it is */
  ck_answers answers; /* those of who was asked until then, by word + 1; 0: no opinion */
} first_answer;

static ck_status merge_word(question *self, const asking *answered, ck_status status,
                            ck_error *err) {
  first_answer *out = self->out;
  (void)err;
  if (status == CK_OK) {
    out->word = answered->word;
    out->wait_ms = answered->wait_ms;
    out->policy = answered->policy->name;
  }
  ck_answers_put(&out->answers, answered->place,
                 status == CK_OK ? answered->word + 1 : CK_ANSWER_FAILED);
  self->settled = out->word >= 0;
  return status;
}

static ck_status engine_on_failure(ck_failure_answer *out, void *self, const ck_failure *failure,
                                   ck_error *err) {
  first_answer first = {.word = -1};
  question about = {.agent = failure->agent, .out = &first, .merge = merge_word};
  about.call = (asking){.hook = POLICY_on_failure, .subject = failure, .word = -1};
  ck_status status = ask_each(self, &about, err);
  if (status != CK_OK)
    *out = (ck_failure_answer){.word = CK_FAILURE_PAUSE};
  else if (first.word >= 0)
    *out = (ck_failure_answer){.word = (ck_failure_word)first.word, .wait_ms = first.wait_ms};
  out->answers = first.answers;
  return status;
}

static ck_status engine_in_doubt(ck_doubt_answer *out, void *self, const ck_effect *effect,
                                 ck_error *err) {
  first_answer first = {.word = -1};
  question about = {.agent = effect->agent, .out = &first, .merge = merge_word};
  about.call = (asking){.hook = POLICY_in_doubt, .subject = effect, .word = -1};
  ck_status status = ask_each(self, &about, err);
  if (status != CK_OK)
    *out = (ck_doubt_answer){.word = CK_DOUBT_STOP};
  else if (first.word >= 0)
    *out = (ck_doubt_answer){(ck_doubt_word)first.word, first.policy};
  return status;
}

/* ---- permit ---- */

/* A policy that fails asks, and says of what it failed. */
static ck_status merge_permit(question *self, const asking *answered, ck_status status,
                              ck_error *err) {
  leave_words *out = self->out;
  const char *policy = answered->policy->name;
  if (status != CK_OK)
    ck_leave_words_add(out, policy, CK_LEAVE_ASK, ck_bytes_text(err->text));
  else if (answered->word != CK_LEAVE_ALLOW)
    ck_leave_words_add(out, policy, (ck_leave_word)answered->word, ck_buffer_bytes(answered->text));
  self->settled = out->word == CK_LEAVE_DENY;
  return status;
}

static ck_status engine_permit(ck_leave *out, void *self, const ck_effect *effect,
                               const ck_boundary *at, ck_error *err) {
  policy_list *own = self;
  leave_words words = {.word = CK_LEAVE_ALLOW};
  question about = {.agent = effect->agent, .out = &words, .merge = merge_permit};
  about.call = (asking){.hook = POLICY_permit, .subject = effect, .at = at, .text = &own->text};
  ck_status status = ask_each(own, &about, err);
  return ck_leave_words_take(out, &words) ? status : ck_error_no_memory(err);
}

/* ---- migrate ---- */

static ck_status merge_migrate(question *self, const asking *answered, ck_status status,
                               ck_error *err) {
  ck_value **out = self->out;
  (void)err;
  if (status == CK_OK && !answered->document) return CK_OK;
  ck_value_free(*out);
  *out = status == CK_OK ? answered->document : NULL;
  if (status != CK_OK) ck_value_free(answered->document);
  self->call.subject = *out;
  return status;
}

static ck_status engine_migrate(ck_value **out, void *self, const ck_value *doc, int from, int to,
                                ck_error *err) {
  *out = ck_value_share(doc);
  question about = {.out = out, .merge = merge_migrate};
  about.call = (asking){.hook = POLICY_migrate, .subject = *out, .from = from, .to = to};
  return ask_each(self, &about, err);
}

/* ---- the engine ---- */

static bool any_has(const policy_list *self, policy_hook hook) {
  for (size_t i = 0; i < self->count; i++) {
    if (ck_policy_has(&self->policies[i], hook)) return true;
  }
  return false;
}

static bool has_rules(const ck_profile_rules *rules) {
  return rules->budget || rules->time || rules->rounds || rules->tokens || rules->tool_calls ||
         rules->model_calls;
}

void ck_policy_compose(ck_policy_engine *out, policy_list *self) {
  out->self = self;
#define X(name, ...) \
  if (any_has(self, POLICY_##name)) out->name = engine_##name;
  CK_POLICY_HOOK_TABLE(X)
#undef X
  if (self->excluded[0]) out->redact = engine_redact;
  if (has_rules(&self->rules)) out->resume = engine_resume;
}
