/* exec.h - the driver of programs that a flow runs.
 *
 * Request {argv: [TEXT, …], env?: {NAME: TEXT | {ref: "env:NAME"}}, cwd?, input?, timeout_ms?,
 * output_max?}. No shell; the program has the usual variables (environment.h), CKRUN_EFFECT_KEY,
 * CKRUN_EFFECT_ATTEMPT, and those of `env`. A reference is read when the program starts and is in
 * no record. `cwd` is relative to the session's folder. `input` goes to standard input: a string as
 * its text, any other value as one line of JSON.
 *
 * The result is {exit | signal, stdout, stderr, stdout_bytes, stderr_bytes, spill?, timed_out?,
 * flooded?, lossy?}: of each output the beginning, at most output_max bytes. A longer output goes
 * to a file as a whole: spill {stdout?, stderr?} are paths. `lossy` says that bytes which are no
 * UTF-8 became U+FFFD.
 *
 * OK: it exited with 0, also when its time had passed and it was told to (timed_out). ERROR, with
 * the result: it exited with another status. UNKNOWN, with the result: by a signal, after its time,
 * or after CK_EXEC_TOTAL_MAX bytes: nobody can tell what it did (ending.h). FAILED: it could not be
 * started (CK_E_NOT_FOUND: there is no such program; CK_E_SECRET_MISSING), or was cancelled
 * (CK_E_INTERRUPTED), unless the effect may not simply be repeated and the program exits by itself,
 * below 128, upon SIGTERM: that status tells the outcome. At its end its process group is
 * killed. */
#ifndef CK_EFFECT_PROCESS_EXEC_H
#define CK_EFFECT_PROCESS_EXEC_H

#include "core/effect/loop.h"
#include "core/effect/process/spill.h"
#include "core/model/driver.h"

enum {
  CK_EXEC_OUTPUT_MAX = 1 << 20, /* of each output, unless the request sets it */
  CK_EXEC_TOTAL_MAX = 64 << 20, /* of both; one byte more and it is killed */
  CK_EXEC_ERROR_MAX = 4096,     /* of the end of standard error, in an error's text */
  CK_EXEC_GRACE_MS = 200,       /* the wait for others that hold its output open after its end */
  CK_EXEC_KILL_MS = 2000        /* from SIGTERM to SIGKILL */
};

/* Borrowed for the driver's life. */
typedef struct ck_exec_options {
  ck_loop *loop;
  const char *directory; /* the session's folder; NULL: this process's */
  ck_spill_location spill;
  /* Appends the secret that `ref` stands for, and registers it with everything that masks secrets.
   * NULL: references are refused. */
  CK_CHECKED ck_status (*resolve)(void *to, ck_buffer *out, const char *ref, ck_error *err);
  void *to;
  int64_t kill_ms;  /* 0: CK_EXEC_KILL_MS */
  size_t total_max; /* 0: CK_EXEC_TOTAL_MAX */
} ck_exec_options;

/* A driver named "exec". Freeing it kills what runs and delivers nothing. */
CK_CHECKED ck_status ck_exec_driver_new(ck_effect_driver **out, const ck_exec_options *options,
                                        ck_error *err);

#endif
