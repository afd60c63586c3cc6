/* exec_request.h - the program to run, read from a request. */
#ifndef CK_EFFECT_PROCESS_EXEC_REQUEST_H
#define CK_EFFECT_PROCESS_EXEC_REQUEST_H

#include "core/effect/process/environment.h"
#include "core/effect/process/exec.h"

/* Zero-initialise; ck_exec_request_clear, which overwrites secrets. */
typedef struct ck_exec_request {
  char **argv; /* NULL-terminated */
  ck_environment environment;
  char *directory; /* NULL: this process's */
  ck_buffer input;
  int64_t timeout_ms; /* 0: none */
  size_t output_max;
} ck_exec_request;

/* `usual` has the variables of every program. CK_E_FLOW: the request is malformed; CK_E_NOT_FOUND:
 * no such folder; the statuses of resolving a reference. */
CK_CHECKED ck_status ck_exec_request_read(ck_exec_request *out, const ck_exec_options *options,
                                          const ck_environment *usual, const ck_effect *effect,
                                          ck_error *err);
void ck_exec_request_clear(ck_exec_request *self);

#endif
