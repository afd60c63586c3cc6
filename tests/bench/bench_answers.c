/* bench_answers.c - what it costs to keep who was asked at a boundary, against the same event
 * without. */
#include <stdio.h>
#include <time.h>

#include "core/model/answers.h"
#include "core/model/verdict.h"
#include "tests/bench/bench.h"

enum { ROUNDS = 100, BATCH = 200, POLICIES = 6 };

/* The event of a boundary, as a session writes it but for reasons. */
static const char boundary[] =
    "{\"kind\":\"tool_round\",\"node\":\"n\",\"now\":1795377272990,\"random\":1990762147034982,"
    "\"latency_ms\":2,\"since\":{\"ms\":2,\"events\":4,\"keys\":2,\"bytes\":478},\"cost_us\":508}";

/* Of all threads: the machine's other work is not in it. */
static double cpu_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* All that comes to an event for it: the time of the question, each policy's answer, the bytes. */
static void decide(ck_event *event, char *space, const ck_clock *clock, unsigned number) {
  ck_answers answers = {.hook = CK_HOOK_CHECKPOINT};
  int64_t begun_us = clock->mono_us(clock->self);
  for (size_t i = 0; i < POLICIES; i++)
    ck_answers_put(&answers, i, i == number % POLICIES ? CK_ANSWER_YES : CK_ANSWER_NO);
  answers.took_us = clock->mono_us(clock->self) - begun_us;
  event->decision = ck_answers_encode(space, &answers);
}

/* The same of what two policies took out of a key and of the event: all but what tells where. */
static void decide_masks(ck_event *event, char *space, const ck_clock *clock) {
  ck_answers all = {.hook = CK_HOOK_REDACT};
  for (size_t item = 0; item < 2; item++) {
    ck_answers answers = {.hook = CK_HOOK_REDACT};
    int64_t begun_us = clock->mono_us(clock->self);
    ck_answers_put(&answers, 0, CK_ANSWER_LEFT);
    ck_answers_put(&answers, 1, (int)CK_REDACT_MASK);
    answers.took_us = clock->mono_us(clock->self) - begun_us;
    ck_answers_add(&all, &answers);
  }
  size_t len = event->decision.len;
  event->decision = (ck_bytes){space, len + ck_answers_encode(space + len, &all).len};
}

/* One batch of boundaries until it is committed; microseconds for each. */
static double commit_batch(ck_session *session, ck_value *body, const ck_clock *clock, bool kept,
                           double *bytes) {
  ck_error err;
  double begun = cpu_us();
  for (unsigned i = 0; i < BATCH; i++) {
    char space[2 * CK_ANSWERS_SIZE];
    ck_event event = {.kind = CK_EVENT_BOUNDARY, .scope = "main", .body = body};
    if (kept) decide(&event, space, clock, i);
    if (kept) decide_masks(&event, space, clock);
    if (ck_session_append_decided(session, &event, &err) != CK_OK) bench_die("%s", err.text);
    *bytes += (double)event.decision.len;
  }
  if (ck_session_flush(session, CK_DURABLE_PROCESS, &err) != CK_OK) bench_die("%s", err.text);
  return (cpu_us() - begun) / BATCH;
}

void bench_answers(void) {
  static double with[ROUNDS], without[ROUNDS];
  double bytes = 0, none = 0;
  char url[600];
  ck_error err;
  ck_runtime *runtime;
  ck_session *session;
  ck_value *body;
  ck_clock clock = ck_clock_system();
  snprintf(url, sizeof url, "sqlite:%s", bench_path("answers.db"));
  if (ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) != CK_OK ||
      ck_session_start(&session, runtime, &(ck_session_options){.id = "answers"}, &err) != CK_OK ||
      ck_value_new(&body, ck_bytes_text(boundary), &err) != CK_OK)
    bench_die("%s", err.text);
  for (unsigned i = 0; i < ROUNDS; i++) {
    without[i] = commit_batch(session, body, &clock, false, &none);
    with[i] = commit_batch(session, body, &clock, true, &bytes);
  }
  double least = bench_percentile(without, ROUNDS, 50), most = bench_percentile(with, ROUNDS, 50);
  bench_add((figure){.name = "a boundary keeps who was asked and who masked: CPU beyond the event",
                     .unit = "us",
                     .value = most > least ? most - least : 0,
                     .target = 1,
                     .compared = true});
  bench_add((figure){
      .name = "  the event with it (floor: without)", .unit = "us", .value = most, .floor = least});
  bench_add((figure){.name = "  bytes beyond reasons",
                     .unit = "bytes",
                     .value = bytes / (ROUNDS * BATCH),
                     .target = 24,
                     .compared = true});
  ck_value_free(body);
  ck_session_close(session);
  ck_runtime_close(runtime);
}
