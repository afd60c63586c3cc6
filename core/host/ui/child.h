/* child.h - a command of ckrun in a process of its own, whose output answers a request: what the
 * page shows is what the command prints. */
#ifndef CK_HOST_UI_CHILD_H
#define CK_HOST_UI_CHILD_H

#include <sys/types.h>

#include "core/base/buffer.h"

/* Zero-initialise `pid`; the descriptors are valid while it is not 0. */
typedef struct ck_ui_child {
  pid_t pid;
  int out;    /* the reading end of its stdout */
  int errors; /* an anonymous file: its stderr */
} ck_ui_child;

/* What a command was to say; zero-initialise, clear after use. */
typedef struct ck_ui_said {
  ck_buffer out, errors;
  int exit; /* its exit code; 128 and the signal of one that was killed */
} ck_ui_said;

/* Starts `argv`, which ends with NULL. `input` is what it reads from stdin. It ends with the thread
 * that starts it. */
CK_CHECKED ck_status ck_ui_child_start(ck_ui_child *out, const char *const *argv, ck_bytes input,
                                       ck_error *err);
/* Tells it to end, and waits for that. Returns its exit code. */
int ck_ui_child_stop(ck_ui_child *self);
/* Reads what it prints until that ends. CK_E_OVERSIZE: it is more than `most` bytes. */
CK_CHECKED ck_status ck_ui_child_read(ck_ui_said *out, const ck_ui_child *self, size_t most,
                                      ck_error *err);
/* Waits for its end, and takes its exit code and errors. */
void ck_ui_child_wait(ck_ui_said *out, ck_ui_child *self);
/* Runs a command to its end. */
CK_CHECKED ck_status ck_ui_child_run(ck_ui_said *out, const char *const *argv, ck_bytes input,
                                     size_t most, ck_error *err);
void ck_ui_said_clear(ck_ui_said *self);

#endif
