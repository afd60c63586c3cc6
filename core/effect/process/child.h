/* child.h - one child process: a text in, bounded output back, and an end that always comes. */
#ifndef CK_EFFECT_PROCESS_CHILD_H
#define CK_EFFECT_PROCESS_CHILD_H

#include "core/base/buffer.h"
#include "core/effect/loop.h"

typedef struct ck_child ck_child;

typedef enum {
  CK_CHILD_EXITED,    /* by itself, with `code` */
  CK_CHILD_KILLED,    /* by a signal that was not ours, `code` */
  CK_CHILD_UNSTARTED, /* `code` is the errno */
  CK_CHILD_FLOODED,   /* it wrote more than allowed and was killed */
  CK_CHILD_LATE,      /* the deadline passed and it was killed */
  CK_CHILD_CANCELLED, /* `code` is its exit status, when it exited by itself all the same; else -1
                       */
  CK_CHILD_NO_MEMORY  /* for its output; it was killed */
} ck_child_ending;

typedef struct ck_child_end {
  ck_child_ending ending;
  int code;
  ck_bytes output; /* standard output; borrowed for the call */
  ck_bytes error;  /* the end of standard error; borrowed for the call */
} ck_child_end;

/* Borrowed for the call of ck_child_start, the loop for the child's life. */
typedef struct ck_child_options {
  ck_loop *loop;
  char *const *argv;        /* NULL-terminated; found by the PATH of `environment`, no shell */
  char *const *environment; /* NULL-terminated "NAME=value"; nothing else is inherited */
  const char *directory;    /* where it runs, also what a relative program means; NULL: here */
  ck_bytes input;    /* written to standard input, then closed; a child that does not read it loses
                        nothing */
  size_t output_max; /* bytes of standard output allowed */
  bool talks; /* standard input stays open for ck_child_write; `take` is told of an output's end by
                 no bytes */
  size_t error_max; /* bytes of standard error kept, from its end */
  /* Gets what it writes on `fd` (1 or 2) instead of the two limits above; false: it is too much,
   * and the child is killed. NULL: the child keeps it. */
  bool (*take)(void *to, int fd, ck_bytes chunk);
  int64_t grace_ms; /* after the child's exit, wait so long for others that hold its output open */
  int64_t kill_ms;  /* from SIGTERM to SIGKILL; from there to giving up, 5 s at least */
  int64_t deadline_ms; /* monotonic; 0: none */
  void (*ended)(void *to,
                const ck_child_end *end); /* once, from the loop; the child is freed after it */
  void *to;
} ck_child_options;

/* The earlier one of a deadline (0: none) and `timeout_ms` (0: none) from now, for
 * options.deadline_ms. */
int64_t ck_child_deadline(int64_t deadline_ms, int64_t timeout_ms);

/* The child leads a session and process group of its own and has descriptors 0 to 2, pipes. A
 * program that cannot be started is no error here: it ends UNSTARTED. At its end the whole group is
 * killed. */
CK_CHECKED ck_status ck_child_start(ck_child **out, const ck_child_options *options, ck_error *err);
/* Of one that talks: queues bytes for its standard input. CK_E_OVERSIZE: more than `most` would
 * wait there; CK_E_UNAVAILABLE: its input is closed. Whether the child reads them is not known. */
CK_CHECKED ck_status ck_child_write(ck_child *self, ck_bytes bytes, size_t most, ck_error *err);
/* Closes its standard input behind what waits; a child that then does not end by itself within
 * kill_ms is ended. */
void ck_child_close_input(ck_child *self);
/* SIGTERM to the group, later SIGKILL. It ends CANCELLED unless it had exited before. What it says
 * meanwhile is kept, unless it talks. */
void ck_child_cancel(ck_child *self);
/* Closes its input, gives it up to `patience_ms` to end by itself or of a SIGTERM half way, then
 * drops it. Blocks so long. */
void ck_child_dismiss(ck_child *self, int64_t patience_ms);
/* SIGKILL at once; `ended` is not called. Blocks only until the kernel has ended it. The loop frees
 * it. */
void ck_child_drop(ck_child *self);

#endif
