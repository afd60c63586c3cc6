/* mcp.c - carries out tool effects through MCP servers. */
#include "core/effect/mcp/mcp.h"

#include <stdlib.h>

#include "core/effect/mcp/private.h"

typedef struct mcp_driver {
  ck_effect_driver driver;
  ck_mcp_options options;
  ck_mcp_server *servers;
  size_t count;
  ck_http *http; /* NULL: no server with a url was needed */
} mcp_driver;

static void clear_run(ck_effect_run *run) { ck_buffer_clear(&run->tools); }

/* ---- the driver ---- */

static ck_mcp_server *find_server(mcp_driver *self, const ck_effect *effect) {
  if (effect->kind != CK_EFFECT_TOOL) return NULL;
  ck_bytes name = ck_json_get(effect->request, "server");
  for (size_t i = 0; name.len && i < self->count; i++) {
    if (ck_json_is_text(name, self->servers[i].service.process->name)) return &self->servers[i];
  }
  return NULL;
}

static bool serves(void *self, const ck_effect *effect) {
  return find_server(self, effect) != NULL;
}

/* The tool that answers whether the effect happened; NULL: there is none. */
static const char *find_probe(mcp_driver *self, const ck_effect *effect) {
  const ck_mcp_server *server = find_server(self, effect);
  const char *const *it = server ? server->service.process->probes : NULL;
  for (; it && *it; it += 2) {
    if (ck_json_is_text(ck_mcp_name_of(effect), it[0])) return it[1];
  }
  return NULL;
}

static bool probes(void *self, const ck_effect *effect) { return find_probe(self, effect) != NULL; }

static ck_status begin(ck_effect_run **out, ck_mcp_server *server, const ck_effect_run *wanted,
                       ck_error *err) {
  ck_effect_run *run;
  *out = NULL;
  ck_status status =
      ck_pending_call_new(&run, &server->runs, wanted->pending.effect, wanted->pending.sink, err);
  if (status != CK_OK) return status;
  run->server = server;
  run->list = wanted->list;
  run->probe = wanted->probe;
  run->pending.probes = wanted->probe != NULL;
  ck_mcp_server_call(server, run);
  *out = run;
  return CK_OK;
}

static ck_status start(ck_effect_run **out, void *self, const ck_effect *effect,
                       ck_effect_sink *sink, ck_error *err) {
  ck_mcp_server *server = find_server(self, effect);
  bool list = false;
  *out = NULL;
  ck_json_read_bool(&list, ck_json_get(effect->request, "list"));
  if (!list && ck_json_type_of(ck_json_get(effect->request, "name")) != CK_JSON_STRING) {
    return ck_error_set(err, CK_E_TYPE, "a request of %s needs 'name', a tool, or 'list = true'",
                        server->service.label);
  }
  const ck_effect_run wanted = {.pending = {.effect = effect, .sink = sink}, .list = list};
  return begin(out, server, &wanted, err);
}

static ck_status probe(ck_effect_run **out, void *self, const ck_effect *effect,
                       ck_effect_sink *sink, ck_error *err) {
  const ck_effect_run wanted = {.pending = {.effect = effect, .sink = sink},
                                .probe = find_probe(self, effect)};
  return begin(out, find_server(self, effect), &wanted, err);
}

static void cancel(void *self, ck_effect_run *run) {
  (void)self;
  if (!run->pending.outcome && !run->cancelled) ck_mcp_server_cancel(run);
}

static void free_driver(void *to) {
  mcp_driver *self = to;
  for (size_t i = 0; i < self->count; i++) {
    ck_mcp_server_clear(&self->servers[i]);
    ck_pending_calls_clear(&self->servers[i].runs);
  }
  ck_http_free(self->http);
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
    ck_pending_calls_init(&self->servers[i].runs, options->service.loop, sizeof(ck_effect_run),
                          clear_run);
    self->servers[i].client = &self->http;
    status = ck_mcp_server_init(&self->servers[self->count++], &self->options, &options->servers[i],
                                err);
  }
  if (status != CK_OK) {
    free_driver(self);
    return status;
  }
  self->driver = (ck_effect_driver){.name = "mcp",
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
