/* process.h - a child process that carries out effects, or a server that does, as a flow declares
 * it. */
#ifndef CK_EFFECT_PROCESS_PROCESS_H
#define CK_EFFECT_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ck_process {
  const char *name;        /* its name in requests */
  const char *const *argv; /* NULL-terminated, at least the program; found by PATH, no shell */
  /* of an MCP server that is reached over HTTP, in place of argv; NULL: none */
  const char *url;
  /* its headers, in threes: name, "text", "secret" or "bearer", and the text, or the name of the
   * secret; NULL-terminated; NULL: none */
  const char *const *headers;
  bool roots;       /* of an MCP server: it may be told in which folder tools run */
  bool elicitation; /* likewise: it may ask a person in the midst of a call */
  bool sampling;    /* likewise: it may ask a model */
  /* names of variables it gets besides the usual ones; NULL-terminated; NULL: none */
  const char *const *environment;
  /* of an MCP server: pairs of a tool and its probe; NULL-terminated; NULL: none */
  const char *const *probes;
  /* the most between two signs of life during a request; 0: the driver's default */
  int64_t timeout_ms;
  int64_t total_ms; /* the most of a request in all; 0: the driver's default */
} ck_process;

#endif
