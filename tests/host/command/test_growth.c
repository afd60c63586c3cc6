/* test_growth.c - what commands that show a session read of the store, counted in it: a session
 * that is ten times as long costs a page no more, and ten times as many sessions cost a list of
 * some of them no row more. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/host/cli/options.h"
#include "core/host/command_table.h"
#include "core/runtime/session/session.h"
#include "tests/tap.h"

enum { SHORT = 100, LONG = 1000, WORDS_MAX = 8, SLACK = 300 };

static ck_error err;

/* ---- what SQLite did, on every connection of this process ---- */

typedef struct work {
  int64_t rows;  /* that its statements gave */
  int64_t steps; /* of its virtual machine */
} work;
static work done;

static int count(unsigned what, void *context, void *stmt, void *more) {
  (void)context;
  (void)more;
  if (what == SQLITE_TRACE_ROW) done.rows++;
  if (what == SQLITE_TRACE_PROFILE)
    done.steps += sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
  return 0;
}

static int watch(sqlite3 *db, const char **message, const struct sqlite3_api_routines *api) {
  (void)message;
  (void)api;
  return sqlite3_trace_v2(db, SQLITE_TRACE_ROW | SQLITE_TRACE_PROFILE, count, NULL);
}

/* ---- sessions ---- */

static void append(ck_session *session, int n) {
  char text[160];
  ck_value *body = NULL;
  snprintf(text, sizeof text,
           "{\"message\":{\"role\":\"assistant\",\"content\":\"what agent %d found\"}}", n);
  tap_must(ck_value_new(&body, ck_bytes_text(text), &err) == CK_OK, "a message");
  tap_must(ck_session_append(session, CK_EVENT_MESSAGE, NULL, n % 10 ? "reader" : "writer", body,
                             &err) == CK_OK,
           "it is appended");
  ck_value_free(body);
}

static void step(ck_session *session, int n) {
  char text[32];
  ck_value *small = NULL;
  ck_saved saved;
  snprintf(text, sizeof text, "%d", n);
  append(session, n);
  tap_must(ck_value_new(&small, ck_bytes_text(text), &err) == CK_OK, "a value");
  tap_must(ck_session_put(session, "memory.n", small, &err) == CK_OK, "it is put");
  ck_value_free(small);
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                               &err) == CK_OK,
           "a boundary");
}

static void build(const char *url, int steps) {
  ck_runtime *runtime;
  ck_session *session;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "a store");
  ck_value *about = NULL; /* as ckrun run keeps it */
  tap_must(ck_value_new(&about, ck_bytes_text("{\"directory\":\"/\"}"), &err) == CK_OK, "a value");
  ck_session_options options = {.id = "s", .about = about};
  tap_must(ck_session_start(&session, runtime, &options, &err) == CK_OK, "a session");
  ck_value_free(about);
  for (int i = 1; i <= steps; i++) step(session, i);
  tap_must(ck_session_pause(session, "enough", &err) == CK_OK, "it pauses");
  ck_session_close(session);
  ck_runtime_close(runtime);
}

/* ---- commands ---- */

typedef struct line {
  const char *command; /* its name */
  const char *words[WORDS_MAX];
  double steps; /* of SQLite that it may take more for each step that the session is longer */
} line;

static void parse(const line *of, const ck_command *command, void *values) {
  char *argv[WORDS_MAX + 1] = {(char *)"ckrun"};
  static char globals[CK_COMMAND_VALUES_MAX];
  static const ck_option none[] = {{0}};
  int argc = 1;
  size_t operands = 0;
  while (of->words[argc - 1]) {
    argv[argc] = (char *)of->words[argc - 1];
    argc++;
  }
  ck_option_reader reader = {.argc = argc, .argv = argv, .at = 1};
  reader.targets[0] = (ck_option_target){none, globals};
  reader.targets[1] = (ck_option_target){command->options ? command->options : none, values};
  for (const char *word;;) {
    tap_must(ck_option_reader_next(&word, &reader, &err) == CK_OK, "%s: %s", of->command, err.text);
    if (!word) return;
    tap_must(ck_operand_put(values, command, operands++, word, &err) == CK_OK, "%s", err.text);
  }
}

/* The command as a whole, in this process; what it prints goes nowhere. */
static work run(const line *of, const char *url) {
  const ck_command *command = ck_command_get(&ck_program_commands, of->command);
  _Alignas(max_align_t) char values[CK_COMMAND_VALUES_MAX] = {0};
  ck_output output;
  tap_must(command != NULL, "there is %s", of->command);
  parse(of, command, values);
  fflush(stdout);
  int kept = dup(1), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  tap_must(kept >= 0 && nowhere >= 0 && dup2(nowhere, 1) == 1, "nowhere");
  ck_status status = ck_output_open(&output, &err);
  done = (work){0};
  ck_host host = {.commands = &ck_program_commands, .store = url, .output = &output};
  if (status == CK_OK) status = command->run(&host, values, &err);
  if (status == CK_OK) status = ck_output_flush(&output, &err);
  ck_output_close(&output);
  tap_must(dup2(kept, 1) == 1, "back");
  close(kept);
  close(nowhere);
  tap_must(status == CK_OK, "%s: %s", of->command, err.text);
  return done;
}

static const line lines[] = {
    /* Of the longer one some hundred events and checkpoints lie behind those that are summed up. */
    {"sessions show", {"s"}, 30},
    {"sessions inspect", {"s"}, 0},
    {"sessions inspect", {"s", "first"}, 0},
    {"sessions tail", {"s", "writer", "--last", "5"}, 0},
    {"sessions log", {"s", "--last", "5"}, 0},
    {"sessions log", {"s", "--last", "5", "--before", "100"}, 0},
    {"sessions checkpoints", {"s", "--limit", "5"}, 0},
    {"sessions checkpoints", {"s", "--limit", "5", "--before", "latest"}, 0},
    {"sessions list", {"--limit", "1"}, 0},
};

static void test_line(const line *of, const char *few, const char *many) {
  char words[200] = "";
  for (int i = 0; of->words[i]; i++)
    snprintf(words + strlen(words), sizeof words - strlen(words), " %s", of->words[i]);
  work little = run(of, few), much = run(of, many);
  double steps = (double)(much.steps - little.steps - SLACK) / (LONG - SHORT);
  tap_ok(little.rows > 0 && little.steps > 0, "%s%s reads the store", of->command, words);
  tap_ok(much.rows - little.rows <= 8,
         "%s%s: rows read do not grow with the session: %lld of %d steps, %lld of %d", of->command,
         words, (long long)little.rows, SHORT, (long long)much.rows, LONG);
  tap_ok(steps <= of->steps,
         "%s%s: SQLite's work for each step more: %.1f (%lld of %d steps, %lld of %d)", of->command,
         words, steps, (long long)little.steps, SHORT, (long long)much.steps, LONG);
}

/* ---- many sessions ---- */

enum { SOME = 4, MORE = 40 };

static void build_sessions(const char *url, int count) {
  ck_runtime *runtime;
  tap_must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err) == CK_OK,
           "a store");
  for (int i = 0; i < count; i++) {
    ck_session *session;
    char id[16], flow[32];
    snprintf(id, sizeof id, "s%d", i);
    snprintf(flow, sizeof flow, "/flows/%s.lua", i ? "other" : "first");
    ck_session_options options = {.id = id, .flow = flow};
    tap_must(ck_session_start(&session, runtime, &options, &err) == CK_OK, "a session");
    append(session, i > 0);
    tap_must(ck_session_end(session, i ? CK_SESSION_COMPLETED : CK_SESSION_FAILED, NULL, NULL,
                            &err) == CK_OK,
             "it ends");
    ck_session_close(session);
  }
  ck_runtime_close(runtime);
}

/* steps: of SQLite that may be taken for each session more. */
static const line filters[] = {
    {"sessions list", {"--flow", "first.lua"}, 60},
    {"sessions list", {"--flow", "none.lua"}, 60},
    {"sessions list", {"--agent", "writer"}, 66},
    {"sessions list", {"--agent", "nobody"}, 66},
    {"sessions list", {"--status", "failed"}, 12},
    {"sessions list", {"--resumable"}, 12},
    {"sessions list", {"--flow", "other.lua", "--limit", "2"}, 2},
    {"sessions list", {"--status", "completed", "--limit", "2"}, 2},
};

/* Sessions that are left out are left out by the store: no row of theirs is read. */
static void test_filter(const line *of, const char *few, const char *many) {
  char words[200] = "";
  for (int i = 0; of->words[i]; i++)
    snprintf(words + strlen(words), sizeof words - strlen(words), " %s", of->words[i]);
  work little = run(of, few), much = run(of, many);
  double steps = (double)(much.steps - little.steps) / (MORE - SOME);
  tap_ok(little.steps > 0, "%s%s reads the store", of->command, words);
  tap_ok(much.rows == little.rows, "%s%s reads no rows of sessions that it leaves out: %lld, %lld",
         of->command, words, (long long)little.rows, (long long)much.rows);
  tap_ok(steps <= of->steps, "%s%s: SQLite's work for each session more: %.1f", of->command, words,
         steps);
}

static void test_filters(void) {
  char few[600], many[600];
  snprintf(few, sizeof few, "sqlite:%s", tap_tmpfile("some.db"));
  snprintf(many, sizeof many, "sqlite:%s", tap_tmpfile("more.db"));
  build_sessions(few, SOME);
  build_sessions(many, MORE);
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) test_filter(&filters[i], few, many);
}

int main(void) {
  char few[600], many[600];
  snprintf(few, sizeof few, "sqlite:%s", tap_tmpfile("few.db"));
  snprintf(many, sizeof many, "sqlite:%s", tap_tmpfile("many.db"));
  build(few, SHORT);
  build(many, LONG);
  sqlite3_auto_extension((void (*)(void))watch);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) test_line(&lines[i], few, many);
  test_filters();
  return tap_done();
}
