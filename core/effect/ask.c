/* ask.c - hands questions to the asker, which puts them to a person. */
#include "core/effect/ask.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/utf8.h"
#include "core/effect/reply.h"

enum { SHOWN_MAX = 2000 }; /* bytes of what an effect would be called with */

#define NO_QUESTION "the flow waits for an answer"

typedef struct ask_driver ask_driver;

struct ck_effect_run {
  ask_driver *driver;
  ck_effect_sink *sink;
  ck_asking *asking;
  char *question;
  ck_outcome *spare; /* delivered when there is no memory for the true outcome */
  ck_effect_run *next, *previous;
};

struct ask_driver {
  ck_effect_driver driver;
  ck_asker *asker;
  ck_replies replies;
  ck_effect_run *runs;
};

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_ASK;
}

static void free_run(ck_effect_run *run) {
  if (!run) return;
  ck_outcome_free(run->spare);
  free(run->question);
  free(run);
}

static void unlink_run(ck_effect_run *run) {
  if (run->previous)
    run->previous->next = run->next;
  else
    run->driver->runs = run->next;
  if (run->next) run->next->previous = run->previous;
}

static ck_status make_failed(ck_outcome **out, ck_status class, const char *text, ck_error *err) {
  ck_error line = CK_ERROR_INIT;
  ck_error_set(&line, class, "%s", text);
  ck_status status = ck_outcome_new(out, CK_OUTCOME_FAILED, NULL, line.text, err);
  if (status == CK_OK) (*out)->error_status = class;
  return status;
}

static ck_status make_outcome(ck_outcome **out, const ck_effect_run *run, const ck_answer *answer,
                              ck_error *err) {
  if (answer->status == CK_E_WAITING) return make_failed(out, CK_E_WAITING, run->question, err);
  if (answer->status != CK_OK)
    return make_failed(out, answer->status, ck_status_text(answer->status), err);
  ck_value *text = NULL;
  *out = NULL;
  ck_status status = ck_value_text(&text, answer->text, err);
  if (status == CK_OK) status = ck_outcome_new(out, CK_OUTCOME_OK, text, NULL, err);
  ck_value_free(text);
  return status;
}

static void on_answered(void *to, const ck_answer *answer) {
  ck_effect_run *run = to;
  ck_effect_sink *sink = run->sink;
  ck_error ignored = CK_ERROR_INIT;
  ck_outcome *outcome = NULL;
  if (make_outcome(&outcome, run, answer, &ignored) != CK_OK) {
    outcome = run->spare;
    run->spare = NULL;
  }
  unlink_run(run);
  free_run(run);
  sink->done(sink, outcome);
}

/* The texts of the request's options; NULL-terminated, `*own` holds them. CK_OK with NULL: no
 * options. */
static ck_status read_options(const char ***out, ck_buffer *own, ck_bytes request, ck_error *err) {
  ck_bytes list = ck_json_get(request, "options");
  size_t count = ck_json_type_of(list) == CK_JSON_ARRAY ? ck_json_count(list) : 0, at = 0;
  *out = NULL;
  if (count == 0) return CK_OK;
  const char **texts = calloc(count + 1, sizeof *texts);
  if (!texts) return ck_error_no_memory(err);
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
    if (!ck_json_read_string(own, it.value)) break;
    ck_buffer_append_char(own, '\0');
    at++;
  }
  ck_status status = ck_buffer_check(own, err);
  if (status == CK_OK && at != count)
    status = ck_error_set(err, CK_E_FLOW, "the options of a question must be texts");
  if (status != CK_OK) {
    free(texts);
    return status;
  }
  const char *text = own->data;
  for (size_t i = 0; i < count; i++, text += strlen(text) + 1) texts[i] = text;
  *out = texts;
  return CK_OK;
}

/* Whoever is asked whether an effect may begin is shown what it would be called with. */
static void append_action(ck_buffer *out, ck_bytes action) {
  ck_bytes request = ck_json_get(action, "request");
  if (request.len == 0) return;
  size_t len = ck_utf8_cut(request.data, request.len < SHOWN_MAX ? request.len : SHOWN_MAX);
  ck_buffer_append_text(out, "\n  ");
  ck_json_read_string(out, ck_json_get(action, "kind"));
  ck_buffer_append_text(out, " ");
  ck_buffer_append(out, request.data, len);
  if (len < request.len)
    ck_buffer_append_format(out, "… (%zu bytes more: see 'ckrun answer')", request.len - len);
}

static ck_status put(ck_effect_run *run, const ck_effect *effect, ck_error *err) {
  const char **options = NULL;
  ck_buffer own = {0}, text = {0};
  ck_asker *asker = run->driver->asker;
  ck_buffer_append_text(&text, run->question);
  append_action(&text, ck_json_get(effect->request, "effect"));
  ck_buffer_append(&text, "", 1);
  ck_status status = ck_buffer_check(&text, err);
  if (status == CK_OK) status = read_options(&options, &own, effect->request, err);
  if (status == CK_OK) {
    ck_question question = {.text = text.data,
                            .from = effect->agent ? effect->agent : effect->scope,
                            .options = options,
                            .answered = on_answered,
                            .to = run};
    status = asker->ask(&run->asking, asker->self, &question, err);
  }
  free(options);
  ck_buffer_clear(&own);
  ck_buffer_clear(&text);
  return status;
}

static ck_status make_run(ck_effect_run **out, ask_driver *self, const ck_effect *effect,
                          ck_error *err) {
  ck_effect_run *run = calloc(1, sizeof *run);
  if (!run) return ck_error_no_memory(err);
  run->driver = self;
  ck_bytes question = ck_json_get(effect->request, "question");
  run->question = ck_json_type_of(question) == CK_JSON_STRING ? ck_json_dup_string(question)
                                                              : strdup(NO_QUESTION);
  ck_status status =
      run->question ? make_failed(&run->spare, CK_E_NO_MEMORY, ck_status_text(CK_E_NO_MEMORY), err)
                    : ck_error_no_memory(err);
  if (status == CK_OK)
    *out = run;
  else
    free_run(run);
  return status;
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  ask_driver *self = to;
  ck_effect_run *run = NULL;
  ck_error failure = CK_ERROR_INIT;
  *out = NULL;
  ck_status status = make_run(&run, self, effect, err);
  if (status != CK_OK) return status;
  run->sink = sink;
  status = self->asker ? put(run, effect, &failure) : CK_E_WAITING;
  if (status == CK_OK) {
    run->next = self->runs;
    if (run->next) run->next->previous = run;
    *out = self->runs = run;
    return CK_OK;
  }
  if (status == CK_E_WAITING) ck_error_set(&failure, status, "%s", run->question);
  free_run(run);
  return ck_reply_failed(out, &self->replies, &failure, sink, err);
}

static void cancel(void *to, ck_effect_run *run) {
  ask_driver *self = to;
  const ck_effect_run *known = self->runs;
  while (known && known != run) known = known->next;
  if (known) self->asker->cancel(self->asker->self, run->asking);
}

static bool withdraw(void *to, ck_effect_run *run, const char *answer) {
  ask_driver *self = to;
  ck_buffer why = {0};
  const ck_effect_run *known = self->runs;
  while (known && known != run) known = known->next;
  if (!known) return false;
  ck_buffer_append_format(&why, "answered from elsewhere: %s", answer);
  self->asker->drop(self->asker->self, run->asking, why.failed ? "" : why.data);
  unlink_run(run);
  free_run(run);
  ck_buffer_clear(&why);
  return true;
}

static void free_driver(void *to) {
  ask_driver *self = to;
  while (self->runs) {
    ck_effect_run *run = self->runs;
    self->asker->drop(self->asker->self, run->asking, NULL);
    unlink_run(run);
    free_run(run);
  }
  ck_replies_clear(&self->replies);
  free(self);
}

ck_status ck_ask_driver_new(ck_effect_driver **out, ck_loop *loop, ck_asker *asker, ck_error *err) {
  *out = NULL;
  ask_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->asker = asker;
  self->replies.loop = loop;
  self->driver = (ck_effect_driver){.name = "ask",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .withdraw = withdraw,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
