/* preflight.h - the obstacles to a resume and its effects, found before anything is changed. */
#ifndef CK_HOST_PREFLIGHT_PREFLIGHT_H
#define CK_HOST_PREFLIGHT_PREFLIGHT_H

#include "core/host/cli/command.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/run/engine.h"
#include "core/host/run/signed_flow.h"
#include "core/host/session/kept.h"
#include "core/host/session/last_run.h"
#include "core/runtime/execution/dry_run.h"
#include "core/runtime/simulation/hook_rerun.h"

/* A flow of this name is what the store kept of the session's last run, with its profile and its
 * policies. Nothing but a person's command line asks for it. */
#define CK_PREFLIGHT_STORED "stored"

/* The command line of a resume; texts may be NULL. */
typedef struct ck_preflight_options {
  const char *session, *checkpoint, *flow, *directory, *cassette, *profile;
  ck_words trusted; /* digests of files that may be run from the store: see CK_PREFLIGHT_STORED */
  ck_signed_flow *signed_flow;       /* is run, in the place of files; NULL */
  const ck_state_edits *edits;       /* NULL: none */
  const ck_settings_words *settings; /* of this run; NULL: none */
  bool accept_changed, clean, fallback, retry, take_over;
  /* nothing will be resumed, so a session that keeps dying is not marked as failing either */
  bool dry_run;
} ck_preflight_options;

/* An effect behind the checkpoint. Texts owned. */
typedef struct ck_preflight_effect {
  ck_dry_run_effect is;
  char *key, *name, *policy, *words, *failure, *by;
  ck_value *dropped;
} ck_preflight_effect;
void ck_preflight_effect_clear(ck_preflight_effect *self);

/* Zero-initialise; ck_preflight_clear. */
typedef struct ck_preflight {
  ck_preflight_options options;
  ck_head head;
  ck_checkpoint_info checkpoint; /* to resume from; seq 0: from the first event */
  ck_launch launch;              /* with the overrides of the command line */
  bool stored;                   /* what is run comes from the store */
  bool untrusted;                /* it is not to be run, nor read: see problems */
  ck_kept_files files;           /* of the store */
  ck_last_run last;              /* what this one is compared with */
  bool flow_changed;             /* since the last run */
  bool unreadable; /* the state of the selected checkpoint is, and no other was taken */
  bool fell_back,
      unasked; /* an older checkpoint was taken instead; unasked: because the profile allows it */
  long stopped_owner; /* process that --take-over ends; 0: none */
  struct {
    bool changed;       /* the profile's policies, since the last run */
    bool known;         /* the numbers are: of a dry run under changed policies */
    int64_t all, other; /* boundaries; those at which they would decide otherwise */
    struct {
      int64_t asked, other, untold; /* what the session does not tell */
    } hooks[CK_RERUN_HOOK_COUNT];   /* the same of the other hooks */
  } decisions;
  ck_value *policies;     /* [{name, version, digest}, …] at present; NULL: not known */
  ck_value *own_policies; /* those of the profile alone; likewise */
  /* arrays of changes, see policy_changes.h: of the profile's policies since the last run; of what
   * that had set over them, or beside them, for itself; NULL: not known */
  ck_value *changes, *guard_changes;
  /* what this run sets for itself, and what the run before had, which is not taken over; NULL */
  ck_value *settings, *settings_before;
  ck_value *seen; /* what policies are told of the resume; NULL: none is asked */
  /* The effects of a resume; `planned`: they are known. */
  bool planned;
  ck_dry_run plan;
  ck_preflight_effect *effects;
  size_t effect_count;
  int64_t counts[CK_DRY_RUN_COUNT];
  int64_t cost_micros;    /* of recorded outcomes that are requested anew; -1: not known */
  int64_t reserve_micros; /* the most that repeated effects may cost; -1: not known */
  ck_buffer limits;       /* that are used up, with what lifts them; each with a NUL behind it */
  size_t limit_count;
  ck_buffer problems; /* likewise */
  size_t problem_count;
  /* CK_OK, CK_E_SECRET_MISSING, CK_E_REFUSED, or the integrity problem that was found */
  ck_status verdict;
} ck_preflight;
void ck_preflight_clear(ck_preflight *self);

/* Reads the session and loads everything it needs into `engine`, whose store lies at `store_url`
 * and is open. Collects problems. CK_E_NOT_FOUND: no such session or checkpoint. CK_E_OWNED: it is
 * alive. */
CK_CHECKED ck_status ck_preflight_check(ck_preflight *self, ck_engine *engine,
                                        const char *store_url, const ck_preflight_options *options,
                                        ck_error *err);
/* The refusal, with the problems reported; CK_OK when there are none. */
CK_CHECKED ck_status ck_preflight_answer(const ck_preflight *self, ck_output *output,
                                         ck_error *err);
/* What a resume accepts as changed, for ck_resume_options; NULL in *out: nothing has. */
CK_CHECKED ck_status ck_preflight_accept(ck_value **out, const ck_preflight *self,
                                         const ck_engine *engine, ck_error *err);
/* The resume edits more of the state than limits. */
bool ck_preflight_edits_memory(const ck_preflight *self);
/* "5 model calls, recorded at $0.34, and 2 other effects": what is recorded behind the checkpoint
 * and, because memory is edited, not replayed but made anew. False: there is none. */
bool ck_preflight_append_dropped(ck_buffer *out, const ck_preflight *self);
/* --dry-run: all findings. */
CK_CHECKED ck_status ck_preflight_print(const ck_preflight *self, ck_output *output, ck_error *err);

/* ---- for the files of this folder ---- */

/* problems.c: adds a problem. The verdict becomes `status` for damaged data, CK_E_SECRET_MISSING
 * while nothing but secrets is missing, else CK_E_REFUSED. */
void ck_preflight_add(ck_preflight *self, ck_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A part that cannot be loaded is a problem; a lack of memory or an I/O error is a failure. */
CK_CHECKED ck_status ck_preflight_take(ck_preflight *self, ck_status status,
                                       const ck_error *failure, ck_error *err);
/* state.c: selects the checkpoint, or an older one; checks the keys, secret references and nodes
 * that it must have. */
CK_CHECKED ck_status ck_preflight_select(ck_preflight *self, ck_store *store, ck_error *err);
/* "the session was started", "its last run": what a change is a change since. */
const char *ck_preflight_since(const ck_preflight *self);
/* changes.c: fills `policies`, `own_policies`, `changes` and decisions.changed; a problem names
 * what has changed. */
CK_CHECKED ck_status ck_preflight_check_policies(ck_preflight *self, const ck_engine *engine,
                                                 ck_error *err);
/* Whether an entry of `policies` is one of those that have changed. */
bool ck_preflight_is_changed(const ck_preflight *self, ck_bytes policy);
void ck_preflight_put_changes(ck_document *document, const ck_preflight *self);
void ck_preflight_put_change_rows(ck_table *table, const ck_preflight *self);
/* unmasked.c: appends what changed policies have masked in the session, and none masks any more, as
 * changes to the open array of `w`. */
CK_CHECKED ck_status ck_preflight_write_unmasked(ck_json_writer *w, const ck_preflight *self,
                                                 const ck_engine *engine, ck_error *err);
/* guards.c: problems of policies, and of their options, that the run before had for itself, and
 * that this one would be unsafe without. Fills `guard_changes`. */
CK_CHECKED ck_status ck_preflight_check_guards(ck_preflight *self, ck_error *err);
CK_CHECKED ck_status ck_preflight_check_state(ck_preflight *self, ck_engine *engine, ck_error *err);
/* stored.c: instead of files the engine gets what the store kept, when that is trusted. */
CK_CHECKED ck_status ck_preflight_take_stored(ck_preflight *self, ck_engine *engine, ck_error *err);
/* Instead of files the engine gets what a worker has checked; the options' are empty then. */
CK_CHECKED ck_status ck_preflight_take_signed(ck_preflight *self, ck_engine *engine, ck_error *err);
/* The store has kept the flow of the session's last run. */
bool ck_preflight_has_stored(const ck_preflight *self, const ck_engine *engine);
/* scopes.c: checks that the flow has the agents of the scopes that would be opened again, and of
 * the delegations that would be repeated. */
CK_CHECKED ck_status ck_preflight_check_scopes(ck_preflight *self, const ck_flow_manifest *manifest,
                                               const ck_state *state, ck_store *store,
                                               ck_error *err);
/* seen.c: fills self->seen where a policy has rules for a resume. */
CK_CHECKED ck_status ck_preflight_describe(ck_preflight *self, const ck_engine *engine,
                                           ck_error *err);
/* decisions.c: fills self->decisions but for `changed`. */
CK_CHECKED ck_status ck_preflight_compare_decisions(ck_preflight *self, const ck_engine *engine,
                                                    ck_error *err);
/* The command that lists them; those of another hook. */
void ck_preflight_append_decisions(ck_buffer *out, const ck_preflight *self);
void ck_preflight_append_answers(ck_buffer *out, const ck_preflight *self, ck_rerun_hook hook);
/* The object `decisions`, and its rows. */
void ck_preflight_put_decisions(ck_document *document, const ck_preflight *self);
void ck_preflight_put_decision_rows(ck_table *table, const ck_preflight *self);
/* work.c: the effects of a resume. */
CK_CHECKED ck_status ck_preflight_dry_run(ck_preflight *self, ck_engine *engine, ck_error *err);

#endif
