/* graph_run.h - runs of graphs for tests, whose tools answer with their own names. */
#ifndef CK_TESTS_LUA_FLOW_GRAPH_RUN_H
#define CK_TESTS_LUA_FLOW_GRAPH_RUN_H

#include "tests/lua/flow/flow_driver.h"
#include "tests/lua/flow/flow_run.h"

#define GRAPH_FLOW "local flow = require \"ck.flow\"\n"
/* A function that makes one effect and keeps what it gave. */
#define GRAPH_CALL                                                                              \
  "local function call(ctx, name)\n"                                                            \
  "  local got = ctx.effect { kind = \"tool\", class = \"once\", request = { name = name } }\n" \
  "  if got.status ~= \"ok\" then error(got.error, 0) end\n"                                    \
  "  return got.result\nend\n"

/* The name of a tool call; valid until the next call. */
const char *graph_name_of(const ck_effect *effect);
/* Answers a tool with its name, anything else with true. */
const char *graph_echo(void *to, const ck_effect *effect);
/* The flow of a text or a file, answered by graph_echo. */
flow_run graph_open(const char *text);
flow_run graph_open_file(const char *path);

/* Calls of the tool `name` fail the first `times` times. */
typedef struct graph_failing {
  const char *name;
  int times;
} graph_failing;

/* Answers as graph_echo does, but for the failing calls of `to`, a graph_failing. */
const char *graph_fail_first(void *to, const ck_effect *effect);

/* Dies after each number of moves, again and again, and compares `keys` (ended by NULL) with a run
 * without kills. */
void graph_survives(const char *text, const char *const *keys, const char *promise);
/* The flow fails with an error that contains `say`. */
void graph_fails(const char *text, const char *say, const char *promise);

#endif
