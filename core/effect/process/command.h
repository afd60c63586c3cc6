/* command.h - the driver of tools that are commands: a program, one JSON line in, its output as the
 * result.
 *
 * The program gets {"name", "arguments", "key", "attempt"} as one line on standard input; arguments
 * that arrive as a string holding JSON are that JSON. Its environment is PATH, HOME, LANG, LC_*,
 * TZ, TMPDIR, and CKRUN_EFFECT_KEY and CKRUN_EFFECT_ATTEMPT. Exit 0: standard output is the result,
 * as it is when it is JSON, else as a JSON string (without the last newline). Anything else is an
 * ERROR outcome that tells the model why. What the program leaves running in its process group is
 * killed when it ends. */
#ifndef CK_EFFECT_PROCESS_COMMAND_H
#define CK_EFFECT_PROCESS_COMMAND_H

#include "core/effect/loop.h"
#include "core/model/driver.h"

typedef struct ck_command_tool {
  const char *name;
  const char *const *argv;  /* NULL-terminated, at least the program; found by PATH, no shell */
  const char *const *probe; /* asked whether the effect had happened, with the same input. Exit 0:
                               it had, and standard output is its result; 1: it had not; anything
                               else: it cannot tell. NULL: there is none */
  int64_t timeout_ms;       /* it is ended after so long: ERROR; 0: CK_COMMAND_TIMEOUT_MS */
} ck_command_tool;

enum {
  CK_COMMAND_OUTPUT_MAX = 1 << 20,
  CK_COMMAND_GRACE_MS = 200,
  CK_COMMAND_KILL_MS = 2000,
  CK_COMMAND_TIMEOUT_MS = 600000
};

/* All borrowed for the driver's life. A limit of 0 is the one above. */
typedef struct ck_command_options {
  ck_loop *loop;
  const ck_command_tool *tools;
  size_t tool_count;
  const char
      *directory; /* where they run; NULL: where the process is. Borrowed for the driver's life */
  size_t output_max; /* bytes on standard output; one more and it is killed: ERROR with
                        CK_E_OVERSIZE */
  int64_t grace_ms;  /* wait for others that hold its output open after it ended */
  int64_t kill_ms;   /* from SIGTERM to SIGKILL after a cancel or the effect's deadline */
} ck_command_options;

/* A driver named "command"; serves the tool effects whose names are in the table. A cancelled
 * effect is FAILED with CK_E_INTERRUPTED, unless its program had ended before, or, where it may not
 * simply be done again, exits by itself below 128 when it gets SIGTERM: that tells what came of it.
 * Freeing the driver kills what runs and delivers nothing. */
CK_CHECKED ck_status ck_command_driver_new(ck_effect_driver **out,
                                           const ck_command_options *options, ck_error *err);

#endif
