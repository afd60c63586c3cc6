/* model.c - the driver of model calls. */
#include "core/effect/model/model.h"

#include <stdlib.h>
#include <string.h>

#include "core/effect/http/retry.h"
#include "core/effect/model/catalog.h"
#include "core/effect/model/run.h"

/* Added to the bytes of the messages: tokens that a provider puts around each message, and around
 * the tools. The formula is in lua/README.md. */
enum { TOKENS_PER_MESSAGE = 16, TOKENS_OF_A_REQUEST = 2048 };

/* A call is not made for an answer of fewer tokens than these, and than were asked for. */
enum { OUTPUT_LEAST = 256, ANSWERS_MAX = 128 };

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

static bool waits(void *self, const ck_effect_run *run) {
  (void)self;
  return ck_model_run_waits(run);
}

/* A token has at least one byte. */
static int64_t count_tokens(const ck_effect *effect, const ck_profile_model *model) {
  int64_t bytes = TOKENS_OF_A_REQUEST + (int64_t)effect->request.len;
  if (model->options) bytes += (int64_t)ck_value_bytes(model->options).len;
  size_t count = effect->conversation ? ck_conversation_count(effect->conversation) : 0;
  ck_model_media_count media = {0};
  for (size_t i = 0; i < count; i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get_seen(effect->conversation, i));
    bytes += TOKENS_PER_MESSAGE + (int64_t)message.len;
    ck_model_count_media(&media, message);
  }
  return bytes + ck_model_media_tokens(&media, model->api);
}

/* How many answers are asked for at once. */
static int64_t count_answers(const ck_model_query *query) {
  int64_t count;
  bool many = ck_json_read_int(&count, ck_model_get_option(query, "n")) && count > 1;
  return many && count < ANSWERS_MAX ? count : many ? ANSWERS_MAX : 1;
}

static const ck_profile_model *find_model(const ck_model_driver *self, const ck_effect *effect) {
  if (effect->model) return ck_profile_get_model(self->options.profile, effect->model);
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

/* What a call can take. */
typedef struct bounds {
  ck_model_query query;
  ck_model_price price;
  int64_t context, output_max; /* of the model; -1: not known */
  int64_t input, answers;
  bool caches;
} bounds;

static int64_t or_else(int64_t given, int64_t otherwise) { return given >= 0 ? given : otherwise; }

static bool find_bounds(bounds *out, const ck_model_driver *self, const ck_effect *effect) {
  const ck_profile_model *model = find_model(self, effect);
  if (!model) return false;
  const ck_model_entry *known = ck_catalog_find(model->model);
  int64_t ignored;
  *out = (bounds){
      .query = {.model = model, .request = effect->request, .conversation = effect->conversation},
      .price = ck_price_find(&ignored, model->model, &model->price),
      .context = or_else(model->context, known ? known->context : -1),
      .output_max = or_else(model->output_max, known ? known->output_max : -1)};
  out->input = count_tokens(effect, model);
  if (out->context >= 0 && out->input > out->context) out->input = out->context;
  out->answers = count_answers(&out->query);
  out->caches = model->cache_s > 0 || ck_model_has_marks(&out->query);
  return true;
}

static int64_t reserve_of(const bounds *self, int64_t output) {
  if (!ck_price_is_known(&self->price))
    return self->query.model->unmetered == 1 ? CK_RESERVE_UNMETERED : CK_RESERVE_UNPRICED;
  return ck_price_bound(&self->price, self->input, output < 0 ? -1 : output * self->answers,
                        self->caches);
}

/* Without limits: the tokens that the request states, or the model's own maximum. */
static int64_t reserve(void *to, const ck_effect *effect) {
  bounds b;
  if (!find_bounds(&b, to, effect)) return CK_RESERVE_UNPRICED;
  int64_t stated = ck_model_asked_output(&b.query),
          by_api = ck_model_api_max_tokens(b.query.model->api);
  return reserve_of(&b, stated ? stated : by_api ? by_api : b.output_max);
}

/* The tokens that are worth asking for; thinking that is paid for needs room for an answer. */
static int64_t find_least(const bounds *self, int64_t most) {
  int64_t least = OUTPUT_LEAST, thinking;
  ck_bytes given = ck_model_get_option(&self->query, "thinking");
  if (ck_json_read_int(&thinking, ck_json_get(given, "budget_tokens")) && thinking > 0 &&
      thinking < CK_USAGE_TOKENS_MAX)
    least += thinking;
  return least < most ? least : most;
}

/* A request and its answer share the context. A token has two bytes at least, as a rule: that is
 * enough where no limit depends on it. */
static int64_t find_most(const bounds *self) {
  int64_t stated = ck_model_asked_output(&self->query), room = self->context - self->input / 2;
  if (stated) return stated;
  int64_t most = or_else(self->output_max, CK_MODEL_MAX_TOKENS);
  if (room < CK_MODEL_MAX_TOKENS) room = CK_MODEL_MAX_TOKENS;
  return self->context >= 0 && room < most ? room : most;
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

static void fit(void *to, ck_effect *effect, const ck_allowance *left) {
  bounds b;
  effect->reserve_micros = reserve(to, effect);
  if (!find_bounds(&b, to, effect)) return;
  bool paid = left->micros >= 0 && ck_price_is_known(&b.price);
  if (!paid && left->tokens < 0) return;
  int64_t most = find_most(&b), least = find_least(&b, most), output = most;
  if (paid)
    output =
        smaller(output, ck_price_afford(&b.price, left->micros, b.input, b.caches) / b.answers);
  effect->fitted = output < most ? CK_FIT_MICROS : CK_FIT_NONE;
  if (left->tokens >= 0 && (left->tokens - b.input) / b.answers < output) {
    output = (left->tokens - b.input) / b.answers;
    effect->fitted = CK_FIT_TOKENS;
  }
  if (output < least) output = least;
  effect->unfitted =
      effect->fitted == CK_FIT_TOKENS ? b.input + most * b.answers : reserve_of(&b, most);
  effect->output_max = output;
  effect->reserve_micros = reserve_of(&b, output);
  if (left->tokens >= 0) effect->reserve_tokens = b.input + output * b.answers;
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
                                    .waits = waits,
                                    .tries = tries,
                                    .reserve = reserve,
                                    .fit = fit,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
