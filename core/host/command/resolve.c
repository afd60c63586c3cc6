/* resolve.c - resolve: settles an effect whose outcome is unknown. */
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/session/launch.h"
#include "core/host/inspect/open_effects.h"
#include "core/host/inspect/turn_retry.h"
#include "core/runtime/history/resolve.h"

typedef struct values {
  const char *session, *effect, *verdict, *result;
} values;

static ck_status list(const ck_remote_command *remote, ck_error *err) {
  size_t count;
  ck_status status = ck_open_effects_print(&count, remote, CK_OPEN_DOUBTS, err);
  if (status == CK_OK)
    ck_output_notice(remote->host->output,
                     count ? "say what became of each: ckrun resolve %s EFFECT done|retry|abort"
                           : "session %s has no effect in doubt",
                     remote->id);
  return status;
}

static ck_status resolve(const ck_remote_command *remote, const values *v, const ck_value *result,
                         ck_error *err) {
  bool json = remote->host->output->json;
  size_t count;
  ck_error ignored = CK_ERROR_INIT;
  ck_status status =
      ck_session_resolve(remote->runtime, remote->id, v->effect, v->verdict, result, err);
  if (status == CK_E_NOT_FOUND && !json &&
      ck_open_effects_print(&count, remote, CK_OPEN_DOUBTS, &ignored) != CK_OK)
    return status;
  bool again = strcmp(v->verdict, "retry") == 0 && ck_turn_retry_is_of(v->effect);
  if (status == CK_OK && !json && remote->masking)
    ck_masking_tell(remote->host->output, remote->masking);
  if (status == CK_OK && !json && again) return ck_turn_retry_tell(NULL, remote, v->effect, err);
  if (status != CK_OK || !json) return status;
  ck_document document;
  ck_document_init(&document, remote->host->output);
  ck_document_put_text(&document, NULL, "session", remote->id);
  ck_document_put_text(&document, NULL, "effect", v->effect);
  ck_document_put_text(&document, NULL, "verdict", v->verdict);
  if (remote->masking) ck_masking_put(&document, remote->masking);
  if (again) status = ck_turn_retry_tell(&document, remote, v->effect, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status check(const values *v, ck_error *err) {
  if (v->effect && !v->verdict)
    return ck_error_set(err, CK_E_USAGE, "say what became of it: done, retry or abort");
  if (v->result && (!v->verdict || strcmp(v->verdict, "done") != 0))
    return ck_error_set(err, CK_E_USAGE, "--result goes with the verdict done");
  return CK_OK;
}

static ck_status redact_result(ck_masking *masking, ck_value **result, ck_remote_command *remote,
                               const char *effect, ck_error *err) {
  ck_value *kept = NULL;
  ck_status status =
      ck_remote_command_mask(masking, remote, &(ck_masking_word){effect, *result}, err);
  if (status == CK_OK)
    status = ck_redactor_apply(&kept, remote->host->output->redactor, CK_SINK_REQUEST, NULL,
                               *result, err);
  if (status != CK_OK) return status;
  ck_value_free(*result);
  *result = kept;
  return CK_OK;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_remote_command remote = {0};
  ck_masking masking = {0};
  ck_value *result = NULL;
  ck_status status = check(v, err);
  if (status == CK_OK && v->result)
    status = ck_launch_take_json(&result, "--result", v->result, err);
  if (status == CK_OK) status = ck_remote_command_open(&remote, host, v->session, NULL, err);
  if (status == CK_OK && result) status = redact_result(&masking, &result, &remote, v->effect, err);
  if (status == CK_OK && !v->effect)
    status = list(&remote, err);
  else if (status == CK_OK)
    status = resolve(&remote, v, result, err);
  ck_remote_command_close(&remote);
  ck_masking_clear(&masking);
  ck_value_free(result);
  return status;
}

static const char *const verdicts[] = {"done", "retry", "abort", NULL};

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "EFFECT",
     .optional = true,
     .offset = offsetof(values, effect),
     .help = "the effect's key; without one, those in doubt are listed"},
    {.name = "VERDICT",
     .optional = true,
     .offset = offsetof(values, verdict),
     .choices = verdicts,
     .help =
         "done: it happened; retry: it did not, do it; abort: take it as failed and tell the flow"},
    {0},
};

static const ck_option options[] = {
    {.name = "result",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, result),
     .value = "JSON|@FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "with done: what it returned"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun resolve trip", "list what is in doubt"},
    {"ckrun resolve trip main/start/tool/1 done", "it happened, somebody has looked"},
    {0},
};

const ck_command ck_command_resolve = {
    .name = "resolve",
    .summary = "say what became of an effect whose outcome is unknown",
    .details =
        "An effect of class once that was begun, and whose outcome was not recorded before "
        "a crash, is never guessed: the session stops with exit code 75 until a person has "
        "found out. The next resume acts on the verdict. So does a session that went back "
        "and asks for another action in the place of one that was carried out: done takes "
        "that one for it (another tool's outcome is never taken: it counts as done by hand), "
        "retry does this one as well, abort does not. Where what was carried out may be "
        "repeated, another tool is not asked about. A call whose outcome "
        "was recorded as unknown stays recorded so: the model that was told learns the "
        "verdict before its next request, and makes the call again, or not. Of a turn of an "
        "agent (flow.acp) it is said how a retry would go on: in the session that the agent "
        "keeps (session/resume, else session/load), told what is known of its last calls; or "
        "anew, where the agent offers neither.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
