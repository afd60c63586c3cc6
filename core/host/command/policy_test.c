/* policy_test.c - policy test: runs the tests of policies in the real sandbox and prints TAP. */
#include "core/base/log.h"
#include "core/host/cli/watch.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/coverage.h"
#include "core/host/print/document.h"
#include "core/runtime/simulation/recording.h"
#include "lua/policy_tool/policy_tool.h"

typedef struct values {
  ck_words files;
  bool coverage, watch;
} values;

typedef struct testing {
  ck_output *output;
  size_t count, failed;
  ck_status status;
  ck_error *err;
} testing;

static void append_name(ck_buffer *to, ck_output *output, const ck_policy_tool_test *test) {
  ck_output_append_safe(output, to, ck_bytes_text(test->file));
  ck_buffer_append_text(to, ": ");
  if (test->name)
    ck_output_append_safe(output, to, ck_bytes_text(test->name));
  else
    ck_buffer_append_text(to, "loads");
}

static void print_line(testing *self, const ck_policy_tool_test *test) {
  ck_buffer line = {0};
  ck_buffer_append_format(&line, "%s %zu - ", test->ok ? "ok" : "not ok", self->count);
  append_name(&line, self->output, test);
  ck_buffer_append_char(&line, '\n');
  if (!test->ok) {
    ck_buffer_append_text(&line, "#   ");
    ck_output_append_safe(self->output, &line, ck_bytes_text(test->text));
    ck_buffer_append_char(&line, '\n');
  }
  self->status = ck_buffer_check(&line, self->err);
  if (self->status == CK_OK) ck_output_write(self->output, ck_buffer_bytes(&line));
  ck_buffer_clear(&line);
}

static void print_json(testing *self, const ck_policy_tool_test *test) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "file", test->file);
  ck_document_put_text(&document, NULL, "test", test->name);
  ck_document_put_bool(&document, NULL, "ok", test->ok);
  if (!test->ok) ck_document_put_text(&document, NULL, "text", test->text);
  self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
}

static void visit(void *to, const ck_policy_tool_test *test) {
  testing *self = to;
  if (self->count++ == 0 && !self->output->json) ck_output_print(self->output, "TAP version 13\n");
  self->failed += !test->ok;
  if (self->status != CK_OK) return;
  if (self->output->json)
    print_json(self, test);
  else
    print_line(self, test);
}

static ck_status print_coverage(testing *self, const ck_coverage *coverage, ck_error *err) {
  ck_value *parts = NULL;
  ck_status status = ck_coverage_write(&parts, coverage, err);
  if (status == CK_OK) status = ck_coverage_print(self->output, ck_value_bytes(parts), err);
  ck_value_free(parts);
  return status;
}

/* ---- recorded sessions ---- */

/* The store is opened when the first test looks at a session. */
typedef struct sessions {
  const ck_host *host;
  ck_inspection inspection;
  bool opened;
} sessions;

static ck_status open_sessions(sessions *self, ck_error *err) {
  if (!self->opened) {
    ck_status status = ck_inspection_open(&self->inspection, self->host, err);
    if (status != CK_OK) return status;
    self->opened = true;
  }
  if (self->inspection.store) return CK_OK;
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "there is no store %s, from which tests read sessions: name one with --store",
                      self->inspection.location.url);
}

static ck_status visit_boundaries(void *of, const char *session, ck_policy_tool_take take, void *to,
                                  ck_error *err) {
  sessions *self = of;
  char id[CK_ID_SIZE];
  ck_recording *recording = NULL;
  ck_status status = open_sessions(self, err);
  if (status == CK_OK) status = ck_resolve_session(id, self->inspection.store, session, err);
  if (status == CK_OK) status = ck_recording_read(&recording, self->inspection.store, id, err);
  ck_changed_keys changed = {0};
  for (size_t i = 0; status == CK_OK && i < recording->boundary_count; i++) {
    const ck_recorded_boundary *shown = &recording->boundaries[i];
    ck_boundary at = shown->at;
    at.since.changed = &changed;
    status = ck_recorded_boundary_add_changes(&changed, shown, err);
    if (status == CK_OK) status = take(to, &at, err);
    if (shown->taken) ck_changed_keys_clear(&changed);
  }
  ck_changed_keys_clear(&changed);
  ck_recording_free(recording);
  return status;
}

static ck_status run_files(testing *self, const ck_words *files, ck_coverage *coverage,
                           const ck_host *host, ck_error *err) {
  sessions of = {.host = host};
  ck_policy_tool_fixtures fixtures = {&of, visit_boundaries};
  ck_policy_tool_tests tests = {
      .coverage = coverage, .fixtures = &fixtures, .visit = visit, .to = self};
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < files->count; i++)
    status = ck_policy_tool_run_tests(files->list[i], &tests, err);
  if (of.opened) ck_inspection_close(&of.inspection);
  if (status == CK_OK) status = self->status;
  if (status != CK_OK) return status;
  if (!self->output->json) ck_output_print(self->output, "1..%zu\n", self->count);
  return coverage ? print_coverage(self, coverage, err) : CK_OK;
}

static ck_status run_once(ck_host *host, const values *v, ck_error *err) {
  testing self = {.output = host->output, .status = CK_OK, .err = err};
  ck_coverage *coverage = NULL;
  ck_status status = v->coverage ? ck_coverage_new(&coverage, err) : CK_OK;
  if (status == CK_OK) status = run_files(&self, &v->files, coverage, host, err);
  ck_coverage_free(coverage);
  if (status == CK_OK && self.failed)
    status = ck_error_set(err, CK_E_FAILED, "%zu of %zu tests failed", self.failed, self.count);
  return status;
}

/* What fails is told, and waited for until it is mended. */
static ck_status run_watching(ck_host *host, const values *v, ck_error *err) {
  ck_watch watch;
  ck_status status = ck_watch_open(&watch, &v->files, err);
  if (status != CK_OK) return status;
  do {
    status = run_once(host, v, err);
    if (status != CK_OK) ck_log_line(CK_LOG_ERROR, "%s", err->text);
    status = ck_output_flush(host->output, err);
  } while (status == CK_OK && ck_watch_wait(&watch));
  ck_watch_close(&watch);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  return v->watch ? run_watching(host, v, err) : run_once(host, v, err);
}

static const ck_option options[] = {
    {.name = "coverage",
     .type = CK_OPTION_FLAG,
     .offset = offsetof(values, coverage),
     .help = "show which lines and branches of each hook the tests reach"},
    {.name = "watch",
     .type = CK_OPTION_FLAG,
     .offset = offsetof(values, watch),
     .help = "run them again whenever a Lua file in their folders changes, until a signal"},
    {0},
};

static const ck_operand operands[] = {
    {.name = "FILE",
     .many = true,
     .offset = offsetof(values, files),
     .complete = CK_COMPLETE_FILE,
     .help = "a file of tests (…_test.lua), a policy with such a file beside it, or a folder"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun policy test policy.lua --coverage", "its tests, and what they do not reach"},
    {0},
};

const ck_command ck_command_policy_test = {
    .name = "policy test",
    .summary = "run the tests of policies in the real sandbox",
    .details = "A file of tests returns a table; its functions test_* run by name, each in a "
               "sandbox of its own. Of mine.lua the tests are in mine_test.lua beside it, of "
               "a folder in all its files …_test.lua. require \"ck.test\" has what they are "
               "written with, test.session \"ID\" the boundaries of a recorded session: "
               "lua/ck/test.lua begins with an example. Prints TAP; exit code 1 when a test "
               "fails. Branches are the two ways out of each condition, also of what stands "
               "before 'and' and 'or'; shipped policies are not counted. With --watch each run "
               "prints its own plan; the exit code is 0.",
    .options = options,
    .operands = operands,
    .examples = examples,
    .run = run,
};
