/* import_run.c - makes a session of a run checkpoint, so that it can be resumed here. */
#include "core/host/run/import_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/print/problems.h"
#include "core/host/print/document.h"
#include "core/host/run/engine.h"
#include "core/host/run/imported_document.h"
#include "core/host/run/scripts.h"
#include "core/host/session/launch.h"
#include "core/host/session/sealed_export.h"
#include "core/runtime/portable/import.h"
#include "core/runtime/portable/loop_document.h"
#include "core/runtime/portable/run_checkpoint.h"
#include "core/runtime/portable/session_document.h"
#include "core/runtime/portable/workflow_document.h"
#include "core/runtime/session/plain_name.h"
#include "core/runtime/session/totals.h"

enum { FILE_MAX = 64 << 20 };

/* What a document may be. */
typedef enum { RUN, SESSION, LOOP, WORKFLOW, KIND_COUNT } document_kind;

static const struct {
  const char *format, *name;
  const char *flow;  /* the kind that goes on with it */
  const char *place; /* what it goes on at */
  bool (*is)(ck_bytes document);
} kinds[KIND_COUNT] = {
    [RUN] = {"run-checkpoint", "run", "agent", "iteration", ck_run_checkpoint_is},
    [SESSION] = {"session-checkpoint", "session", "rounds", "round", ck_session_document_is},
    [LOOP] = {"loop-checkpoint", "loop", "agent", "iteration", ck_loop_document_is},
    [WORKFLOW] = {"workflow-checkpoint", "workflow", "steps", "step", ck_workflow_document_is},
};

typedef struct imported {
  document_kind kind;
  ck_buffer converted;   /* of a loop: the run that `run` is read from */
  ck_run_checkpoint run; /* also of a loop */
  ck_session_document session;
  ck_workflow_document workflow;
  ck_carried carried; /* of a loop */
} imported;

static document_kind kind_of(ck_bytes document) {
  static const document_kind order[] = {WORKFLOW, LOOP, SESSION, RUN};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++)
    if (kinds[order[i]].is(document)) return order[i];
  return KIND_COUNT;
}

bool ck_import_run_knows(const char *format) {
  for (int kind = 0; kind < KIND_COUNT; kind++)
    if (strcmp(kinds[kind].format, format) == 0) return true;
  return false;
}

static bool is_document(ck_bytes text) {
  ck_error ignored = CK_ERROR_INIT;
  return ck_json_check(text, &ignored) == CK_OK && kind_of(text) != KIND_COUNT;
}

bool ck_import_run_is(const char *path) {
  ck_buffer text = {0};
  ck_error ignored = CK_ERROR_INIT;
  bool is = ck_sealed_export_read(&text, path, FILE_MAX, &ignored) == CK_OK &&
            is_document(ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  return is;
}

/* ---- the flow that continues ---- */

static ck_status check_flow(const ck_engine *engine, const imported *of, const char *path,
                            ck_error *err) {
  const char *kind = ck_engine_manifest(engine)->kind, *wanted = kinds[of->kind].flow;
  if (kind && strcmp(kind, wanted) == 0) return CK_OK;
  return ck_error_set(err, CK_E_USAGE,
                      "--resume-with: %s is a flow of kind %s; a %s checkpoint is gone on with by "
                      "a flow.%s",
                      path, kind ? kind : "unknown", kinds[of->kind].name, wanted);
}

/* ---- whose conversation it is ---- */

static ck_status refuse(const char *what, ck_bytes theirs, const char *ours, ck_error *err) {
  char *name = ck_json_dup_string(theirs);
  if (!name) return ck_error_no_memory(err);
  ck_status status = ck_error_set(
      err, CK_E_REFUSED,
      "the conversation is that of %s %s, and %s is to go on with it: --accept-changed lets it",
      what, name, ours);
  free(name);
  return status;
}

/* Agents are told by their names, where both have one; flows by their digests. */
static ck_status check_identity(const ck_run_checkpoint *of, const ck_engine *engine,
                                ck_error *err) {
  const ck_flow_manifest *manifest = ck_engine_manifest(engine);
  const char *agent = manifest->agents ? manifest->agents[0] : NULL;
  char digest[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(digest, &manifest->digest);
  if (of->agent.len && agent && !ck_json_is_text(of->agent, agent))
    return refuse("agent", of->agent, agent, err);
  if (!of->flow_digest.len || ck_json_is_text(of->flow_digest, digest)) return CK_OK;
  return ck_error_set(err, CK_E_REFUSED,
                      "flow %s is not the one that the conversation was held under, or has "
                      "changed since: --accept-changed goes on with it as it is now",
                      manifest->path);
}

static ck_status check_workflow(const ck_workflow_document *of, const ck_engine *engine,
                                bool accept_changed, ck_error *err) {
  const ck_flow_manifest *manifest = ck_engine_manifest(engine);
  char digest[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(digest, &manifest->digest);
  ck_status status = ck_workflow_document_check(of, manifest, err);
  if (status != CK_OK || accept_changed || !of->flow_digest.len ||
      ck_json_is_text(of->flow_digest, digest))
    return status;
  return ck_error_set(err, CK_E_REFUSED,
                      "flow %s is not the one whose steps these are, or has changed since: "
                      "--accept-changed goes on with it as it is now",
                      manifest->path);
}

static ck_status check_identity_of(const imported *of, const ck_engine *engine, bool accept_changed,
                                   ck_error *err) {
  switch (of->kind) {
    case SESSION:
      return ck_session_document_check(&of->session, ck_engine_manifest(engine), err);
    case WORKFLOW:
      return check_workflow(&of->workflow, engine, accept_changed, err);
    default:
      return accept_changed ? CK_OK : check_identity(&of->run, engine, err);
  }
}

static void ignore_problem(void *to, const ck_error *problem) {
  (void)to;
  (void)problem; /* the resume reports it */
}

/* All mistakes in it at once. */
static ck_status load_profile(ck_engine *engine, const char *profile, ck_error *err) {
  ck_problems found = {0};
  ck_status status = ck_engine_load_profile(engine, profile, ck_problems_take, &found, err);
  if (status == CK_OK && engine->profile)
    status = ck_engine_load_policies(engine, ck_problems_take, &found, err);
  if (status == CK_OK) status = ck_problems_answer(&found, engine->output, NULL, err);
  ck_problems_clear(&found);
  return status;
}

static ck_status load(ck_launch *launch, ck_engine *engine, const imported *of,
                      const ck_import_run_options *options, ck_error *err) {
  if (!options->flow)
    return ck_error_set(err, CK_E_USAGE,
                        "%s is a %s checkpoint: --resume-with FLOW says which flow goes on with it",
                        options->path, kinds[of->kind].name);
  ck_status status = ck_launch_take_path(&launch->flow, options->flow, err);
  if (status == CK_OK) status = ck_launch_take_path(&launch->directory, ".", err);
  if (status == CK_OK) status = ck_engine_load_flow(engine, options->flow, err);
  if (status == CK_OK) status = check_flow(engine, of, options->flow, err);
  if (status == CK_OK) status = check_identity_of(of, engine, options->accept_changed, err);
  if (status == CK_OK && options->profile)
    status = ck_launch_take_profile(&launch->profile, options->profile, err);
  if (status == CK_OK) status = load_profile(engine, launch->profile, err);
  if (status == CK_E_NOT_FOUND)
    status = err->status = CK_E_USAGE; /* of an argument; exit code 3 is for stored things */
  if (status == CK_OK) status = ck_engine_hide_secrets(engine, ignore_problem, NULL, err);
  if (status == CK_OK) ck_digest_hex(launch->flow_digest, &ck_engine_manifest(engine)->digest);
  return status;
}

/* ---- the session ---- */

/* As it was given to the session, which a document of another program tells in its own way. */
static ck_bytes input_of(const imported *of) {
  if (of->kind == WORKFLOW) return of->workflow.input;
  ck_bytes own = of->kind == SESSION ? of->session.extension : of->run.extension;
  return own.len ? ck_json_get(own, "input") : of->run.input;
}

/* The run that it goes on from; NULL: not known, or its id is none of ours. */
static const char *run_of(const imported *of) {
  const char *run = of->kind == WORKFLOW ? of->workflow.carried.run : of->carried.run;
  return *run ? run : NULL;
}

static ck_status start(ck_engine *engine, const ck_host *host, ck_launch *launch,
                       const imported *of, const char *id, ck_error *err) {
  ck_store_location location = {0};
  ck_value *document = NULL, *given = NULL, *input = NULL, *about = NULL;
  const ck_run_origin from = {.flow = launch->flow};
  ck_status status = ck_store_location_find(&location, host, err);
  if (status == CK_OK) status = ck_store_location_make_parents(&location, err);
  if (status == CK_OK)
    status = ck_engine_open_store(engine, &location, CK_ENGINE_STORE_CREATE, err);
  if (status == CK_OK && !id)
    status = ck_imported_document_check(engine->runtime->store, launch->document, err);
  if (status == CK_OK && input_of(of).len) status = ck_value_copy(&given, input_of(of), err);
  if (status == CK_OK && given) status = ck_media_take(&input, &launch->media, given, err);
  if (status == CK_OK && input)
    status = ck_redactor_apply(&launch->input, host->output->redactor, CK_SINK_REQUEST, NULL, input,
                               err);
  if (status == CK_OK) status = ck_engine_describe_policies(&launch->policies, engine, false, err);
  if (status == CK_OK) status = ck_launch_write(&document, launch, err);
  if (status == CK_OK) status = ck_engine_describe_run(&about, engine, &from, err);
  char made[CK_ID_SIZE]; /* two that import it at once make the same */
  ck_import_make_id(made, kinds[of->kind].format, launch->document);
  ck_session_options options = {.id = id ? id : made,
                                .profile = engine->profile,
                                .policies = &engine->policies,
                                .flow = launch->flow,
                                .input = document,
                                .media = &launch->media,
                                .about = about,
                                .parent_run = run_of(of)};
  if (status == CK_OK) status = ck_session_start(&engine->session, engine->runtime, &options, err);
  ck_value_free(given);
  ck_value_free(input);
  ck_value_free(document);
  ck_value_free(about);
  ck_store_location_clear(&location);
  return status;
}

static ck_status restore(const imported *of, ck_engine *engine, ck_error *err) {
  const ck_flow_manifest *flow = ck_engine_manifest(engine);
  switch (of->kind) {
    case SESSION:
      return ck_session_document_restore(&of->session, engine->session, flow, err);
    case WORKFLOW:
      return ck_workflow_document_restore(&of->workflow, engine->session, err);
    default:
      if (of->kind == LOOP) ck_session_carry_totals(engine->session, &of->carried.totals, 0);
      return ck_run_checkpoint_restore(&of->run, engine->session, flow, err);
  }
}

static long long place_of(const imported *of, const ck_engine *engine) {
  switch (of->kind) {
    case SESSION:
      return of->session.rounds + 1;
    case WORKFLOW:
      return (long long)ck_json_count(of->workflow.steps) + 1;
    default:
      return ck_run_checkpoint_turn(&of->run, engine->profile);
  }
}

static ck_bytes source_of(const imported *of) {
  return of->kind == SESSION    ? of->session.session
         : of->kind == WORKFLOW ? of->workflow.workflow
                                : of->run.run;
}

static void announce(const ck_host *host, const imported *of, const char *id, long long place) {
  bool turns = of->kind == RUN || of->kind == LOOP;
  const char *why =
      !turns || place == of->run.last_completed + 1 ? "" : " (the profile resets rounds)";
  if (of->kind == WORKFLOW)
    ck_output_notice(host->output, "%lld %s complete; the others run with: ckrun resume %s",
                     place - 1, place == 2 ? "step is" : "steps are", id);
  else
    ck_output_notice(host->output, "it goes on at %s %lld%s with: ckrun resume %s",
                     kinds[of->kind].place, place, why, id);
}

static ck_status print(const ck_host *host, const ck_engine *engine, const imported *of,
                       ck_error *err) {
  const char *id = ck_session_id(engine->session);
  long long place = place_of(of, engine);
  ck_document document;
  ck_value *source = NULL;
  ck_status status = ck_value_copy(&source, source_of(of), err);
  if (status != CK_OK) return status;
  ck_document_init(&document, host->output);
  ck_document_put_text(&document, NULL, "session", id);
  ck_document_put_text(&document, NULL, "format", kinds[of->kind].format);
  ck_document_put_value(&document, NULL, "source_id", source);
  ck_document_put_text(&document, NULL, "status", ck_session_status_name(CK_SESSION_PAUSED));
  ck_document_put_int(&document, NULL, kinds[of->kind].place, place);
  if (host->output->json) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  ck_value_free(source);
  if (host->output->json || status != CK_OK) return status;
  ck_output_print(host->output, "%s\n", id);
  announce(host, of, id, place);
  return ck_output_flush(host->output, err);
}

static ck_status read_loop(imported *out, ck_bytes document, ck_error *err) {
  ck_status status = ck_loop_document_read(&out->carried, &out->converted, document, err);
  return status == CK_OK ? ck_run_checkpoint_read(&out->run, ck_buffer_bytes(&out->converted), err)
                         : status;
}

/* A document that is none of them is read as a run's, which names what it lacks. */
static ck_status read_document(imported *out, ck_bytes document, const char *format,
                               ck_error *err) {
  out->kind = kind_of(document);
  for (int kind = 0; format && kind < KIND_COUNT; kind++)
    if (strcmp(kinds[kind].format, format) == 0) out->kind = (document_kind)kind;
  switch (out->kind) {
    case SESSION:
      return ck_session_document_read(&out->session, document, err);
    case LOOP:
      return read_loop(out, document, err);
    case WORKFLOW:
      return ck_workflow_document_read(&out->workflow, document, err);
    default:
      out->kind = RUN;
      return ck_run_checkpoint_read(&out->run, document, err);
  }
}

/* Of a sealed export, what was sealed. */
static ck_status read_text(ck_buffer *out, const ck_import_run_options *options, ck_error *err) {
  ck_buffer file = {0};
  ck_status status = ck_sealed_export_read(&file, options->path, FILE_MAX, err);
  if (status == CK_OK && !ck_sealed_export_is(ck_buffer_bytes(&file))) {
    *out = file;
    return CK_OK;
  }
  if (status == CK_OK)
    status = ck_sealed_export_open(out, options->key, options->path, ck_buffer_bytes(&file), err);
  ck_buffer_clear(&file);
  if (status != CK_OK || is_document(ck_buffer_bytes(out))) return status;
  return ck_error_set(err, CK_E_USAGE,
                      "%s is a sealed export, but of no checkpoint: 'ckrun key unseal' opens it",
                      options->path);
}

static ck_status read_checkpoint(imported *out, char digest[CK_DIGEST_HEX_SIZE], ck_buffer *text,
                                 const ck_import_run_options *options, ck_error *err) {
  ck_status status = read_text(text, options, err);
  if (status != CK_OK) return status;
  status = ck_json_check(ck_buffer_bytes(text), err);
  if (status == CK_OK) ck_imported_document_digest(digest, ck_buffer_bytes(text));
  if (status == CK_OK) status = read_document(out, ck_buffer_bytes(text), options->format, err);
  return status == CK_OK ? CK_OK : ck_error_prefix(err, "%s", options->path);
}

ck_status ck_import_run(const ck_host *host, const ck_import_run_options *options, ck_error *err) {
  ck_buffer text = {0};
  ck_launch launch = {0};
  imported of = {.kind = RUN};
  ck_engine engine = {.output = host->output};
  ck_status status = options->session ? ck_id_check_new("--session", options->session, err) : CK_OK;
  if (status == CK_OK) status = read_checkpoint(&of, launch.document, &text, options, err);
  if (status == CK_OK) status = load(&launch, &engine, &of, options, err);
  if (status == CK_OK)
    status = ck_plain_name_check(&engine.policies, "session", options->session,
                                 "give the session another id with --session", err);
  if (status == CK_OK) status = start(&engine, host, &launch, &of, options->session, err);
  if (status == CK_OK)
    status = ck_scripts_keep(&engine.scripts, engine.runtime->store, engine.session, err);
  if (status == CK_OK) status = restore(&of, &engine, err);
  if (status == CK_OK) status = print(host, &engine, &of, err);
  ck_engine_close(&engine);
  ck_launch_clear(&launch);
  ck_buffer_clear(&of.converted);
  ck_buffer_clear(&text);
  return status;
}
