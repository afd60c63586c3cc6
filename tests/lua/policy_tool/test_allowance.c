/* test_allowance.c - policy check and policy bench leave a hook when it has had its second: of this
 * thread's processor time, whatever a loaded or a sleeping machine adds to that. */
/* link: -Wl,--wrap=clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lua/policy_tool/policy_tool.h"
#include "lua/policy_tool/subject.h"
#include "tests/lua/vm/vm_script.h"
#include "tests/tap.h"

/* Each look at a clock of the test's own is so much later than the one before. */
static int64_t now_us[2], step_us[2];
int __wrap_clock_gettime(clockid_t clock, struct timespec *out);
int __wrap_clock_gettime(clockid_t clock, struct timespec *out) {
  int which = clock == CLOCK_THREAD_CPUTIME_ID;
  now_us[which] += step_us[which];
  *out = (struct timespec){now_us[which] / 1000000, now_us[which] % 1000000 * 1000};
  return 0;
}

static void set_steps(int64_t wall, int64_t own) {
  step_us[0] = wall;
  step_us[1] = own;
}

#define SLOW "checkpoint takes a second of processor time for "
static const char *policy;

static ck_value *check(void) {
  ck_value *about = NULL;
  ck_error err = CK_ERROR_INIT;
  if (!tap_ok(
          ck_policy_tool_check(&about, &(ck_profile_policy){.name = (char *)policy}, &err) == CK_OK,
          "the check ends"))
    tap_diag("%s", err.text);
  return about;
}

static int64_t get_int(ck_bytes row, const char *name) {
  int64_t value = -1;
  ck_json_read_int(&value, ck_json_get(row, name));
  return value;
}

static ck_value *bench(int64_t calls) {
  ck_value *rows = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_policy_tool_bench_options options = {.calls = calls, .clock = ck_clock_system()};
  if (!tap_ok(ck_policy_tool_bench(&rows, &(ck_profile_policy){.name = (char *)policy}, &options,
                                   &err) == CK_OK,
              "the bench ends"))
    tap_diag("%s", err.text);
  return rows;
}

/* Of the hook checkpoint. */
static ck_bytes first(const ck_value *rows) {
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(rows));
  return ck_json_next(&it) ? it.value : (ck_bytes){0};
}

static const char *says(ck_bytes about, const char *text) {
  return memmem(about.data, about.len, text, strlen(text));
}

static int samples_of(policy_hook hook) {
  int count = 0;
  while (ck_policy_subject_sample(hook, (size_t)count)) count++;
  return count;
}

/* At 40 ms a look: one at the beginning and one behind each sample; the VM has looks of its own. */
static void test_check(void) {
  set_steps(10, 40000);
  ck_value *about = check();
  const char *found = says(ck_value_bytes(about), SLOW);
  tap_ok(found != NULL, "policy check leaves a hook after a second of processor time");
  int asked = found ? atoi(found + strlen(SLOW)) : 0;
  tap_ok(asked > 0 && asked <= 25, "and says after how many samples (%d)", asked);
  tap_ok(!says(ck_value_bytes(about), "resume takes"), "each hook has a second of its own");
  ck_value_free(about);

  set_steps(3600 * 1000000LL, 1);
  about = check();
  tap_is_int((int64_t)ck_json_count(ck_json_get(ck_value_bytes(about), "problems")), 0,
             "hours on the wall that the thread had nothing of are none");
  ck_value_free(about);
}

static void test_bench(void) {
  set_steps(10, 100000);
  ck_value *rows = bench(1000);
  ck_bytes row = first(rows);
  bool stopped = false;
  ck_json_read_bool(&stopped, ck_json_get(row, "stopped"));
  tap_ok(stopped && get_int(row, "calls") == 0, "policy bench leaves a hook among its samples");
  ck_value_free(rows);

  /* Two looks for each sample, whose instructions are counted one by one. */
  set_steps(10, 1000000 / (3 * samples_of(POLICY_checkpoint)));
  rows = bench(1000000);
  row = first(rows);
  stopped = false;
  ck_json_read_bool(&stopped, ck_json_get(row, "stopped"));
  tap_ok(stopped && get_int(row, "calls") > 0 && get_int(row, "calls") < 1000000,
         "and among its calls, however many it was asked for (%d)", (int)get_int(row, "calls"));
  tap_ok(ck_json_get(row, "call_ms").len > 0, "and tells the time of those that were made");
  ck_value_free(rows);

  set_steps(3600 * 1000000LL, 1);
  rows = bench(50);
  row = first(rows);
  tap_ok(!ck_json_get(row, "stopped").len && get_int(row, "calls") == 50,
         "hours on the wall stop no bench");
  ck_value_free(rows);
}

int main(void) {
  policy = vm_script_file("allowance.lua", "return { name = 'allowance', version = 1,\n"
                                           "  checkpoint = function(at) return at.depth > 3 end,\n"
                                           "  resume = function() end }\n");
  test_check();
  test_bench();
  return tap_done();
}
