/* mcp.c - carries tool effects out by asking MCP servers. */
#include "core/effect/mcp.h"

#include <stdlib.h>

#include "core/effect/mcp_private.h"

typedef struct mcp_driver {
  ck_effect_driver driver;
  ck_mcp_options options;
  ck_mcp_server *servers;
  size_t count;
} mcp_driver;

/* ---- ends ---- */

/* Pure and idempotent calls may simply be made again; of any other it matters whether it took effect. */
static bool is_harmless(const ck_effect *effect) {
  return effect->class == CK_EFFECT_PURE || effect->class == CK_EFFECT_IDEMPOTENT;
}

static void remove_run(ck_effect_run *run) {
  run->previous->next = run->next;
  run->next->previous = run->previous;
  ck_loop_withdraw(&run->task);
  ck_buffer_clear(&run->tools);
  ck_outcome_free(run->spare);
  ck_outcome_free(run->outcome);
  free(run);
}

static void on_due(void *to) {
  ck_effect_run *run = to;
  ck_effect_sink *sink = run->sink;
  ck_outcome *outcome = run->outcome;
  run->outcome = NULL;
  remove_run(run);
  sink->done(sink, outcome);
}

void ck_mcp_deliver(ck_effect_run *run, ck_outcome *outcome) {
  run->outcome = outcome;
  if (!outcome) {
    run->outcome = run->spare;
    run->spare = NULL;
    if (run->sent && !is_harmless(run->effect)) run->outcome->status = CK_OUTCOME_UNKNOWN;
  }
  ck_loop_defer(run->server->options->service.loop, &run->task, on_due, run);
}

void ck_mcp_lose(ck_effect_run *run, ck_status class, const char *why) {
  ck_outcome *outcome = NULL;
  ck_error ignored = CK_ERROR_INIT;
  bool unknown = run->sent && !is_harmless(run->effect);
  if (class == CK_OK && !unknown) {
    ck_mcp_tell(run, why);
    return;
  }
  if (ck_outcome_new(&outcome, unknown ? CK_OUTCOME_UNKNOWN : CK_OUTCOME_FAILED, NULL, why, &ignored) == CK_OK) outcome->error_status = class;
  ck_mcp_deliver(run, outcome);
}

void ck_mcp_tell(ck_effect_run *run, const char *text) {
  ck_outcome *outcome = NULL;
  ck_value *value = NULL;
  ck_error line, ignored = CK_ERROR_INIT;
  ck_error_set(&line, CK_E_FAILED, "%s", text);
  if (ck_value_text(&value, ck_bytes_text(text), &ignored) == CK_OK) {
    if (ck_outcome_new(&outcome, CK_OUTCOME_ERROR, value, line.text, &ignored) != CK_OK) outcome = NULL;
  }
  ck_value_free(value);
  ck_mcp_deliver(run, outcome);
}

/* ---- the driver ---- */

static ck_mcp_server *find_server(mcp_driver *self, const ck_effect *effect) {
  if (effect->kind != CK_EFFECT_TOOL) return NULL;
  ck_bytes name = ck_json_get(effect->request, "server");
  for (size_t i = 0; name.len && i < self->count; i++) {
    if (ck_json_is_text(name, self->servers[i].service.process->name)) return &self->servers[i];
  }
  return NULL;
}

static bool serves(void *self, const ck_effect *effect) { return find_server(self, effect) != NULL; }

static ck_status start(ck_effect_run **out, void *self, const ck_effect *effect, ck_effect_sink *sink, ck_error *err) {
  ck_mcp_server *server = find_server(self, effect);
  bool list = false;
  *out = NULL;
  ck_json_read_bool(&list, ck_json_get(effect->request, "list"));
  if (!list && ck_json_type_of(ck_json_get(effect->request, "name")) != CK_JSON_STRING) {
    return ck_error_set(err, CK_E_TYPE, "a request of %s needs 'name', a tool, or 'list = true'", server->service.label);
  }
  ck_effect_run *run = calloc(1, sizeof *run);
  if (!run) return ck_error_no_memory(err);
  *run = (ck_effect_run){.server = server, .effect = effect, .sink = sink, .list = list};
  ck_status status = ck_outcome_new(&run->spare, CK_OUTCOME_FAILED, NULL, ck_status_text(CK_E_NO_MEMORY), err);
  if (status != CK_OK) {
    free(run);
    return status;
  }
  run->spare->error_status = CK_E_NO_MEMORY;
  run->next = &server->runs;
  run->previous = server->runs.previous;
  run->previous->next = run->next->previous = run;
  ck_mcp_server_ask(server, run);
  *out = run;
  return CK_OK;
}

static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  if (run->outcome) return;
  ck_mcp_server_withdraw(run, "cancelled");
  ck_mcp_lose(run, CK_E_INTERRUPTED, "it was cancelled");
}

static void free_driver(void *to) {
  mcp_driver *self = to;
  for (size_t i = 0; i < self->count; i++) {
    ck_mcp_server *server = &self->servers[i];
    ck_mcp_server_clear(server);
    while (server->runs.next != &server->runs) remove_run(server->runs.next);
  }
  free(self->servers);
  free(self);
}

ck_status ck_mcp_driver_new(ck_effect_driver **out, const ck_mcp_options *options, ck_error *err) {
  *out = NULL;
  mcp_driver *self = calloc(1, sizeof *self);
  if (!self) return ck_error_no_memory(err);
  self->options = *options;
  self->servers = calloc(options->server_count ? options->server_count : 1, sizeof *self->servers);
  ck_status status = self->servers ? CK_OK : ck_error_no_memory(err);
  for (size_t i = 0; status == CK_OK && i < options->server_count; i++) {
    status = ck_mcp_server_init(&self->servers[self->count++], &self->options, &options->servers[i], err);
  }
  if (status != CK_OK) {
    free_driver(self);
    return status;
  }
  self->driver = (ck_effect_driver){.name = "mcp", .self = self, .serves = serves, .start = start, .cancel = cancel, .free = free_driver};
  *out = &self->driver;
  return CK_OK;
}
