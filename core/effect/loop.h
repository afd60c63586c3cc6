/* loop.h - the loop thread's event loop: file descriptors, signals, and calls deferred until the
 * current one has returned. */
#ifndef CK_EFFECT_LOOP_H
#define CK_EFFECT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

struct uv_loop_s;
typedef struct ck_loop ck_loop;

/* Ignores SIGPIPE and SIGXFSZ for the whole process: the write that met them returns an error
 * instead. */
CK_CHECKED ck_status ck_loop_new(ck_loop **out, ck_error *err);
/* Drivers that use the loop are freed first. Tasks that still wait are forgotten. NULL is fine. */
void ck_loop_free(ck_loop *self);

/* Serves events until ck_loop_stop, or until no event can come any more. */
void ck_loop_run(ck_loop *self);
/* Ends the current ck_loop_run (or the next, when none runs) as soon as the current callback has
 * returned. Loop thread only. */
void ck_loop_stop(ck_loop *self);

/* A deferred call, in the caller's memory; zero-initialise. */
typedef struct ck_loop_task {
  struct ck_loop_task *next, *previous; /* both NULL: not waiting */
  void (*call)(void *to);
  void *to;
} ck_loop_task;

/* Calls `call(to)` once from the loop, never from within this function; in the order of the
 * deferrals. A call that is deferred meanwhile waits for the next turn of the loop, so descriptors
 * are served in between. */
void ck_loop_defer(ck_loop *self, ck_loop_task *task, void (*call)(void *to), void *to);
/* Withdraws the call; nothing happens when it does not wait. */
void ck_loop_withdraw(ck_loop_task *task);

/* Calls `readable` for as long as `fd` can be read. `fd` is borrowed: until the loop is freed it
 * must stay open. */
CK_CHECKED ck_status ck_loop_watch(ck_loop *self, int fd, void (*readable)(void *to), void *to,
                                   ck_error *err);
/* Calls `caught` for each SIGINT and SIGTERM instead of dying of it. Once per loop; does not keep
 * the loop running. */
CK_CHECKED ck_status ck_loop_on_signal(ck_loop *self, void (*caught)(void *to, int signal_number),
                                       void *to, ck_error *err);

/* Whether that signal was caught so far. */
bool ck_loop_was_given(const ck_loop *self, int signal_number);

/* Calls `due` every `ms` milliseconds until the loop is freed; does not keep the loop running. */
CK_CHECKED ck_status ck_loop_every(ck_loop *self, int64_t ms, void (*due)(void *to), void *to,
                                   ck_error *err);

/* For drivers. */
struct uv_loop_s *ck_loop_uv(ck_loop *self);

#endif
