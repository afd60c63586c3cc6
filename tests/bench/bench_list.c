/* bench_list.c - what a page of `ckrun sessions list` costs in a store of 10,000 sessions: the
 * newest, and those of filters that few of them fit, so that all are looked through. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/bench.h"

enum { SESSIONS = 10000, EVENTS = 10, RARE = 997, REPEATS = 5, WORDS_MAX = 10 };

static const struct {
  const char *name, *words[WORDS_MAX + 1];
} commands[] = {
    {"sessions list --limit 50", {"sessions", "list", "--limit", "50"}},
    {"sessions list --agent of 10 sessions",
     {"sessions", "list", "--agent", "auditor", "--limit", "50"}},
    {"sessions list --agent of none", {"sessions", "list", "--agent", "nobody", "--limit", "50"}},
    {"sessions list --agent of all", {"sessions", "list", "--agent", "writer", "--limit", "50"}},
    {"sessions list --flow of 10 sessions",
     {"sessions", "list", "--flow", "rare.lua", "--limit", "50"}},
    {"sessions list --status failed, 10 of them",
     {"sessions", "list", "--status", "failed", "--limit", "50"}},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const struct {
  ck_event_kind kind;
  const char *agent, *body;
} events[EVENTS] = {
    {CK_EVENT_SESSION_STARTED, NULL, "{\"run\":\"run_1\"}"},
    {CK_EVENT_MESSAGE, "writer", "{\"message\":{\"role\":\"user\",\"content\":\"a flight\"}}"},
    {CK_EVENT_INTENT, "writer", "{\"key\":\"main/start/model/1\"}"},
    {CK_EVENT_OUTCOME, "writer", "{\"key\":\"main/start/model/1\"}"},
    {CK_EVENT_DELEGATION, "writer", "{\"target\":\"clerk\",\"task\":\"books what was asked for\"}"},
    {CK_EVENT_INTENT, "clerk", "{\"key\":\"main/start/tool/1\"}"},
    {CK_EVENT_OUTCOME, "clerk", "{\"key\":\"main/start/tool/1\"}"},
    {CK_EVENT_NOTE, "clerk", "{\"text\":\"the booking is done, and nothing else was changed\"}"},
    {CK_EVENT_MESSAGE, "writer", "{\"message\":{\"role\":\"assistant\",\"content\":\"done\"}}"},
    {CK_EVENT_SESSION_PAUSED, NULL, "{\"reason\":\"user_requested\"}"},
};

static void make_events(ck_event out[EVENTS], bool rare, int64_t at_ms) {
  ck_error err;
  for (int i = 0; i < EVENTS; i++) {
    out[i] = (ck_event){.seq = i + 1,
                        .timeline = 1,
                        .kind = events[i].kind,
                        .at_ms = at_ms + i,
                        .scope = (char *)"main",
                        .agent = (char *)(rare && i == 7 ? "auditor" : events[i].agent)};
    if (ck_value_new(&out[i].body, ck_bytes_text(events[i].body), &err) != CK_OK)
      bench_die("%s", err.text);
  }
}

static void make_session(ck_store *store, int number) {
  bool rare = number % RARE == RARE / 2;
  ck_event all[EVENTS], *list[EVENTS];
  int64_t at_ms = INT64_C(1700000000000) + number * 1000;
  ck_session_record record = {.run = "run_1",
                              .created_ms = at_ms,
                              .profile = (char *)"default",
                              .flow = (char *)(rare ? "/flows/rare.lua" : "/flows/flow.lua")};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_1"};
  const ck_session_update end = {.status = rare ? CK_SESSION_FAILED : CK_SESSION_PAUSED,
                                 .reason = "user_requested"};
  ck_opening opening = {
      .timeline = &timeline, .events = list, .event_count = EVENTS, .update = &end};
  ck_lease lease;
  ck_error err;
  snprintf(record.id, sizeof record.id, "session_%05d", number);
  make_events(all, rare, at_ms);
  for (int i = 0; i < EVENTS; i++) list[i] = &all[i];
  if (ck_store_create_session(&lease, store, &record, &opening, &err) != CK_OK)
    bench_die("%s", err.text);
  ck_store_release(store, lease);
  for (int i = 0; i < EVENTS; i++) ck_value_free(all[i].body);
}

static void build(const char *url) {
  ck_store *store;
  ck_error err;
  if (ck_store_open(&store, url, &(ck_store_options){.create = true}, &err) != CK_OK)
    bench_die("%s", err.text);
  for (int i = 0; i < SESSIONS; i++) make_session(store, i);
  ck_store_close(store);
}

static void add_row(const char *name, double samples[REPEATS]) {
  double median = bench_percentile(samples, REPEATS, 50);
  figure row = {.unit = "ms",
                .value = median,
                .min = samples[0],
                .max = samples[REPEATS - 1],
                .target = 15,
                .compared = true};
  snprintf(row.name, sizeof row.name, "10,000 sessions: CPU of %s", name);
  bench_add(row);
}

void bench_list(void) {
  double ms[COMMANDS][REPEATS];
  char program[512], url[600];
  const char *named = getenv("CKRUN");
  snprintf(program, sizeof program, "%s", named ? named : "build/ckrun");
  snprintf(url, sizeof url, "sqlite:%s", bench_path("list.db"));
  build(url);
  for (int repeat = 0; repeat < REPEATS; repeat++)
    for (size_t i = 0; i < COMMANDS; i++) {
      char *argv[4 + WORDS_MAX] = {program, (char *)"--store", url};
      for (size_t word = 0; commands[i].words[word]; word++)
        argv[3 + word] = (char *)commands[i].words[word];
      ms[i][repeat] = bench_command_cost(argv, 0).cpu_ms;
    }
  for (size_t i = 0; i < COMMANDS; i++) add_row(commands[i].name, ms[i]);
}
