/* resume_words.c - gathers rules, refusals and questions of policies about a resume. */
#include "lua/policy/resume_words.h"

#include <stdlib.h>
#include <string.h>

void ck_resume_words_begin(resume_words *self, ck_resume_rules *out, const ck_profile_rules *from) {
  *out = (ck_resume_rules){.budget = from->budget,
                           .time = from->time,
                           .rounds = from->rounds,
                           .tokens = from->tokens,
                           .tool_calls = from->tool_calls,
                           .model_calls = from->model_calls};
  *self = (resume_words){.out = out, .refuses = ck_resume_rules_refuse(out)};
}

/* A failure refuses, with its text as the reason; the first refusal stays. A rule of the profile
 * that refuses was there before. */
ck_status ck_resume_words_add(resume_words *self, const char *policy, ck_leave_word word,
                              const ck_buffer *text, ck_status status, ck_error *err) {
  ck_resume_rules *out = self->out;
  bool says = status != CK_OK || word == CK_LEAVE_DENY;
  bool ruled = ck_resume_rules_refuse(out) && !self->refuses && !out->refused_by;
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
  bool taken = ck_leave_words_take(&all, &self->asks);
  bool refused = status != CK_OK || out->refusal || ck_resume_rules_refuse(out);
  if (asks && !refused && taken) {
    out->question = all.text;
    out->asked_by = all.policies;
    return CK_OK;
  }
  ck_leave_clear(&all);
  return status == CK_OK && asks && !taken ? ck_error_no_memory(err) : status;
}
