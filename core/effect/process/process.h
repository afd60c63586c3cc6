/* process.h - a child process that effects are sent to, as a flow declares it. */
#ifndef CK_EFFECT_PROCESS_PROCESS_H
#define CK_EFFECT_PROCESS_PROCESS_H

#include <stdint.h>

typedef struct ck_process {
  const char *name;        /* what requests call it by */
  const char *const *argv; /* NULL-terminated, at least the program; found by PATH, no shell */
  const char *const *environment; /* names of variables it may see besides the usual ones;
                                     NULL-terminated; NULL: none */
  const char *const *probes; /* of an MCP server: pairs of a tool and the one that tells whether it
                                happened; NULL-terminated; NULL: none */
  int64_t timeout_ms; /* how long it may say nothing at all while it is asked; 0: as its driver has
                         it */
} ck_process;

#endif
