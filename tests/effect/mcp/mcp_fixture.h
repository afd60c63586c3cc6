/* mcp_fixture.h - the tests' MCP server, called through the driver as the runtime would. */
#ifndef CK_TESTS_EFFECT_MCP_MCP_FIXTURE_H
#define CK_TESTS_EFFECT_MCP_MCP_FIXTURE_H

#include "core/effect/mcp/mcp.h"
#include "tests/effect/drive.h"

enum { MCP_SCENE_SHORT_MS = 60 };

typedef struct mcp_fixture {
  drive drive; /* first: the sink is the fixture */
  const char *argv[6];
  ck_process process;
  ck_mcp_options options;
  ck_effect_driver *driver;
  ck_effect effect;
  ck_buffer request, updates; /* updates: one a line */
} mcp_fixture;

/* Must be called first: finds the server's program, or ends the test as skipped. */
void mcp_fixture_init(ck_loop *loop);
/* `mode` and `argument` may be NULL. The driver is made by mcp_fixture_open; options may be changed
 * before. */
void mcp_fixture_begin(mcp_fixture *self, const char *mode, const char *argument);
void mcp_fixture_open(mcp_fixture *self);
/* Sets the effect: a call of `tool` with `arguments` (JSON), or, with NULL, the list. */
void mcp_fixture_set(mcp_fixture *self, ck_effect_class class, const char *tool,
                     const char *arguments);
/* Sets and carries out the effect; the outcome is borrowed until the next one. */
const ck_outcome *mcp_fixture_call(mcp_fixture *self, ck_effect_class class, const char *tool,
                                   const char *arguments);
void mcp_fixture_close(mcp_fixture *self);

#endif
