/* command.c - carries tool effects out by running programs. */
#include "core/effect/process/command.h"

#include <stdlib.h>
#include <string.h>

#include "core/effect/process/child.h"
#include "core/effect/process/command_result.h"
#include "core/effect/process/ending.h"
#include "core/effect/process/environment.h"

typedef struct command_driver command_driver;

struct ck_effect_run {
  command_driver *driver;
  const ck_command_tool *tool;
  bool probe, repeats;
  ck_effect_sink *sink;
  ck_child *child;
  ck_outcome *spare;              /* delivered when there is no memory for the true outcome */
  ck_effect_run *next, *previous; /* of the driver */
};

struct command_driver {
  ck_effect_driver driver;
  ck_command_options options;
  ck_environment environment; /* the inherited part */
  ck_effect_run *runs;
};

static const ck_command_tool *find_tool(const command_driver *self, const ck_effect *effect) {
  if (effect->kind != CK_EFFECT_TOOL) return NULL;
  ck_bytes name = ck_json_get(effect->request, "name");
  for (size_t i = 0; i < self->options.tool_count; i++) {
    if (ck_json_is_text(name, self->options.tools[i].name)) return &self->options.tools[i];
  }
  return NULL;
}

static bool serves(void *self, const ck_effect *effect) { return find_tool(self, effect) != NULL; }

static bool probes(void *self, const ck_effect *effect) {
  const ck_command_tool *tool = find_tool(self, effect);
  return tool && tool->probe;
}

/* Line breaks between the tokens of JSON are mere space, and strings contain none. */
static void append_line_of(ck_buffer *out, ck_bytes json) {
  for (size_t i = 0; i < json.len; i++) {
    char c = json.data[i];
    ck_buffer_append_char(out, c == '\n' || c == '\r' ? ' ' : c);
  }
}

static ck_status append_arguments(ck_buffer *out, ck_bytes arguments, ck_error *err) {
  ck_buffer text = {0};
  ck_error ignored = CK_ERROR_INIT;
  if (!arguments.len) arguments = ck_bytes_text("null");
  bool is_text = ck_json_read_string(&text, arguments);
  ck_status status = ck_buffer_check(&text, err);
  if (!status) {
    bool holds_json = is_text && ck_json_check(ck_buffer_bytes(&text), &ignored) == CK_OK;
    append_line_of(out, holds_json ? ck_buffer_bytes(&text) : arguments);
  }
  ck_buffer_clear(&text);
  return status;
}

static ck_status make_input(ck_buffer *out, const ck_command_tool *tool, const ck_effect *effect,
                            ck_error *err) {
  ck_buffer arguments = {0};
  ck_status status = append_arguments(&arguments, ck_json_get(effect->request, "arguments"), err);
  ck_json_writer w = {.out = out};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "name", tool->name);
  ck_json_member_raw(&w, "arguments", ck_buffer_bytes(&arguments));
  ck_json_member_text(&w, "key", effect->key);
  ck_json_member_int(&w, "attempt", effect->attempt);
  ck_json_end(&w, '}');
  ck_buffer_append_char(out, '\n');
  if (!status) status = ck_buffer_check(&arguments, err);
  if (!status) status = ck_buffer_check(out, err);
  ck_buffer_clear(&arguments);
  return status;
}

static void unlink_run(ck_effect_run *run) {
  if (run->previous)
    run->previous->next = run->next;
  else
    run->driver->runs = run->next;
  if (run->next) run->next->previous = run->previous;
}

static void link_run(ck_effect_run *run) {
  run->next = run->driver->runs;
  if (run->next) run->next->previous = run;
  run->driver->runs = run;
}

static void on_ended(void *to, const ck_child_end *end) {
  ck_effect_run *run = to;
  ck_effect_sink *sink = run->sink;
  ck_outcome *outcome = NULL;
  ck_error err = CK_ERROR_INIT;
  const ck_child_end known = ck_ending_known(end, run->probe || run->repeats);
  if (ck_command_outcome(&outcome, run->tool->name, &known, run->probe, &err)) {
    outcome = run->spare;
    run->spare = NULL;
    if (end->ending != CK_CHILD_UNSTARTED) outcome->status = CK_OUTCOME_UNKNOWN;
  }
  ck_outcome_free(run->spare);
  unlink_run(run);
  free(run);
  sink->done(sink, outcome);
}

/* The child's environment: the inherited variables and those that name the effect. `*out` is one
 * allocation for the pointers; `own` holds the texts. */
static ck_status make_environment(char ***out, const command_driver *self, const ck_effect *effect,
                                  ck_buffer own[2], ck_error *err) {
  ck_buffer_append_format(&own[0], "CKRUN_EFFECT_KEY=%s", effect->key);
  ck_buffer_append_format(&own[1], "CKRUN_EFFECT_ATTEMPT=%u", effect->attempt);
  char **list = calloc(self->environment.count + 3, sizeof *list);
  if (!list || own[0].failed || own[1].failed) {
    free(list);
    return ck_error_no_memory(err);
  }
  memcpy(list, self->environment.list, self->environment.count * sizeof *list);
  list[self->environment.count] = own[0].data;
  list[self->environment.count + 1] = own[1].data;
  *out = list;
  return CK_OK;
}

static ck_status start_child(ck_effect_run *run, const ck_effect *effect, ck_bytes input,
                             ck_error *err) {
  const ck_command_options *limits = &run->driver->options;
  ck_buffer own[2] = {{0}, {0}};
  char **environment = NULL;
  ck_status status = make_environment(&environment, run->driver, effect, own, err);
  if (!status) {
    ck_child_options options = {
        .loop = limits->loop,
        .argv = (char *const *)(run->probe ? run->tool->probe : run->tool->argv),
        .environment = environment,
        .directory = limits->directory,
        .input = input,
        .output_max = limits->output_max,
        .error_max = CK_COMMAND_TEXT_MAX,
        .grace_ms = limits->grace_ms,
        .kill_ms = limits->kill_ms,
        .deadline_ms =
            ck_child_deadline(effect->deadline_ms, run->tool->timeout_ms ? run->tool->timeout_ms
                                                                         : CK_COMMAND_TIMEOUT_MS),
        .ended = on_ended,
        .to = run,
    };
    status = ck_child_start(&run->child, &options, err);
  }
  free(environment);
  ck_buffer_clear(&own[0]);
  ck_buffer_clear(&own[1]);
  return status;
}

static ck_status make_spare(ck_outcome **out, bool probe, ck_error *err) {
  ck_outcome_status as = probe ? CK_OUTCOME_UNKNOWN : CK_OUTCOME_FAILED;
  ck_status status = ck_outcome_new(out, as, NULL, ck_status_text(CK_E_NO_MEMORY), err);
  if (!status) (*out)->error_status = CK_E_NO_MEMORY;
  return status;
}

static ck_status begin(ck_effect_run **out, const ck_effect_run *wanted, const ck_effect *effect,
                       ck_error *err) {
  ck_buffer input = {0};
  *out = NULL;
  ck_effect_run *run = malloc(sizeof *run);
  if (!run) return ck_error_no_memory(err);
  *run = *wanted;
  run->repeats = ck_effect_class_repeats(effect->class);
  ck_status status = make_spare(&run->spare, run->probe, err);
  if (!status) status = make_input(&input, run->tool, effect, err);
  if (!status) status = start_child(run, effect, ck_buffer_bytes(&input), err);
  ck_buffer_clear(&input);
  if (status) {
    ck_outcome_free(run->spare);
    free(run);
    return status;
  }
  link_run(run);
  *out = run;
  return CK_OK;
}

static ck_status start(ck_effect_run **out, void *self, const ck_effect *effect,
                       ck_effect_sink *sink, ck_error *err) {
  const ck_effect_run wanted = {.driver = self, .tool = find_tool(self, effect), .sink = sink};
  return begin(out, &wanted, effect, err);
}

static ck_status probe(ck_effect_run **out, void *self, const ck_effect *effect,
                       ck_effect_sink *sink, ck_error *err) {
  const ck_effect_run wanted = {
      .driver = self, .tool = find_tool(self, effect), .sink = sink, .probe = true};
  return begin(out, &wanted, effect, err);
}

static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  ck_child_cancel(run->child);
}

static void free_driver(void *to) {
  command_driver *self = to;
  while (self->runs) {
    ck_effect_run *run = self->runs;
    ck_child_drop(run->child);
    ck_outcome_free(run->spare);
    unlink_run(run);
    free(run);
  }
  ck_environment_clear(&self->environment);
  free(self);
}

ck_status ck_command_driver_new(ck_effect_driver **out, const ck_command_options *options,
                                ck_error *err) {
  *out = NULL;
  command_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  if (!self->options.output_max) self->options.output_max = CK_COMMAND_OUTPUT_MAX;
  if (!self->options.grace_ms) self->options.grace_ms = CK_COMMAND_GRACE_MS;
  if (!self->options.kill_ms) self->options.kill_ms = CK_COMMAND_KILL_MS;
  ck_status status = ck_environment_take(&self->environment, NULL, err);
  if (status) {
    free_driver(self);
    return status;
  }
  self->driver = (ck_effect_driver){.name = "command",
                                    .self = self,
                                    .serves = serves,
                                    .start = start,
                                    .probe = probe,
                                    .probes = probes,
                                    .cancel = cancel,
                                    .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
