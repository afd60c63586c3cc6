/* problems.c - collects the problems of one command, and tells them all at once. */
#include "core/host/print/problems.h"

#include <string.h>

void ck_problems_clear(ck_problems *self) {
  ck_buffer_clear(&self->texts);
  *self = (ck_problems){0};
}

static bool has_text(const ck_problems *self, const char *text) {
  const char *at = self->texts.data;
  for (size_t i = 0; i < self->count; i++, at += strlen(at) + 1)
    if (strcmp(at, text) == 0) return true;
  return false;
}

void ck_problems_take(void *to, const ck_error *problem) {
  ck_problems *self = to;
  ck_status status = problem->status;
  if (self->texts.failed || has_text(self, problem->text)) return;
  ck_buffer_append(&self->texts, problem->text, strlen(problem->text) + 1);
  if (self->texts.failed) return;
  self->count++;
  if (ck_status_exit(status) > ck_status_exit(self->verdict)) self->verdict = status;
}

static ck_status answer_with(const ck_problems *self, const char *subject, const char *text,
                             ck_error *err) {
  return ck_error_set(err, self->verdict, "%s%s%s", subject ? subject : "", subject ? ": " : "",
                      text);
}

ck_status ck_problems_answer(const ck_problems *self, ck_output *output, const char *subject,
                             ck_error *err) {
  ck_buffer all = {0};
  const char *text = self->texts.data;
  ck_status status = ck_buffer_check(&self->texts, err);
  if (status != CK_OK || self->count == 0) return status;
  if (self->count == 1) return answer_with(self, subject, text, err);
  for (size_t i = 0; i < self->count; i++, text += strlen(text) + 1) {
    ck_output_problem(output, text);
    ck_buffer_append_format(&all, "%s%s", i ? "; " : "", text);
  }
  if (output->json)
    status = answer_with(self, subject, all.failed ? "" : all.data, err);
  else
    status = ck_error_set(err, self->verdict, "%s%s%zu problems", subject ? subject : "",
                          subject ? ": " : "", self->count);
  ck_buffer_clear(&all);
  return status;
}
