/* resume_words.c - gathers rules, refusals and questions of policies about a resume. */
#include "lua/policy/resume_words.h"

#include <stdlib.h>
#include <string.h>

/* The rule for a dimension is to refuse. */
static bool rules_refuse(const ck_resume_rules *self) {
  const ck_rule all[] = {self->budget, self->time,       self->rounds,
                         self->tokens, self->tool_calls, self->model_calls};
  bool any = false;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) any |= all[i] == CK_RULE_REFUSE;
  return any;
}

void ck_resume_words_begin(resume_words *self, ck_resume_rules *out, const ck_profile_rules *from) {
  *out = (ck_resume_rules){.budget = from->budget,
                           .time = from->time,
                           .rounds = from->rounds,
                           .tokens = from->tokens,
                           .tool_calls = from->tool_calls,
                           .model_calls = from->model_calls};
  *self = (resume_words){.out = out, .refuses = rules_refuse(out)};
}

static bool any_said(const ck_resume_rules *out) {
  bool any = false;
  for (size_t i = 0; i < sizeof out->said / sizeof *out->said; i++) any |= out->said[i] != 0;
  return any;
}

void ck_resume_words_write_rules(ck_json_writer *w, const ck_rule rules[CK_RESUME_RULES]) {
  static const char *const dimensions[CK_RESUME_RULES] = {"budget", "time",       "rounds",
                                                          "tokens", "tool_calls", "model_calls"};
  static const char *const words[] = {[CK_RULE_DEFAULT] = NULL,
                                      [CK_RULE_CONTINUE] = "continue",
                                      [CK_RULE_RESET] = "reset",
                                      [CK_RULE_REFUSE] = "refuse"};
  ck_json_name(w, "rules");
  ck_json_begin(w, '{');
  for (size_t i = 0; i < CK_RESUME_RULES; i++)
    ck_json_member_text(w, dimensions[i], words[rules[i]]);
  ck_json_end(w, '}');
}

/* By name: a resume can have another list of policies than the run whose end it goes on from. */
static void note_answer(resume_words *self, const char *policy, ck_leave_word word, bool failed) {
  ck_json_writer w = {.out = &self->answers};
  bool rules = !failed && any_said(self->out);
  const char *answer = failed                  ? "failed"
                       : word == CK_LEAVE_DENY ? "refuse"
                       : word == CK_LEAVE_ASK  ? "ask"
                       : rules                 ? "rules"
                                               : "no opinion";
  ck_buffer_append_char(&self->answers, self->answers.len ? ',' : '[');
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "policy", policy);
  ck_json_member_text(&w, "answer", answer);
  if (rules) ck_resume_words_write_rules(&w, self->out->said);
  ck_json_end(&w, '}');
}

/* A failure refuses, with its text as the reason; the first refusal stays. A rule of the profile
 * that refuses was there before. */
ck_status ck_resume_words_add(resume_words *self, const char *policy, ck_leave_word word,
                              const ck_buffer *text, ck_status status, ck_error *err) {
  ck_resume_rules *out = self->out;
  bool says = status != CK_OK || word == CK_LEAVE_DENY;
  note_answer(self, policy, word, status != CK_OK);
  bool ruled = rules_refuse(out) && !self->refuses && !out->refused_by;
  if ((says && !out->refusal) || ruled) out->refused_by = policy;
  if (status == CK_OK && text->failed) status = ck_error_no_memory(err);
  if (status == CK_OK && word == CK_LEAVE_ASK)
    ck_leave_words_add(&self->asks, policy, word, ck_buffer_bytes(text));
  if (!says || out->refusal) return status;
  out->refusal = strdup(status == CK_OK ? text->data : err->text);
  if (!out->refusal && status == CK_OK) status = ck_error_no_memory(err);
  return status;
}

ck_status ck_resume_words_end(resume_words *self, ck_status status, ck_error *err) {
  ck_resume_rules *out = self->out;
  ck_leave all = {0};
  bool asks = self->asks.word == CK_LEAVE_ASK;
  if (self->answers.len) ck_buffer_append_char(&self->answers, ']');
  if (self->answers.failed && status == CK_OK) status = ck_error_no_memory(err);
  out->answers = self->answers.len ? ck_buffer_take(&self->answers) : NULL;
  bool taken = ck_leave_words_take(&all, &self->asks);
  bool refused = status != CK_OK || out->refusal || rules_refuse(out);
  if (asks && !refused && taken) {
    out->question = all.text;
    out->asked_by = all.policies;
    return CK_OK;
  }
  free(all.policies);
  free(all.text);
  return status == CK_OK && asks && !taken ? ck_error_no_memory(err) : status;
}
