/* child.h - one child process: a text in, bounded output back, and an end that always comes. */
#ifndef CK_EFFECT_PROCESS_CHILD_H
#define CK_EFFECT_PROCESS_CHILD_H

#include "core/base/buffer.h"
#include "core/effect/loop.h"

typedef struct ck_child ck_child;

enum { CK_CHILD_SIGNAL_MS = 200 };

typedef enum {
  CK_CHILD_EXITED,    /* by itself, with `code` */
  CK_CHILD_KILLED,    /* by a signal that was not ours, `code` */
  CK_CHILD_UNSTARTED, /* `code` is the errno */
  CK_CHILD_FLOODED,   /* it wrote more than allowed and was killed */
  CK_CHILD_LATE,      /* the deadline passed and it was ended; `code` as of CANCELLED */
  CK_CHILD_CANCELLED, /* `code` is its exit status when it exited by itself all the same; else -1.
                         Also of a signal that this process was given, too (ck_loop_on_signal) */
  CK_CHILD_NO_MEMORY  /* no memory for its output; it was killed */
} ck_child_ending;

typedef struct ck_child_end {
  ck_child_ending ending;
  int code;
  bool late;       /* EXITED by itself, after its deadline: see ck_ending_known */
  ck_bytes output; /* standard output; borrowed for the call */
  ck_bytes error;  /* the end of standard error; borrowed for the call */
} ck_child_end;

/* Borrowed for the call of ck_child_start, the loop for the child's life. */
typedef struct ck_child_options {
  ck_loop *loop;
  char *const *argv;        /* NULL-terminated; found by the PATH of `environment`, no shell */
  char *const *environment; /* NULL-terminated "NAME=value"; nothing else is inherited */
  /* its working folder, from which a relative program is found; NULL: this process's */
  const char *directory;
  ck_bytes input;    /* written to standard input, then closed; a child that does not read it loses
                        nothing */
  size_t output_max; /* bytes of standard output allowed */
  /* standard input stays open for ck_child_write; `take` gets no bytes at an output's end */
  bool talks;
  size_t error_max; /* bytes of standard error kept, from its end */
  /* Gets the output on `fd` (1 or 2) in place of the two limits above; false: too much, and the
   * child is killed. NULL: the child keeps the output. */
  bool (*take)(void *to, int fd, ck_bytes chunk);
  int64_t grace_ms;  /* after the child's exit, the wait for others that hold its output open */
  int64_t signal_ms; /* after a child's death of a signal that may have been meant for this process
                        as well, the wait for it to come here; 0: CK_CHILD_SIGNAL_MS */
  int64_t kill_ms;   /* from SIGTERM to SIGKILL; from there to giving up, 5 s at least */
  int64_t deadline_ms; /* monotonic; 0: none */
  void (*ended)(void *to,
                const ck_child_end *end); /* once, from the loop; the child is freed after it */
  void *to;
} ck_child_options;

/* The earlier of a deadline (0: none) and `timeout_ms` (0: none) from now, for
 * options.deadline_ms. */
int64_t ck_child_deadline(int64_t deadline_ms, int64_t timeout_ms);

/* The child leads a session and process group of its own and has only descriptors 0 to 2, which are
 * pipes. A program that cannot be started is no error here: it ends UNSTARTED. At its end the whole
 * group is killed. */
CK_CHECKED ck_status ck_child_start(ck_child **out, const ck_child_options *options, ck_error *err);
/* With `talks`: queues bytes for standard input. CK_E_OVERSIZE: more than `most` would wait there;
 * CK_E_UNAVAILABLE: the input is closed. Whether the child reads them is not known. */
CK_CHECKED ck_status ck_child_write(ck_child *self, ck_bytes bytes, size_t most, ck_error *err);
/* Closes standard input behind the queued bytes; a child that does not exit within kill_ms is
 * ended. */
void ck_child_close_input(ck_child *self);
/* SIGTERM to the group, later SIGKILL, as at the deadline. The child ends CANCELLED unless it had
 * exited before. Its output until then is kept, unless it `talks`. */
void ck_child_cancel(ck_child *self);
/* Closes its input, gives it up to `patience_ms` to exit by itself, or by a SIGTERM half way, then
 * drops it. Blocks that long. */
void ck_child_dismiss(ck_child *self, int64_t patience_ms);
/* SIGKILL at once; `ended` is not called. Blocks only until the kernel has ended it. The loop frees
 * it. */
void ck_child_drop(ck_child *self);

#endif
