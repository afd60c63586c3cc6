/* run.c - the attempts of one call: when the next one is made, and what is delivered in the end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/base64.h"
#include "core/effect/http/retry.h"
#include "core/effect/model/run.h"

enum { ROOM_OF_A_REQUEST = 4096, ROOM_PER_MESSAGE = 128 };

static int64_t or_else(int64_t given, int64_t otherwise) { return given >= 0 ? given : otherwise; }

static int64_t now_ms(const ck_effect_run *self) {
  const ck_clock *clock = &self->driver->options.clock;
  return clock->mono_us(clock->self) / 1000;
}

/* ---- delivering ---- */

static void unlink_run(ck_effect_run *self) {
  if (self->previous)
    self->previous->next = self->next;
  else if (self->driver->runs == self)
    self->driver->runs = self->next;
  if (self->next) self->next->previous = self->previous;
}

void ck_model_run_free(ck_effect_run *self) {
  if (!self) return;
  unlink_run(self);
  if (self->request) ck_http_drop(self->request);
  ck_timer_free(self->timer);
  ck_loop_withdraw(&self->task);
  ck_model_answer_clear(&self->answer);
  ck_outcome_free(self->spare);
  ck_buffer_clear(&self->url);
  ck_buffer_clear(&self->body);
  free(self);
}

static void put_tokens(const ck_effect_run *self, ck_outcome *outcome) {
  ck_usage all = self->spent;
  ck_usage_add(&all, &self->told);
  outcome->input_tokens = all.input + all.cache_read + all.cache_write + all.cache_write_long;
  outcome->output_tokens = all.output;
  outcome->cache_read_tokens = all.cache_read;
  outcome->cache_write_tokens = all.cache_write + all.cache_write_long;
  int64_t told = outcome->input_tokens + outcome->output_tokens;
  if (self->lost && self->reserve_tokens > told)
    outcome->output_tokens += self->reserve_tokens - told;
}

/* Takes `outcome`; NULL: no memory for it. */
static void deliver(ck_effect_run *self, ck_outcome *outcome) {
  ck_effect_sink *sink = self->sink;
  if (!outcome) {
    outcome = self->spare;
    self->spare = NULL;
  }
  put_tokens(self, outcome);
  outcome->api = ck_model_api_name(self->model->api);
  ck_model_run_free(self);
  sink->done(sink, outcome);
}

/* The tokens that an attempt has told of, without knowing all of them. */
static int64_t told_cost(const ck_effect_run *self, const ck_model_price *price) {
  ck_usage told = self->told;
  told.known = true;
  return ck_price_cost(price, &told);
}

/* What is known of it, and the reserve of an attempt of which nothing is. */
static void put_cost(const ck_effect_run *self, ck_outcome *outcome) {
  int64_t ignored;
  ck_model_price price = ck_price_find(&ignored, self->model->model, &self->model->price);
  int64_t known = self->spent.known ? ck_price_cost(&price, &self->spent) : 0;
  outcome->cost_micros = known;
  outcome->cost_known = !self->lost && known >= 0;
  if (!self->lost || known < 0) return;
  int64_t told = told_cost(self, &price), reserve = self->reserve_micros;
  outcome->cost_micros = told < 0 || (reserve < 0 && known + told == 0) ? -1 : known + told;
  if (told < 0 || reserve < 0) return;
  outcome->reserved_micros = reserve > told ? reserve : told;
  outcome->cost_micros = ck_micros_add(known, outcome->reserved_micros);
}

/* Of a message whose cost the provider does not tell, it is estimated, too. */
static void deliver_message(ck_effect_run *self, const ck_value *message) {
  ck_outcome *outcome;
  ck_usage_add(self->lost ? &self->told : &self->spent, &self->answer.reply.usage);
  if (ck_outcome_new(&outcome, CK_OUTCOME_OK, message, NULL, NULL) == CK_OK)
    put_cost(self, outcome);
  if (outcome) ck_model_run_note(outcome, self);
  deliver(self, outcome);
}

/* One line with the model, its address, and the fault. */
static void deliver_failure(ck_effect_run *self, ck_outcome_status as, ck_status status,
                            const char *text) {
  ck_outcome *outcome = NULL;
  ck_buffer url = {0};
  ck_error line = CK_ERROR_INIT;
  ck_http_append_url(&url, self->url.data);
  const char *tries = self->attempts == 1 ? "" : " attempts, the last: ";
  char count[16] = "";
  if (*tries) snprintf(count, sizeof count, "%d", self->attempts);
  ck_error_set(&line, status, "model \"%s\" (%s): %s%s%s", self->model->name,
               url.data ? url.data : "", count, tries, text);
  ck_buffer_clear(&url);
  if (ck_outcome_new(&outcome, as, NULL, line.text, NULL) == CK_OK) {
    outcome->error_status = status;
    put_cost(self, outcome);
    outcome->attempts = (unsigned)(self->attempts - self->earlier);
    if (self->answer.retry_after_ms > 0) outcome->retry_after_ms = self->answer.retry_after_ms;
  }
  deliver(self, outcome);
}

/* ---- attempts ---- */

static void on_ended(void *to, const ck_http_end *end);

/* The effect's deadline covers all attempts together, the model's timeout each one. */
static ck_status attempt(ck_effect_run *self, ck_error *err) {
  int64_t total = or_else(self->model->timeout_ms, CK_MODEL_TIMEOUT_MS);
  const ck_clock *clock = &self->driver->options.clock;
  if (self->deadline_ms) {
    int64_t left = self->deadline_ms - now_ms(self);
    if (left <= 0) return ck_error_set(err, CK_E_UNAVAILABLE, "its deadline has passed");
    if (total == 0 || left < total) total = left;
  }
  self->attempts++;
  ck_model_answer_clear(&self->answer);
  ck_model_answer_init(&self->answer, self->format, clock->wall_ms(clock->self));
  return ck_model_run_post(self, on_ended, total, err);
}

/* The wait is over. After an attempt that costs something the runtime makes the next one: it counts
 * this one, and asks whether the budget has room for another. */
static void on_due(void *to) {
  ck_effect_run *self = to;
  ck_error err = CK_ERROR_INIT;
  self->waits = false;
  if (self->lost || self->spent.known || self->kept)
    deliver_failure(self, CK_OUTCOME_UNKNOWN, CK_E_UNAVAILABLE, self->why.text);
  else if (attempt(self, &err))
    deliver_failure(self, CK_OUTCOME_FAILED, err.status, err.text);
}

static uint64_t draw(const ck_effect_run *self) {
  uint64_t bits;
  if (self->driver->options.random) return self->driver->options.random();
  ck_random_bytes(&bits, sizeof bits);
  return bits;
}

/* Milliseconds to wait; -1: no further attempt, and `fault` says why. */
static int64_t find_wait(const ck_effect_run *self, ck_model_fault *fault) {
  int64_t asked = self->answer.retry_after_ms;
  if (self->attempts > or_else(self->model->retries, CK_MODEL_RETRIES)) return -1;
  int64_t wait = ck_retry_wait(self->attempts, self->driver->options.retry_base_ms, draw(self));
  if (asked > CK_RETRY_AFTER_MAX_MS) {
    size_t len = strlen(fault->text);
    snprintf(fault->text + len, sizeof fault->text - len, "; it asks to wait %lld s",
             (long long)(asked / 1000));
    return -1;
  }
  if (asked > wait) wait = asked;
  return self->deadline_ms && now_ms(self) + wait >= self->deadline_ms ? -1 : wait;
}

/* An update for watchers and the record: {retry, wait_ms, why}. */
static void report_retry(const ck_effect_run *self, const ck_model_fault *fault, int64_t wait) {
  ck_buffer json = {0};
  ck_json_writer w = {.out = &json};
  ck_json_begin(&w, '{');
  ck_json_member_int(&w, "retry", self->attempts);
  ck_json_member_int(&w, "wait_ms", wait);
  ck_json_member_text(&w, "why", fault->text);
  ck_json_end(&w, '}');
  if (!json.failed && self->sink->update) self->sink->update(self->sink, ck_buffer_bytes(&json));
  ck_buffer_clear(&json);
}

/* A kill in the wait would leave nothing that tells of it. */
static void tell_spent(ck_effect_run *self) {
  ck_outcome known = {.error = self->why.text};
  if (self->lost || !self->spent.known || !self->sink->spent) return;
  put_cost(self, &known);
  put_tokens(self, &known);
  if (!known.cost_known || !self->sink->spent(self->sink, &known)) return;
  self->spent = (ck_usage){0};
  self->kept = true;
}

/* A server that knows the limit of an answer by its other name says so: it is not asked a second
 * time unasked. */
static void advise(const ck_effect_run *self, ck_model_fault *fault) {
  static const char newer[] = "max_completion_tokens", *const unknown[] = {"nsupported",
                                                                           "nrecognized", "nknown",
                                                                           "not permitted", "xtra"};
  size_t len = strlen(fault->text);
  bool odd = false;
  if (fault->status != CK_E_REQUEST || self->model->api != CK_MODEL_OPENAI) return;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    odd |= strstr(fault->text, unknown[i]) != NULL;
  if (!odd || !strstr(fault->text, newer)) return;
  bool sent = ck_json_get(ck_buffer_bytes(&self->body), newer).len > 0;
  snprintf(fault->text + len, sizeof fault->text - len,
           "; max_tokens_name = \"%s\" of model \"%s\" sends it under the other name",
           sent ? "max_tokens" : newer, self->model->name);
}

static void on_ended(void *to, const ck_http_end *end) {
  ck_effect_run *self = to;
  ck_model_fault fault;
  ck_value *message;
  ck_error err = CK_ERROR_INIT;
  self->request = NULL;
  if (ck_model_answer_end(&message, &fault, &self->answer, end, &err)) {
    deliver(self, NULL);
    return;
  }
  self->lost = fault.lost;
  if (message) {
    deliver_message(self, message);
    ck_value_free(message);
    return;
  }
  ck_usage_add(self->lost ? &self->told : &self->spent, &self->answer.reply.usage);
  bool again =
      self->answer.should_retry < 0 ? fault.passing : fault.passing && self->answer.should_retry;
  advise(self, &fault);
  int64_t wait = again ? find_wait(self, &fault) : -1;
  if (wait < 0) {
    deliver_failure(self, CK_OUTCOME_FAILED, fault.status, fault.text);
    return;
  }
  ck_error_set(&self->why, fault.status, "%s", fault.text);
  ck_timer_set(self->timer, wait);
  self->waits = true;
  tell_spent(self);
  report_retry(self, &fault, wait); /* which may cancel it */
}

bool ck_model_run_waits(const ck_effect_run *self) { return self->waits; }

ck_status ck_model_run_begin(ck_effect_run *self, ck_error *err) { return attempt(self, err); }

static void deliver_cancelled(void *to) {
  deliver_failure(to, CK_OUTCOME_FAILED, CK_E_INTERRUPTED, "cancelled");
}

/* A request under way may be billed. */
void ck_model_run_cancel(ck_effect_run *self) {
  if (self->request) {
    ck_http_drop(self->request);
    self->lost = true;
    ck_usage_add(&self->told, &self->answer.reply.usage);
  }
  self->request = NULL;
  self->waits = false;
  ck_timer_stop(self->timer);
  ck_loop_defer(self->driver->options.loop, &self->task, deliver_cancelled, self);
}

/* ---- making one ---- */

/* The path is inserted before a query that the base URL may have; it may have one itself. */
static void make_url(ck_effect_run *self) {
  const char *base =
      self->model->base_url ? self->model->base_url : ck_model_api_url(self->model->api);
  ck_buffer path = {0};
  size_t len = strcspn(base, "?#");
  const char *query = base + len;
  while (len > 0 && base[len - 1] == '/') len--;
  if (self->format->append_path)
    self->format->append_path(&path, self->model);
  else
    ck_buffer_append_text(&path, self->format->path);
  bool versioned = len > 3 && strncmp(base + len - 3, "/v1", 3) == 0 && path.data &&
                   strncmp(path.data, "/v1/", 4) == 0;
  bool joins = *query == '?' && path.data && strchr(path.data, '?');
  ck_buffer_append(&self->url, base, len);
  ck_buffer_append_text(&self->url, path.data ? path.data + (versioned ? 3 : 0) : "");
  if (joins) ck_buffer_append_char(&self->url, '&');
  ck_buffer_append_text(&self->url, query + joins);
  self->url.failed |= path.failed;
  ck_buffer_clear(&path);
}

static void make_key(ck_effect_run *self, const ck_effect *effect) {
  ck_digester digester;
  ck_digester_init(&digester);
  ck_digester_update_field(&digester, ck_bytes_text(effect->key));
  ck_digester_update_int(&digester, effect->attempt);
  ck_digester_update_field(&digester, ck_bytes_text(self->driver->options.salt));
  if (effect->model) ck_digester_update_field(&digester, ck_bytes_text(effect->model));
  ck_digest digest = ck_digester_final(&digester);
  ck_digest_hex(self->key, &digest);
}

/* All memory at once: the request is copied there once, and nowhere else. */
static void make_room(ck_effect_run *self, const ck_effect *effect) {
  const ck_conversation *conversation = effect->conversation;
  size_t bytes = effect->request.len + ROOM_OF_A_REQUEST,
         count = conversation ? ck_conversation_count(conversation) : 0;
  ck_model_media_count media = {0};
  for (size_t i = 0; i < count; i++) {
    ck_bytes message = ck_value_bytes(ck_conversation_get_seen(conversation, i));
    bytes += message.len + ROOM_PER_MESSAGE;
    ck_model_count_media(&media, message);
  }
  bytes += ck_base64_len((size_t)media.bytes);
  if (ck_buffer_extend(&self->body, bytes)) self->body.len = 0;
}

static ck_status fill(ck_effect_run *self, const ck_effect *effect, ck_error *err) {
  const ck_model_options *options = &self->driver->options;
  ck_model_query query = {.model = self->model,
                          .request = effect->request,
                          .conversation = effect->conversation,
                          .output_max = effect->output_max,
                          .media = options->media.read ? &options->media : NULL};
  self->asked = ck_model_asked_output(&query);
  self->output_max = effect->output_max;
  self->fitted = effect->fitted != CK_FIT_NONE;
  make_url(self);
  make_key(self, effect);
  make_room(self, effect);
  ck_status status = ck_buffer_check(&self->url, err);
  if (!status) status = self->format->write(&self->body, &query, err);
  if (!status) status = ck_timer_new(&self->timer, self->driver->options.loop, on_due, self, err);
  if (!status)
    status =
        ck_outcome_new(&self->spare, CK_OUTCOME_FAILED, NULL, ck_status_text(CK_E_NO_MEMORY), err);
  if (!status) self->spare->error_status = CK_E_NO_MEMORY;
  return status;
}

static ck_status find_model(const ck_profile_model **out, const ck_profile *profile,
                            const ck_effect *effect, ck_error *err) {
  ck_bytes asked = ck_json_get(effect->request, "model");
  if (ck_json_type_of(asked) != CK_JSON_STRING)
    return ck_error_set(err, CK_E_USAGE, "the request of %s names no model", effect->key);
  char *name = effect->model ? strdup(effect->model) : ck_json_dup_string(asked);
  if (!name) return ck_error_no_memory(err);
  *out = ck_profile_get_model(profile, name);
  ck_status status = CK_OK;
  if (!*out)
    status = ck_error_set(
        err, CK_E_USAGE,
        "profile %s has no model \"%.64s\": add models = { [\"%.64s\"] = { … } } to it",
        profile->name, name, name);
  free(name);
  return status;
}

/* Each API of CK_MODEL_API_TABLE has its format. */
static const ck_model_format *const formats[] = {
    [CK_MODEL_OPENAI] = &ck_model_openai,
    [CK_MODEL_ANTHROPIC] = &ck_model_anthropic,
    [CK_MODEL_RESPONSES] = &ck_model_responses,
    [CK_MODEL_GEMINI] = &ck_model_gemini,
};
_Static_assert(sizeof formats / sizeof *formats == CK_MODEL_API_COUNT, "an API has no format");

const ck_model_format *ck_model_format_of(ck_model_api api) { return formats[api]; }

ck_status ck_model_run_new(ck_effect_run **out, ck_model_driver *driver, const ck_effect *effect,
                           ck_effect_sink *sink, ck_error *err) {
  *out = NULL;
  const ck_profile_model *model = NULL;
  ck_status status = find_model(&model, driver->options.profile, effect, err);
  if (status) return status;
  ck_effect_run *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->driver = driver;
  self->model = model;
  self->format = formats[model->api];
  self->sink = sink;
  self->deadline_ms = effect->deadline_ms;
  self->reserve_micros = effect->reserve_micros;
  self->reserve_tokens = effect->reserve_tokens;
  self->attempts = self->earlier = (int)effect->lost;
  self->next = driver->runs;
  if (self->next) self->next->previous = self;
  driver->runs = self;
  status = fill(self, effect, err);
  if (!status)
    *out = self;
  else
    ck_model_run_free(self);
  return status;
}
