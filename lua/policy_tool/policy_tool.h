/* policy_tool.h - tools for those who write policies: a check, tests in the real sandbox, a
 * benchmark. They need no session and no store. */
#ifndef CK_LUA_POLICY_TOOL_POLICY_TOOL_H
#define CK_LUA_POLICY_TOOL_POLICY_TOOL_H

#include "core/base/clock.h"
#include "core/model/profile.h"
#include "core/model/value.h"
#include "core/runtime/session/policy.h"
#include "lua/vm/sources_list.h"

/* A policy and its problems: {name, version, file, digest, hooks: [{hook, line}], options,
 * problems: [{place, text}], notes: [{place, text, needs}]}; place is "file:line". A note is a
 * problem unless the profile has the setting that it needs. `policy`: the name of a shipped one or
 * a path, and the options that it is tried with. Problems: names that the sandbox lacks, globals,
 * state that outlives a call (seen in the text, and by asking each hook about samples in a used and
 * in fresh VMs), hooks that fail, overrun, or take more than a second of this thread's processor
 * time for all samples. Of a file that does not load there are only file and one problem.
 * CK_E_NOT_FOUND, CK_E_REFUSED, CK_E_OVERSIZE, CK_E_IO. */
#define CK_POLICY_TAIL_NOTE                                                                        \
  "tail is asked of agents that are processes, and by sessions tail; of every agent that resumes " \
  "under a profile with resume_context = \"tail\""
CK_CHECKED ck_status ck_policy_tool_check(ck_value **out, const ck_profile_policy *policy,
                                          ck_error *err);

/* The shipped policies and those found in `folder`, as ck_sources_list: name, version,
 * digest, hooks: [{hook, line}], options. */
CK_CHECKED ck_status ck_policy_tool_list(const char *folder, ck_sources_take take, void *to,
                                         ck_error *err);

/* Costs of each hook over the samples, one after the other: a JSON array of {hook, calls,
 * call_ms?, bare_ms?, ratio?, stopped?, instructions, samples, failures, failure?, contained}.
 * call_ms is the median of batches, with all that a live call does, bare_ms that of calls of an
 * empty function between them, ratio the one by the other; instructions the most that one call
 * took, in units of the budget; stopped: the hook has had a second of this thread's processor
 * time before all calls were made; contained is what holds when a call of that hook fails.
 * CK_E_PARSE and others as of ck_policy_tool_check. */
typedef struct ck_policy_tool_bench_options {
  int64_t calls; /* per hook, from 1 */
  ck_clock clock;
} ck_policy_tool_bench_options;
CK_CHECKED ck_status ck_policy_tool_bench(ck_value **out, const ck_profile_policy *policy,
                                          const ck_policy_tool_bench_options *options,
                                          ck_error *err);

/* One test; borrowed. */
typedef struct ck_policy_tool_test {
  const char *file, *name; /* name NULL: the file itself, which could not be loaded */
  bool ok;
  const char *text; /* why not: "file:line: message" */
} ck_policy_tool_test;
typedef void (*ck_policy_tool_visit)(void *to, const ck_policy_tool_test *test);
/* Recorded sessions that tests look at; borrowed. */
typedef ck_status (*ck_policy_tool_take)(void *to, const ck_boundary *at, ck_error *err);
typedef struct ck_policy_tool_fixtures {
  void *self;
  /* Gives the boundaries of the session to `take`, in order. */
  ck_status (*visit)(void *self, const char *session, ck_policy_tool_take take, void *to,
                     ck_error *err);
} ck_policy_tool_fixtures;
/* What tests reach of the policies that they load, and of the files that these require; shipped
 * ones are not counted. */
typedef struct ck_coverage ck_coverage;
CK_CHECKED ck_status ck_coverage_new(ck_coverage **out, ck_error *err);
void ck_coverage_free(ck_coverage *self); /* NULL: nothing */
/* A JSON array of {file, hook, lines, lines_run, branches, branches_taken, missing: [{line,
 * text}]}, for each hook of each file and without `hook` for what is in none. A line counts that
 * has a statement; each condition (of if, while, until, and what stands before `and` and `or`) has
 * two branches. `missing`: lines that no test reached, conditions that came out one way alone. */
CK_CHECKED ck_status ck_coverage_write(ck_value **out, const ck_coverage *self, ck_error *err);

/* Runs every function test_* of the table that the file returns, by name, each in a VM of its own
 * with lua/ck/test.lua at hand. A file that ends in _test.lua is a test file; of another one the
 * tests are in the file of that name beside it: of smart.lua in smart_test.lua. Paths in it are
 * relative to it. A file that does not load is a test that failed. Of a folder: those of all its
 * files of tests. CK_E_NOT_FOUND: no file, or no tests in it. */
typedef struct ck_policy_tool_tests {
  ck_coverage *coverage;                   /* counts what they reach; NULL: nothing does */
  const ck_policy_tool_fixtures *fixtures; /* NULL: there are none */
  ck_policy_tool_visit visit;
  void *to;
} ck_policy_tool_tests;
CK_CHECKED ck_status ck_policy_tool_run_tests(const char *path, const ck_policy_tool_tests *tests,
                                              ck_error *err);

#endif
