/* command.h - the driver of tools that are commands: a program that reads one line of JSON and
 * writes the result.
 *
 * The program gets {"name", "arguments", "key", "attempt"} as one line on standard input; arguments
 * that arrive as a string holding JSON are that JSON. Its environment is PATH, HOME, LANG, LC_*,
 * TZ, TMPDIR, and CKRUN_EFFECT_KEY and CKRUN_EFFECT_ATTEMPT. Exit 0: standard output is the result,
 * unchanged when it is JSON, else as a JSON string (without the last newline). Another status, and
 * a program that cannot be started, is an ERROR outcome that tells the model why. An end by a
 * signal, after its time or for its output is UNKNOWN, with what it wrote (ending.h). Programs left
 * running in its process group are killed when it ends. */
#ifndef CK_EFFECT_PROCESS_COMMAND_H
#define CK_EFFECT_PROCESS_COMMAND_H

#include "core/effect/loop.h"
#include "core/model/driver.h"

typedef struct ck_command_tool {
  const char *name;
  const char *const *argv; /* NULL-terminated, at least the program; found by PATH, no shell */
  /* called with the same input to find out whether the effect happened. Exit 0: it did, and
   * standard output is its result; 1: it did not; any other end: unknown. NULL: there is none */
  const char *const *probe;
  /* after that time it is ended, with kill_ms to exit by itself; 0: CK_COMMAND_TIMEOUT_MS */
  int64_t timeout_ms;
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
  /* their working folder; NULL: this process's. Borrowed for the driver's life */
  const char *directory;
  /* bytes on standard output; beyond them the program is killed: UNKNOWN with CK_E_OVERSIZE */
  size_t output_max;
  int64_t grace_ms; /* the wait for others that hold its output open after its end */
  int64_t kill_ms;  /* from SIGTERM to SIGKILL after a cancel or the effect's deadline */
} ck_command_options;

/* A driver named "command"; serves the tool effects whose names are in the table. A cancelled
 * effect is FAILED with CK_E_INTERRUPTED, unless its program had ended before, or, where the effect
 * may not simply be repeated, exits by itself below 128 upon SIGTERM: that status tells the
 * outcome. Freeing the driver kills running programs and delivers nothing. */
CK_CHECKED ck_status ck_command_driver_new(ck_effect_driver **out,
                                           const ck_command_options *options, ck_error *err);

#endif
