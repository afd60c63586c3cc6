/* model.c - the driver of model calls. */
#include "core/effect/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "core/effect/http/retry.h"
#include "core/effect/model/run.h"

/* Added to the bytes of the messages: tokens that a provider puts around each message, and around
 * the tools. */
enum { TOKENS_PER_MESSAGE = 16, TOKENS_OF_A_REQUEST = 2048 };

static bool serves(void *self, const ck_effect *effect) {
  (void)self;
  return effect->kind == CK_EFFECT_MODEL;
}

static ck_status open_http(ck_model_driver *self, ck_error *err) {
  return self->http ? CK_OK
                    : ck_http_new(&self->http, self->options.loop, self->options.library, err);
}

static ck_status start(ck_effect_run **out, void *to, const ck_effect *effect, ck_effect_sink *sink,
                       ck_error *err) {
  ck_model_driver *self = to;
  ck_effect_run *run;
  *out = NULL;
  ck_status status = ck_model_run_new(&run, self, effect, sink, err);
  if (!status) status = open_http(self, err);
  if (!status) status = ck_model_run_begin(run, err);
  if (!status)
    *out = run;
  else
    ck_model_run_free(run);
  return status;
}

static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  ck_model_run_cancel(run);
}

/* A token has at least one byte. */
static int64_t count_tokens(const ck_effect *effect) {
  int64_t bytes = TOKENS_OF_A_REQUEST + (int64_t)effect->request.len;
  size_t count = effect->conversation ? ck_conversation_count(effect->conversation) : 0;
  for (size_t i = 0; i < count; i++) {
    bytes += TOKENS_PER_MESSAGE +
             (int64_t)ck_value_bytes(ck_conversation_get(effect->conversation, i)).len;
  }
  return bytes;
}

static int64_t find_output_max(const ck_model_query *query, int64_t of_model) {
  static const char *const names[] = {"max_tokens", "max_completion_tokens"};
  int64_t tokens;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (ck_json_read_int(&tokens, ck_model_get_option(query, names[i])) && tokens > 0)
      return tokens;
  }
  return query->model->api == CK_MODEL_ANTHROPIC ? CK_MODEL_MAX_TOKENS : of_model;
}

static bool mentions_cache(ck_bytes text) {
  static const char mark[] = "cache_control";
  return text.len > 0 && memmem(text.data, text.len, mark, sizeof mark - 1);
}

/* Anywhere in the options, or in the user's messages. */
static bool wants_cache(const ck_model_query *query) {
  bool found = mentions_cache(query->request) ||
               (query->model->options && mentions_cache(ck_value_bytes(query->model->options)));
  size_t count = query->conversation ? ck_conversation_count(query->conversation) : 0;
  for (size_t i = 0; i < count && !found; i++) {
    found = mentions_cache(ck_value_bytes(ck_conversation_get(query->conversation, i)));
  }
  return found;
}

static const ck_profile_model *find_model(const ck_model_driver *self, const ck_effect *effect) {
  char *name = ck_json_dup_string(ck_json_get(effect->request, "model"));
  const ck_profile_model *model = name ? ck_profile_get_model(self->options.profile, name) : NULL;
  free(name);
  return model;
}

static unsigned tries(void *self, const ck_effect *effect) {
  const ck_profile_model *model = find_model(self, effect);
  int64_t retries = model && model->retries >= 0 ? model->retries : CK_MODEL_RETRIES;
  return (unsigned)retries + 1;
}

static int64_t reserve(void *to, const ck_effect *effect) {
  const ck_model_driver *self = to;
  const ck_profile_model *model = find_model(self, effect);
  if (!model) return -1;
  int64_t of_model;
  ck_model_price price = ck_price_find(&of_model, model->model, &model->price);
  const ck_model_query query = {model, effect->request, effect->conversation};
  return ck_price_bound(&price, count_tokens(effect), find_output_max(&query, of_model),
                        wants_cache(&query));
}

static void free_driver(void *to) {
  ck_model_driver *self = to;
  while (self->runs) ck_model_run_free(self->runs);
  ck_http_free(self->http);
  free(self);
}

ck_status ck_model_driver_new(ck_effect_driver **out, const ck_model_options *options,
                              ck_error *err) {
  *out = NULL;
  ck_model_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  if (!self->options.answer_max) self->options.answer_max = CK_MODEL_ANSWER_MAX;
  if (!self->options.retry_base_ms) self->options.retry_base_ms = CK_RETRY_BASE_MS;
  if (!self->options.clock.mono_us) self->options.clock = ck_clock_system();
  self->driver = (ck_effect_driver){.name = "model",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .cancel = cancel,
                                    .tries = tries,
                                    .reserve = reserve,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
