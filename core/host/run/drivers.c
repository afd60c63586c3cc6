/* drivers.c - the table of drivers: a driver is added by a row here and its files. */
#include "core/host/run/drivers.h"

#include <stdlib.h>

#include "core/effect/ask.h"
#include "core/effect/read.h"
#include "core/effect/sleep.h"
#include "core/host/run/facts.h"
#include "core/host/run/models.h"
#include "core/host/run/programs.h"

/* ---- conditions ---- */

static bool has_commands(const ck_drivers *self) { return self->command_count > 0; }
static bool has_servers(const ck_drivers *self) { return self->processes.server_count > 0; }
static bool has_agents(const ck_drivers *self) { return self->processes.agent_count > 0; }
static bool is_recorded(const ck_drivers *self) { return self->context.cassette; }
static bool is_unrecorded(const ck_drivers *self) { return !self->context.cassette; }

/* ---- how each is opened ---- */

static ck_status open_command(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  ck_command_options options = {.loop = self->context.loop,
                                .tools = self->commands,
                                .tool_count = self->command_count,
                                .directory = self->context.directory};
  return ck_command_driver_new(out, &options, err);
}

/* Tools with a command of their own are run by it; the recording answers the rest. */
static ck_status open_cassette(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  ck_cassette *cassette = self->context.cassette;
  ck_status status =
      self->command_count > 0 ? ck_cassette_leave_out(cassette, self->command_names, err) : CK_OK;
  return status == CK_OK ? ck_cassette_driver_new(out, cassette, self->context.loop, err) : status;
}

static ck_status open_mcp(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_processes_open_servers(out, &self->processes, err);
}

static ck_status open_acp(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_processes_open_agents(out, &self->processes, err);
}

static ck_status open_model(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_models_open_driver(out, &self->context, err);
}

static ck_status open_exec(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_programs_open_driver(out, &self->context, err);
}

static ck_status open_sleep(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_sleep_driver_new(out, self->context.loop, self->context.clock, err);
}

static ck_status open_facts(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  ck_facts_options options = {.loop = self->context.loop,
                              .store = self->context.store,
                              .clock = self->context.clock,
                              .redactor = ck_session_get_redactor(self->context.session)};
  return ck_facts_driver_new(out, &options, err);
}

static ck_status open_read(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_read_driver_new(out, self->context.loop, self->context.clock, self->context.directory,
                            err);
}

static ck_status open_ask(ck_effect_driver **out, ck_drivers *self, ck_error *err) {
  return ck_ask_driver_new(out, self->context.loop, self->context.asker, err);
}

/* The first driver that serves an effect takes it: commands come before a recording, and a
 * recording before the drivers of every flow. */
static const struct row {
  const char *name;                          /* as in ck_effect_driver */
  bool (*condition)(const ck_drivers *self); /* NULL: always opened */
  ck_status (*open)(ck_effect_driver **out, ck_drivers *self, ck_error *err);
} rows[] = {
    {"command", has_commands, open_command},
    {"cassette", is_recorded, open_cassette},
    {"mcp", has_servers, open_mcp},
    {"acp", has_agents, open_acp},
    {"model", is_unrecorded, open_model},
    {"exec", NULL, open_exec},
    {"sleep", NULL, open_sleep},
    {"long_term", NULL, open_facts},
    {"read", NULL, open_read},
    {"ask", NULL, open_ask},
};

/* ---- the list ---- */

static ck_status list_commands(ck_drivers *self, ck_error *err) {
  const ck_flow_manifest *manifest = self->context.manifest;
  self->commands = calloc(manifest->tool_count + 1, sizeof *self->commands);
  self->command_names = calloc(manifest->tool_count + 1, sizeof *self->command_names);
  if (!self->commands || !self->command_names) return ck_error_no_memory(err);
  for (size_t i = 0; i < manifest->tool_count; i++) {
    const ck_flow_tool *tool = &manifest->tools[i];
    if (!tool->argv) continue;
    self->command_names[self->command_count] = tool->name;
    self->commands[self->command_count++] = (ck_command_tool){.name = tool->name,
                                                              .argv = tool->argv,
                                                              .probe = tool->probe,
                                                              .timeout_ms = tool->timeout_ms};
  }
  return CK_OK;
}

/* Room for one more driver and the NULL behind it. */
static ck_status reserve(ck_drivers *self, ck_error *err) {
  if (self->count + 1 < self->cap) return CK_OK;
  size_t cap = self->cap ? 2 * self->cap : 16;
  ck_effect_driver **list = reallocarray(self->list, cap, sizeof(ck_effect_driver *));
  if (!list) return ck_error_no_memory(err);
  for (size_t i = self->count; i < cap; i++) list[i] = NULL;
  self->list = list;
  self->cap = cap;
  return CK_OK;
}

static ck_status open_row(ck_drivers *self, const struct row *row, ck_error *err) {
  if (row->condition && !row->condition(self)) return CK_OK;
  ck_status status = reserve(self, err);
  if (status == CK_OK) status = row->open(&self->list[self->count], self, err);
  if (status == CK_OK) self->count++;
  return status;
}

ck_status ck_drivers_open(ck_drivers *self, const ck_driver_context *context, ck_error *err) {
  self->context = *context;
  ck_status status = list_commands(self, err);
  if (status == CK_OK) status = ck_processes_sort(&self->processes, &self->context, err);
  for (size_t i = 0; i < sizeof rows / sizeof *rows && status == CK_OK; i++)
    status = open_row(self, &rows[i], err);
  return status;
}

void ck_drivers_close(ck_drivers *self) {
  for (size_t i = 0; i < self->count; i++) self->list[i]->free(self->list[i]->self);
  ck_processes_clear(&self->processes);
  free(self->list);
  free(self->commands);
  free(self->command_names);
  *self = (ck_drivers){0};
}
