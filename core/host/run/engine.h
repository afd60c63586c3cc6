/* engine.h - assembles the parts that execute a flow: Lua, the recording, drivers, the loop, the
 * store and one session. */
#ifndef CK_HOST_RUN_ENGINE_H
#define CK_HOST_RUN_ENGINE_H

#include "core/base/shelf.h"
#include "core/effect/asker.h"
#include "core/effect/cassette/cassette.h"
#include "core/effect/loop.h"
#include "core/host/run/events.h"
#include "core/host/session/launch.h"
#include "core/host/session/store_location.h"
#include "core/host/run/drivers.h"
#include "core/host/run/reporter.h"
#include "core/host/run/scripts.h"
#include "core/host/run/settings.h"
#include "core/host/run/steer.h"
#include "core/host/run/timing.h"
#include "core/runtime/execution/execution.h"
#include "core/runtime/session/secret.h"
#include "lua/profile/profile.h"

/* Zero-initialise; ck_engine_close at the end, whatever was opened. */
typedef struct ck_engine {
  ck_output *output;
  char *directory;    /* where tools run; NULL: this process's folder */
  ck_scripts scripts; /* the texts of what was loaded */
  ck_flow_engine *flows;
  ck_flow *flow;
  ck_cassette *cassette; /* NULL: none */
  ck_profile *profile;
  ck_policy_engine policies;
  ck_runtime *runtime;
  ck_session *session;
  ck_loop *loop;
  ck_drivers drivers;
  ck_shelf spills; /* long outputs */
  ck_execution *execution;
  ck_reporter reporter;
  ck_timing timing;
  ck_steer steer;
  ck_event_stream events;
  ck_value *queued; /* the mark of a run that belongs to workers (queued.h); NULL: a person's */
  uint64_t claimed_epoch; /* of such a one: the session as it was found due; 0 */
  ck_session_status claimed_status;
  ck_value *signed_flow; /* of a run whose flow is signed, see signed_flow.h; NULL: it is not */
  const char *record;    /* where the session is written at the end, see record.h; NULL: nowhere */
  /* the person at the terminal; NULL: no person is present. Opened before the drivers, freed
   * after them */
  ck_asker *asker;
  /* The end of the loop. */
  ck_execution_result result;
  ck_execution_counts counts;
  ck_status status;
  ck_error *err;
} ck_engine;

/* Each loads one part and touches no store. */
CK_CHECKED ck_status ck_engine_load_flow(ck_engine *self, const char *path, ck_error *err);
/* Where tools run; copied. */
CK_CHECKED ck_status ck_engine_set_directory(ck_engine *self, const char *directory, ck_error *err);
CK_CHECKED ck_status ck_engine_load_cassette(ck_engine *self, const char *spec, ck_error *err);
/* `profile` NULL: the default one. Then the settings of this run, see ck_settings_take; a refusal
 * makes the profile's secrets known to the output, which shows its text. Then the policies. Each
 * mistake in profile and policies goes to `problem`, and is not loaded then. */
CK_CHECKED ck_status ck_engine_load_profile(ck_engine *self, const char *profile,
                                            ck_profile_problem problem, void *to, ck_error *err);
CK_CHECKED ck_status ck_engine_take_settings(ck_engine *self, const ck_settings_words *words,
                                             ck_error *err);
CK_CHECKED ck_status ck_engine_load_policies(ck_engine *self, ck_profile_problem problem, void *to,
                                             ck_error *err);
/* What a run of the loaded flow executes, and where: {"flow": DIGEST, "profile": DIGEST,
 * "policies": [{name, version, digest}, …], "models"?: {NAME: its name at its provider},
 * "prune": {asks?, single?, every?}}, see core/runtime/simulation/prune_points.h, "queued"?,
 * "signed"?}, and the members of ck_scripts_write and ck_place_write. */
typedef struct ck_run_origin {
  const char *flow;          /* its file; NULL: what the store kept */
  const ck_value *policies;  /* of a resume, "own_policies": of the profile alone; NULL */
  const char *other_profile; /* of a resume: instead of the session's; NULL: that */
} ck_run_origin;
CK_CHECKED ck_status ck_engine_describe_run(ck_value **out, ck_engine *self,
                                            const ck_run_origin *from, ck_error *err);
/* Registers the secrets of the loaded profile with the redactors of the output and the log. Each
 * one that cannot be read goes to `problem`; the session reads them for itself. */
CK_CHECKED ck_status ck_engine_hide_secrets(ck_engine *self, ck_secret_problem problem, void *to,
                                            ck_error *err);
/* The loaded policies, for the record: [{name, version, digest}, …]; `of_run`: also those that
 * belong to this run alone. */
CK_CHECKED ck_status ck_engine_describe_policies(ck_value **out, const ck_engine *self, bool of_run,
                                                 ck_error *err);
const ck_flow_manifest *ck_engine_manifest(const ck_engine *self);

/* Opens the store at a location; READ: nothing is written, and it may be read-only. */
typedef enum {
  CK_ENGINE_STORE_WRITE,
  CK_ENGINE_STORE_CREATE,
  CK_ENGINE_STORE_READ
} ck_engine_store;
CK_CHECKED ck_status ck_engine_open_store(ck_engine *self, const ck_store_location *location,
                                          ck_engine_store how, ck_error *err);

/* Before a session is begun: what cannot be had then leaves nothing behind. CK_E_UNAVAILABLE. */
CK_CHECKED ck_status ck_engine_open_loop(ck_engine *self, ck_error *err);

/* Executes self->session until it ends or is stopped (see steer.h). CK_E_INTERRUPTED: by a second
 * signal. CK_OK: it ended as self->result says. Otherwise nothing more can be written, or nothing
 * was begun and the session is left paused. */
CK_CHECKED ck_status ck_engine_execute(ck_engine *self, ck_error *err);
void ck_engine_close(ck_engine *self);

#endif
