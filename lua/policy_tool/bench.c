/* bench.c - policy bench: the cost of each hook, measured over samples with the calls of a
 * session. */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/policy_tool/allowance.h"
#include "lua/policy_tool/policy_tool.h"
#include "lua/policy_tool/subject.h"
#include "lua/policy_tool/word_samples.h"

/* LOOK_EVERY: instructions between two looks at what the hook has taken, some milliseconds. */
enum { BATCHES = 21, SUBJECTS_MAX = 32, BARE_CALLS = 1000, LOOK_EVERY = 500000 };

typedef struct measuring {
  loaded_policy *policy;
  const ck_policy_tool_bench_options *options;
  policy_subject subjects[SUBJECTS_MAX];
  size_t count;
  ck_buffer text;
  int64_t calls, failures, instructions;
  double us, bare_us;
  ck_error failure; /* the first */
  policy_allowance allowance;
  bool stopped; /* it is spent */
} measuring;

static ck_status call(measuring *self, size_t index, ck_error *failure) {
  asking of;
  ck_status status =
      ck_policy_subject_call(&of, &self->text, self->policy, &self->subjects[index], failure);
  ck_value_free(of.document);
  return status;
}

/* Counting every instruction is slow: whether a call overruns is decided by one at usual speed. */
static ck_status count_one(measuring *self, size_t index, ck_error *failure) {
  ck_vm *vm = self->policy->vm;
  ck_vm_count_exactly(vm, true);
  ck_status status = call(self, index, failure);
  ck_vm_count_exactly(vm, false);
  if (status != CK_OK && ck_vm_get_overrun(vm) != CK_VM_WITHIN) status = call(self, index, failure);
  int64_t spent = ck_vm_spent(vm);
  if (spent > self->instructions) self->instructions = spent;
  return status;
}

/* Once over all samples. */
static ck_status count(measuring *self, ck_error *err) {
  for (size_t i = 0; i < self->count && !self->stopped; i++) {
    ck_error failure = CK_ERROR_INIT;
    ck_status status = count_one(self, i, &failure);
    if (status == CK_E_NO_MEMORY) return ck_error_no_memory(err);
    if (status != CK_OK && self->failures++ == 0) self->failure = failure;
    self->stopped = ck_policy_allowance_spent(&self->allowance);
  }
  return CK_OK;
}

/* What a hook's call cannot do without: one of an empty function, under the same budgets. */
static int call_bare(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, *(const int *)lua_touserdata(L, 1));
  lua_call(L, 0, 0);
  return 0;
}

static int make_bare(lua_State *L) {
  ck_vm_push_chunk(L, "bare", ck_bytes_text("return function() end"));
  lua_call(L, 0, 1);
  *(int *)lua_touserdata(L, 1) = luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

static double time_bare(const measuring *self, int *function) {
  const ck_clock *clock = &self->options->clock;
  ck_error ignored;
  int64_t begun = clock->mono_us(clock->self);
  for (int i = 0; i < BARE_CALLS; i++)
    if (ck_vm_call(self->policy->vm, call_bare, function, &ignored) != CK_OK) break;
  return (double)(clock->mono_us(clock->self) - begun) / BARE_CALLS;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static double median(double *batches, int count) {
  qsort(batches, (size_t)count, sizeof *batches, compare);
  return batches[count / 2];
}

static double time_calls(measuring *self, int64_t count) {
  const ck_clock *clock = &self->options->clock;
  ck_error ignored;
  int64_t begun = clock->mono_us(clock->self), made = 0, between = LOOK_EVERY;
  between = between / (self->instructions + 1) + 1;
  while (made < count && !self->stopped) {
    made++;
    if (call(self, (size_t)(self->calls++ % (int64_t)self->count), &ignored) == CK_E_NO_MEMORY)
      break;
    if (made % between == 0 || made == count)
      self->stopped = ck_policy_allowance_spent(&self->allowance);
  }
  return (double)(clock->mono_us(clock->self) - begun) / (double)made;
}

/* As many calls as were asked for, in batches that differ by one at most. Bare calls are measured
 * between: a machine that is slower for a while is so for both. */
static void measure(measuring *self, int bare) {
  double batches[BATCHES], bares[BATCHES];
  int64_t calls = self->options->calls;
  int count = calls < BATCHES ? (int)calls : BATCHES, done = 0;
  for (; done < count && !self->stopped; done++) {
    bares[done] = time_bare(self, &bare);
    batches[done] = time_calls(self, calls / count + (done < calls % count));
  }
  if (!done) return;
  self->us = median(batches, done);
  self->bare_us = median(bares, done);
}

static void write_row(ck_json_writer *w, const measuring *self, policy_hook hook) {
  ck_json_begin(w, '{');
  ck_json_member_text(w, "hook", ck_policy_hooks[hook].name);
  ck_json_member_int(w, "calls", self->calls);
  if (self->calls) {
    ck_json_name(w, "call_ms");
    ck_json_put_decimal(w, llround(self->us * 1e3), 6);
    ck_json_name(w, "bare_ms");
    ck_json_put_decimal(w, llround(self->bare_us * 1e3), 6);
    ck_json_name(w, "ratio");
    ck_json_put_decimal(w, self->bare_us > 0 ? llround(self->us / self->bare_us * 10) : 0, 1);
  }
  if (self->stopped) ck_json_member_bool(w, "stopped", true);
  ck_json_member_int(w, "instructions", self->instructions);
  ck_json_member_int(w, "samples", (int64_t)self->count);
  ck_json_member_int(w, "failures", self->failures);
  if (self->failures) ck_json_member_text(w, "failure", self->failure.text);
  ck_json_member_text(w, "contained", ck_policy_hooks[hook].failure);
  ck_json_end(w, '}');
}

static ck_status take_sample(measuring *self, policy_hook hook, const char *sample, ck_error *err) {
  if (self->count == SUBJECTS_MAX) return CK_OK;
  ck_status status =
      ck_policy_subject_read(&self->subjects[self->count], hook, ck_bytes_text(sample), err);
  if (status == CK_OK) self->count++;
  return status;
}

static ck_status take_samples(measuring *self, policy_hook hook, ck_error *err) {
  const char *sample;
  ck_buffer made = {0};
  ck_status status = ck_word_samples_make(&made, hook, self->policy, err);
  for (size_t i = 0; status == CK_OK && (sample = ck_policy_subject_sample(hook, i)); i++)
    status = take_sample(self, hook, sample, err);
  for (size_t at = 0; status == CK_OK && at < made.len; at += strlen(made.data + at) + 1)
    status = take_sample(self, hook, made.data + at, err);
  ck_buffer_clear(&made);
  return status;
}

static ck_status bench_hook(measuring *self, policy_hook hook, ck_json_writer *w, ck_error *err) {
  ck_status status = take_samples(self, hook, err);
  int bare = LUA_NOREF;
  ck_policy_allowance_begin(&self->allowance);
  if (status == CK_OK) status = count(self, err);
  if (status == CK_OK) status = ck_vm_call(self->policy->vm, make_bare, &bare, err);
  if (status == CK_OK && !self->failures)
    measure(self, bare); /* the time of a failure is that of its budget */
  if (status == CK_OK) write_row(w, self, hook);
  for (size_t i = 0; i < self->count; i++) ck_policy_subject_clear(&self->subjects[i]);
  ck_buffer_clear(&self->text);
  return status;
}

ck_status ck_policy_tool_bench(ck_value **out, const ck_profile_policy *from,
                               const ck_policy_tool_bench_options *options, ck_error *err) {
  *out = NULL;
  loaded_policy policy;
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_status status = ck_policy_load(&policy, from, NULL, err);
  if (status != CK_OK) return status;
  ck_json_begin(&w, '[');
  for (policy_hook hook = 0; status == CK_OK && hook < POLICY_HOOK_COUNT; hook++) {
    if (!ck_policy_has(&policy, hook)) continue;
    measuring *self = calloc(1, sizeof *self);
    if (!self) {
      status = ck_error_no_memory(err);
      break;
    }
    *self = (measuring){.policy = &policy, .options = options, .failure = CK_ERROR_INIT};
    status = bench_hook(self, hook, &w, err);
    free(self);
  }
  ck_json_end(&w, ']');
  if (status == CK_OK) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  ck_policy_clear(&policy);
  return status;
}
