/* mcp_fixture.c - the tests' MCP server, and a sink that keeps its updates. */
#include "tests/effect/mcp/mcp_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/tap.h"

static ck_loop *loop;
static char path[1024];

void mcp_fixture_init(ck_loop *with) {
  const char *build = getenv("CKRUN_BUILD");
  loop = with;
  snprintf(path, sizeof path, "%s/tests/effect/mcp/tool_mcp_server",
           build ? build : "build/release");
  if (access(path, X_OK)) tap_skip_all("%s is not built", path);
}

static void on_update(ck_effect_sink *sink, ck_bytes chunk) {
  mcp_fixture *self = (mcp_fixture *)(void *)sink;
  ck_buffer_append_bytes(&self->updates, chunk);
  ck_buffer_append_char(&self->updates, '\n');
}

void mcp_fixture_begin(mcp_fixture *self, const char *mode, const char *argument) {
  *self = (mcp_fixture){.argv = {path, mode, argument}};
  self->process = (ck_process){.name = "box", .argv = self->argv};
  self->options =
      (ck_mcp_options){.service = {.loop = loop, .kill_ms = MCP_SCENE_SHORT_MS, .version = "1.2.3"},
                       .servers = &self->process,
                       .server_count = 1};
  drive_init(&self->drive, loop);
  self->drive.sink.update = on_update;
}

void mcp_fixture_open(mcp_fixture *self) {
  tap_must(ck_mcp_driver_new(&self->driver, &self->options, NULL) == CK_OK, "there is a driver");
}

void mcp_fixture_set(mcp_fixture *self, ck_effect_class class, const char *tool,
                     const char *arguments) {
  ck_buffer_reset(&self->request);
  if (tool)
    ck_buffer_append_format(&self->request, "{\"server\":\"box\",\"name\":\"%s\",\"arguments\":%s}",
                            tool, arguments ? arguments : "{}");
  else
    ck_buffer_append_text(&self->request, "{\"server\":\"box\",\"list\":true}");
  self->effect = (ck_effect){.scope = "main",
                             .key = "main/agent#3/tool/1",
                             .attempt = 1,
                             .kind = CK_EFFECT_TOOL,
                             .class = class,
                             .request = ck_buffer_bytes(&self->request)};
}

const ck_outcome *mcp_fixture_call(mcp_fixture *self, ck_effect_class class, const char *tool,
                                   const char *arguments) {
  mcp_fixture_set(self, class, tool, arguments);
  return drive_effect(&self->drive, self->driver, &self->effect, false);
}

void mcp_fixture_close(mcp_fixture *self) {
  if (self->driver) self->driver->free(self->driver->self);
  self->driver = NULL;
  drive_clear(&self->drive);
  ck_buffer_clear(&self->request);
  ck_buffer_clear(&self->updates);
}
