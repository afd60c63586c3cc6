/* preflight.h - what stands against a resume and what it would do, found out before anything is
 * touched. */
#ifndef CK_HOST_PREFLIGHT_PREFLIGHT_H
#define CK_HOST_PREFLIGHT_PREFLIGHT_H

#include "core/host/cli/command.h"
#include "core/host/run/engine.h"
#include "core/runtime/execution/rehearsal.h"

/* What the command line says of a resume; texts may be NULL. */
typedef struct ck_preflight_options {
  const char *session, *checkpoint, *cassette, *profile;
  const ck_state_edits *edits; /* NULL: none */
  bool accept_changed, clean, fallback, retry, take_over;
  bool dry_run; /* nothing will be resumed, so a session that keeps dying is not marked either */
} ck_preflight_options;

/* An effect behind the checkpoint. Texts owned. */
typedef struct ck_preflight_effect {
  ck_rehearsed_effect is;
  char *key, *name;
} ck_preflight_effect;

/* Zero-initialise; ck_preflight_clear. */
typedef struct ck_preflight {
  ck_preflight_options options;
  ck_head head;
  ck_checkpoint_info checkpoint; /* to go on from; seq 0: from the first event */
  ck_launch launch;              /* with what the command line overrides */
  bool flow_changed;
  bool unreadable; /* the chosen checkpoint's state is, and no other was taken */
  bool fell_back,
      unasked; /* an older checkpoint was taken for it; unasked: because the profile says so */
  long stopped_owner; /* process that --take-over ends; 0: none */
  ck_value *policies; /* [{name, version, digest}, …] as they are now; NULL: not known */
  /* What a resume would do; `rehearsed`: it is known. */
  bool rehearsed;
  ck_rehearsal rehearsal;
  ck_preflight_effect *effects;
  size_t effect_count;
  int64_t counts[CK_REHEARSED_COUNT];
  int64_t cost_micros;    /* of recorded outcomes that are asked for anew */
  int64_t reserve_micros; /* the most that those which run again may cost */
  ck_buffer problems;     /* one after the other, each with a NUL behind it */
  size_t problem_count;
  ck_status verdict; /* CK_OK, CK_E_REFUSED, or the integrity problem that was found */
} ck_preflight;
void ck_preflight_clear(ck_preflight *self);

/* Reads the session and loads everything it needs into `engine`, whose store lies at `store_url`
 * and is open. Problems are collected. CK_E_NOT_FOUND: no such session or checkpoint. CK_E_OWNED:
 * it is alive. */
CK_CHECKED ck_status ck_preflight_check(ck_preflight *self, ck_engine *engine,
                                        const char *store_url, const ck_preflight_options *options,
                                        ck_error *err);
/* The refusal, with the problems told; CK_OK when there are none. */
CK_CHECKED ck_status ck_preflight_answer(const ck_preflight *self, ck_output *output,
                                         ck_error *err);
/* --dry-run: all that was found out. */
CK_CHECKED ck_status ck_preflight_print(const ck_preflight *self, ck_output *output, ck_error *err);

/* ---- for the files of this folder ---- */

/* problems.c: adds a problem. The verdict becomes `status` for damaged data, CK_E_SECRET_MISSING
 * while nothing but secrets is missing, else CK_E_REFUSED. */
void ck_preflight_add(ck_preflight *self, ck_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A part that could not be had is a problem, unless the program itself is in trouble. */
CK_CHECKED ck_status ck_preflight_take(ck_preflight *self, ck_status status,
                                       const ck_error *failure, ck_error *err);
/* state.c: the checkpoint, or an older one; the keys, slots and nodes that it has to
 * have. */
CK_CHECKED ck_status ck_preflight_select(ck_preflight *self, ck_store *store, ck_error *err);
CK_CHECKED ck_status ck_preflight_check_state(ck_preflight *self, ck_engine *engine, ck_error *err);
/* work.c: what a resume would do, and the programs and models that it needs. */
CK_CHECKED ck_status ck_preflight_rehearse(ck_preflight *self, ck_engine *engine, ck_error *err);
void ck_preflight_check_programs(ck_preflight *self, const ck_flow_manifest *manifest);

#endif
