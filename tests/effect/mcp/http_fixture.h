/* http_fixture.h - the tests' MCP server over HTTP, called through the driver as the runtime
 * would. */
#ifndef CK_TESTS_EFFECT_MCP_HTTP_FIXTURE_H
#define CK_TESTS_EFFECT_MCP_HTTP_FIXTURE_H

#include <sys/types.h>

#include "tests/effect/mcp/mcp_fixture.h"

typedef struct http_fixture {
  mcp_fixture mcp; /* its process has the url of the server */
  char folder[256], url[64];
  pid_t server;
  int input; /* of the server, which ends with it */
} http_fixture;

#define HTTP_SECRET "s3cret-of-the-box"

/* A server with a folder of its own, and options that may be changed before mcp_fixture_open. */
void http_fixture_begin(http_fixture *self, ck_loop *loop);
/* A call of the tool "do", whose arguments are what the server does. */
const ck_outcome *http_fixture_call(http_fixture *self, ck_effect_class class,
                                    const char *arguments);
/* The text of a file of the server's folder, "" without; until the next call. */
const char *http_fixture_read(const http_fixture *self, const char *name);
void http_fixture_write(const http_fixture *self, const char *name, const char *text);
/* How many lines of the file have the text ("": all). */
int http_fixture_count(const http_fixture *self, const char *name, const char *text);
/* Ends the driver; the server goes on. */
void http_fixture_close(http_fixture *self);
/* Both. */
void http_fixture_end(http_fixture *self);

#endif
