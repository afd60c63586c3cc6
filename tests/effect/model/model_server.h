/* model_server.h - a provider of models for tests, on a port of its own: answers from a script,
 * checks and logs each request.
 *
 * A script has one JSON object a line:
 *   "answer": {"text"?, "thinking"?, "calls"?: [{"name", "arguments": {…}}], "usage"?: {"input",
 *   "output", "cached", "written"}}
 *             in the format and the way (streamed or not) that the request asks for
 *   "status", "headers": {NAME: VALUE}, "body": text or any JSON,
 *   "broken": true   each U+00FF of the body is sent as a byte that is no UTF-8
 *   "type": TYPE the content type, instead of or around an answer
 *   "cut": N     the connection ends after N bytes of the body, or -N before its end
 *   "longer": N  the length that is announced is so many bytes more; then the connection ends
 *   "piece": N   so many bytes in one write
 *   "chunked": true   the body in chunks, of a piece each
 *   "pause_ms": N     before each write
 *   "hang": N    nothing more comes after N bytes of the body
 *   "encoding": "gzip"
 *   "bomb": N    N bytes that are blanks, gzipped
 *   "close": true   the connection ends before any answer
 *   "times": N   so often (0: for ever); otherwise once
 *   "turn": N    answers every request that has so many turns of the assistant, whenever it comes
 * A request that breaks the rules of wire_check is answered with status 400 whatever the script
 * says. Behind the script's end: 500. The log has {"path", "problem", "headers": {…}, "body": …} a
 * line for each request, written before it is answered. */
#ifndef CK_TESTS_EFFECT_MODEL_MODEL_SERVER_H
#define CK_TESTS_EFFECT_MODEL_MODEL_SERVER_H

#include <sys/types.h>

#include "core/base/buffer.h"

typedef struct model_server {
  int port;
  pid_t pid;
  const char *log; /* a file */
  ck_buffer text;  /* of the log, as read last */
} model_server;

/* In a process of its own. A failure ends the test. */
void model_server_start(model_server *self, const char *script);
void model_server_stop(model_server *self);
/* How many requests came; the `index`-th of them (from 0), no bytes behind the last. */
size_t model_server_count(model_server *self);
ck_bytes model_server_request(model_server *self, size_t index);

/* A socket that listens on 127.0.0.1; `*port` is chosen by the system. -1: none can be had. */
int model_server_listen(int *port);
/* Serves for ever. */
__attribute__((noreturn)) void model_server_serve(int listening, ck_bytes script, const char *log);

#endif
