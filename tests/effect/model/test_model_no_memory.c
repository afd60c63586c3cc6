/* test_model_no_memory.c - whichever allocation of a model call fails, it says so, delivers once
 * and leaks nothing. */
/* link: -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc */
/* link: -Wl,--wrap=reallocarray,--wrap=strdup,--wrap=aligned_alloc */
#include <stdlib.h>
#include <string.h>

#include "tests/effect/model/model_fixture.h"
#include "tests/starve.h"
#include "tests/tap.h"

enum { ALLOCATIONS_MAX = 5000 };

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t count, size_t size), (count, size))
WRAP(realloc, (void *old, size_t size), (old, size))
WRAP(reallocarray, (void *old, size_t count, size_t size), (old, count, size))
WRAP(strdup, (const char *text), (text))
WRAP(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

typedef struct keep {
  ck_effect_sink sink;
  ck_loop *loop;
  ck_outcome *outcome;
  int delivered;
} keep;

static int broken;

static void on_done(ck_effect_sink *sink, ck_outcome *outcome) {
  keep *self = (keep *)sink;
  self->delivered++;
  self->outcome = outcome;
  ck_loop_stop(self->loop);
}

/* The status of the driver or of the outcome; a driver of its own, so that all of it is made
 * anew. */
static ck_status call(model_fixture *fixture, ck_error *err) {
  keep to = {.sink = {.done = on_done}, .loop = fixture->loop};
  ck_effect_driver *driver;
  ck_effect_run *run;
  ck_status status = ck_model_driver_new(&driver, &fixture->options, err);
  if (status) return status;
  (void)driver->reserve(driver->self, &fixture->effect);
  status = driver->start(&run, driver->self, &fixture->effect, &to.sink, err);
  while (!status && !to.delivered) ck_loop_run(fixture->loop);
  driver->free(driver->self);
  if (status) return status;
  broken += to.delivered != 1;
  status = to.outcome->error_status;
  if (status)
    ck_error_set(err, status, "%s", to.outcome->error);
  else
    broken +=
        !to.outcome->result || !strstr(ck_value_bytes(to.outcome->result).data, "All is well.");
  ck_outcome_free(to.outcome);
  return status;
}

/* Retries are made as always: a lack of memory is never reported as the provider's fault. */
static void attack(const char *api, int stream) {
  model_fixture fixture;
  int wrong = 0;
  long at = 0;
  ck_status status = CK_E_NO_MEMORY;
  model_fixture_open(&fixture, api,
                     "{\"answer\":{\"thinking\":\"hm\",\"text\":\"All is "
                     "well.\",\"calls\":[{\"name\":\"f\",\"arguments\":{\"a\":1}}]},\"times\":0}");
  fixture.model->stream = stream;
  tap_must(ck_profile_model_put_header(
               fixture.model, &(ck_profile_header){(char *)"X-Other", (char *)"main", true},
               NULL) == CK_OK,
           "a header");
  model_fixture_add(&fixture, "system", "Be brief.");
  model_fixture_add(&fixture, "user", "Hello");
  ck_value *message;
  tap_must(ck_value_new(
               &message,
               ck_bytes_text(
                   "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\\u0062\","
                   "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}"),
               NULL) == CK_OK,
           "a message");
  model_fixture_append(&fixture, message);
  ck_value_free(message);
  model_fixture_result(&fixture, "ab", "{\"r\":1}");
  model_fixture_result(&fixture, "stray", "\"r\"");
  fixture.effect.request = ck_bytes_text("{\"model\":\"m\",\"tools\":[\"f\"]}");
  broken = 0;
  for (; status != CK_OK && at < ALLOCATIONS_MAX; at++) {
    ck_error err = CK_ERROR_INIT;
    budget = at;
    status = call(&fixture, &err);
    budget = -1;
    wrong += status != CK_OK && status != CK_E_NO_MEMORY;
    if (status != CK_OK && status != CK_E_NO_MEMORY) tap_diag("%ld: %s", at, err.text);
  }
  tap_is_status(status, CK_OK, NULL, "%s, stream %d: works with %ld allocations", api, stream,
                at - 1);
  tap_ok(at > 20, "%s, stream %d: the attack reaches allocations", api, stream);
  tap_is_int(wrong, 0, "%s, stream %d: each one that fails is reported as out of memory", api,
             stream);
  tap_is_int(broken, 0, "%s, stream %d: one outcome is delivered, the right one", api, stream);
  model_fixture_close(&fixture);
}

int main(void) {
  for (int stream = 0; stream < 2; stream++) {
    attack("openai", stream);
    attack("anthropic", stream);
    attack("responses", stream);
    attack("gemini", stream);
  }
  return tap_done();
}
