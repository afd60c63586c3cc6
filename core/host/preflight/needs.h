/* needs.h - what a flow names, and a run of it must find: before the first call is paid. */
#ifndef CK_HOST_PREFLIGHT_NEEDS_H
#define CK_HOST_PREFLIGHT_NEEDS_H

#include "core/host/run/engine.h"

/* Everything is borrowed for the call. */
typedef struct ck_needs {
  const ck_engine *engine;     /* with the flow; the profile may be NULL: it cannot be read */
  const ck_state *state;       /* that a resume starts from; NULL: none */
  const ck_state_edits *edits; /* NULL: none */
  bool recorded;               /* a recording answers models, questions and tools */
  const char *here;            /* the node where a resume goes on, whose keys are checked; NULL */
  bool keys_unknown;           /* the state is of another version, or cannot be read */
  ck_secret_problem problem;   /* called for each, with the file, the name and the remedy */
  void *to;
} ck_needs;

/* Checks tools without implementation, programs, the variables and secrets that they are given,
 * servers and agent processes, models, agents that the profile or a limit names, and the keys that
 * nodes read and nothing writes. What a resume has done already, by the state, is not needed again.
 * What is only known while the flow runs is an error at its place. */
CK_CHECKED ck_status ck_needs_check(const ck_needs *self, ck_error *err);

/* ---- for the files of this folder ---- */

/* programs.c: calls `problem` for programs that cannot be run in `directory`, and for references of
 * their variables that cannot be read. */
CK_CHECKED ck_status ck_needs_check_programs(const ck_needs *self, ck_error *err);
/* True when the state has the output of the node: it has been done. */
bool ck_needs_is_done(const ck_needs *self, const char *node);
/* Reports a problem of the flow, behind its file; or of the profile, behind the profile's. */
void ck_needs_report(const ck_needs *self, const char *file, ck_status status, const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
const char *ck_needs_profile_file(const ck_needs *self);

#endif
