/* compose.c - asks each policy of the list, and makes one answer of theirs. */
#include "lua/policy/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy/leave_words.h"
#include "lua/policy/resume_words.h"
#include "lua/policy/select.h"
#include "lua/vm/json.h"

ck_status ck_policy_ask_each(policy_list *self, question *about, ck_error *err) {
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
  ck_status first = ck_policy_ask_each(own, &about, err);
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
  if (status == CK_OK) status = ck_policy_ask_each(self, &about, err);
  for (size_t i = 0; i < history->count; i++)
    out->drop[i] = status == CK_OK && out->drop[i] && !out->keep[i];
  free(by_id);
  return status;
}

/* ---- resume ---- */

static ck_status merge_resume(question *self, const asking *answered, ck_status status,
                              ck_error *err) {
  return ck_resume_words_add(self->out, answered->policy->name, (ck_leave_word)answered->word,
                             answered->text, status, err);
}

static ck_status engine_resume(ck_resume_rules *out, void *self, const ck_resume_case *subject,
                               ck_error *err) {
  policy_list *own = self;
  resume_words words;
  ck_resume_words_begin(&words, out, &own->rules);
  question about = {.out = &words, .merge = merge_resume};
  about.call =
      (asking){.hook = POLICY_resume, .subject = subject, .rules = out, .text = &own->text};
  ck_status status = ck_policy_ask_each(own, &about, err);
  return ck_resume_words_end(&words, status, err);
}

/* ---- tail ---- */

typedef struct tail_answer {
  bool in;
  ck_answers *said;
} tail_answer;

static ck_status merge_tail(question *self, const asking *answered, ck_status status,
                            ck_error *err) {
  tail_answer *out = self->out;
  (void)err;
  out->in = status == CK_OK && answered->truth;
  ck_answers_put(out->said, answered->place,
                 status != CK_OK ? CK_ANSWER_FAILED
                 : out->in       ? CK_ANSWER_IN
                                 : CK_ANSWER_OUT);
  self->settled = !out->in;
  return status;
}

static ck_status engine_tail(bool *out, ck_answers *said, void *self, const ck_event *event,
                             const char *agent, ck_error *err) {
  tail_answer answer = {.in = true, .said = said};
  *said = (ck_answers){.hook = CK_HOOK_TAIL};
  question about = {.agent = agent, .out = &answer, .merge = merge_tail};
  about.call = (asking){.hook = POLICY_tail, .subject = event, .agent = agent};
  ck_status status = ck_policy_ask_each(self, &about, err);
  *out = answer.in;
  return status;
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
  ck_status status = ck_policy_ask_each(self, &about, err);
  if (status != CK_OK)
    *out = (ck_failure_answer){.word = CK_FAILURE_PAUSE};
  else if (first.word >= 0)
    *out = (ck_failure_answer){
        .word = (ck_failure_word)first.word, .wait_ms = first.wait_ms, .policy = first.policy};
  out->answers = first.answers;
  return status;
}

static ck_status engine_in_doubt(ck_doubt_answer *out, void *self, const ck_effect *effect,
                                 ck_error *err) {
  first_answer first = {.word = -1};
  question about = {.agent = effect->agent, .out = &first, .merge = merge_word};
  about.call = (asking){.hook = POLICY_in_doubt, .subject = effect, .word = -1};
  ck_status status = ck_policy_ask_each(self, &about, err);
  if (status != CK_OK)
    *out = (ck_doubt_answer){.word = CK_DOUBT_STOP};
  else if (first.word >= 0)
    *out = (ck_doubt_answer){.word = (ck_doubt_word)first.word, .policy = first.policy};
  out->answers = first.answers;
  return status;
}

/* ---- permit ---- */

/* A policy that fails asks, and says of what it failed. */
static ck_status merge_permit(question *self, const asking *answered, ck_status status,
                              ck_error *err) {
  leave_words *out = self->out;
  const char *policy = answered->policy->name;
  ck_answers_put(&out->answers, answered->place,
                 status == CK_OK ? answered->word : CK_ANSWER_FAILED);
  if (status != CK_OK)
    ck_leave_words_add(out, policy, CK_LEAVE_ASK, ck_bytes_text(err->text));
  else if (answered->word != CK_LEAVE_ALLOW)
    ck_leave_words_add(out, policy, (ck_leave_word)answered->word, ck_buffer_bytes(answered->text));
  else
    out->approved |= answered->text->len > 0;
  self->settled = out->word == CK_LEAVE_DENY;
  return status;
}

static ck_status engine_permit(ck_leave *out, void *self, const ck_effect *effect,
                               const ck_boundary *at, ck_error *err) {
  policy_list *own = self;
  leave_words words = {.word = CK_LEAVE_ALLOW};
  const ck_view_counts counts = ck_view_counts_between(at);
  question about = {.agent = effect->agent, .out = &words, .merge = merge_permit};
  about.call = (asking){
      .hook = POLICY_permit, .subject = effect, .at = at, .text = &own->text, .counts = counts};
  ck_status status = ck_policy_ask_each(own, &about, err);
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
  return ck_policy_ask_each(self, &about, err);
}

/* ---- the engine ---- */

static ck_status engine_redact(ck_redaction *out, void *self, const ck_item *item, ck_error *err) {
  return ck_policy_engine_redact(out, self, item, err);
}

static void engine_watch(void *self, const char *const *fields, const char **read) {
  policy_list *own = self;
  own->watch = (ck_view_watch){.fields = fields, .read = read};
  for (size_t i = 0; i < own->count; i++)
    for (int view = 0; view < CK_VIEW_COUNT; view++)
      own->policies[i].slots[view].watch = fields ? &own->watch : NULL;
}

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
  out->watch = engine_watch;
}
