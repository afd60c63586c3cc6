/* preflight.h - what stands against a resume and what it would do, found out before anything is touched. */
#ifndef CK_HOST_PREFLIGHT_H
#define CK_HOST_PREFLIGHT_H

#include "core/host/command.h"
#include "core/host/engine.h"

/* How many effects behind the checkpoint are open or recorded, and what a resume does about them. */
typedef struct ck_preflight_work {
  int64_t replayed, rerun, probed, in_doubt;
  int64_t reserve_micros; /* the most that those which run again may cost */
} ck_preflight_work;

/* Zero-initialise; ck_preflight_clear. */
typedef struct ck_preflight {
  ck_head head;
  ck_checkpoint_info checkpoint; /* to go on from; seq 0: from the first event */
  ck_launch launch;              /* with what the command line overrides */
  bool flow_changed, flow_accepted;
  const ck_state_edits *edits;     /* of the options */
  ck_preflight_work work;
  ck_buffer problems; /* one after the other, each with a NUL behind it */
  size_t problem_count;
  ck_status verdict;  /* CK_OK, CK_E_REFUSED, or the integrity problem that was found */
} ck_preflight;
void ck_preflight_clear(ck_preflight *self);

/* What the command line says of a resume; texts may be NULL. */
typedef struct ck_preflight_options {
  const char *session, *checkpoint, *cassette, *profile;
  const ck_state_edits *edits; /* NULL: none */
  bool accept_changed;
} ck_preflight_options;

/* Reads the session and loads everything it needs into `engine`, whose store is open. Problems are collected.
 * CK_E_NOT_FOUND: no such session or checkpoint. CK_E_OWNED: it is alive. */
CK_CHECKED ck_status ck_preflight_check(ck_preflight *self, ck_engine *engine, const ck_preflight_options *options, ck_error *err);
/* The refusal, with the problems told; CK_OK when there are none. */
CK_CHECKED ck_status ck_preflight_answer(const ck_preflight *self, ck_output *output, ck_error *err);
/* --dry-run: all that was found out. */
CK_CHECKED ck_status ck_preflight_print(const ck_preflight *self, ck_output *output, ck_error *err);

#endif
