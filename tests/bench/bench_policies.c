/* bench_policies.c - each hook of each shipped policy, as `ckrun policy bench` measures it, beside
 * calls of an empty Lua function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "lua/policy_tool/policy_tool.h"
#include "tests/bench/bench.h"

enum { CALLS = 20000 };

static double number(ck_bytes row, const char *name) {
  double found = 0;
  if (!ck_json_read_double(&found, ck_json_get(row, name))) bench_die("policies: no %s", name);
  return found;
}

static void add_hook(const char *policy, ck_bytes row) {
  ck_buffer hook = {0};
  ck_json_read_string(&hook, ck_json_get(row, "hook"));
  figure made = {.value = number(row, "call_ms") * 1000,
                 .floor = number(row, "bare_ms") * 1000,
                 .unit = "us",
                 .target = 1,
                 .whole = true,
                 .compared = true};
  snprintf(made.name, sizeof made.name, "policy %s, %s (floor: an empty Lua call)", policy,
           hook.data ? hook.data : "?");
  bench_add(made);
  ck_buffer_clear(&hook);
}

static void time_policy(char *name) {
  ck_error err = CK_ERROR_INIT;
  ck_value *rows;
  const ck_profile_policy policy = {.name = name};
  const ck_policy_tool_bench_options options = {.calls = CALLS, .clock = ck_clock_thread()};
  if (ck_policy_tool_bench(&rows, &policy, &options, &err) != CK_OK)
    bench_die("policy %s: %s", name, err.text);
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(rows));
  while (ck_json_next(&it)) add_hook(name, it.value);
  ck_value_free(rows);
}

static ck_status take(void *to, ck_bytes policy, ck_error *err) {
  (void)to, (void)err;
  char *name = ck_json_dup_string(ck_json_get(policy, "name"));
  if (!name) bench_die("policies: one without a name");
  time_policy(name);
  free(name);
  return CK_OK;
}

void bench_policies(void) {
  ck_error err = CK_ERROR_INIT;
  if (ck_policy_tool_list(bench_path(""), take, NULL, &err) != CK_OK)
    bench_die("policies: %s", err.text);
}
