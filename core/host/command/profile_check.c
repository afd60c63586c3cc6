/* profile_check.c - profile check: loads a profile, those it extends, and all of its policies. */
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/problems.h"
#include "lua/policy/policy.h"
#include "lua/profile/profile.h"
#include "lua/vm/sandbox.h"

typedef struct values {
  const char *profile;
} values;

/* The author's mistake, reported with file and line. */
static bool is_of_the_text(ck_status status) {
  return status == CK_E_PARSE || status == CK_E_TYPE || status == CK_E_RANGE ||
         status == CK_E_UNSUPPORTED || status == CK_E_POLICY;
}

static ck_status print(ck_output *output, const ck_profile *profile, const ck_value *policies,
                       ck_error *err) {
  if (!output->json) {
    ck_output_notice(output, "%s: %zu %s, %zu %s: all is well", profile->name,
                     profile->policy_count, profile->policy_count == 1 ? "policy" : "policies",
                     profile->agent_count, profile->agent_count == 1 ? "agent" : "agents");
    return CK_OK;
  }
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "profile", profile->name);
  ck_document_put_text(&document, NULL, "file", profile->path);
  ck_document_put_value(&document, NULL, "policies", policies);
  ck_document_put_bool(&document, NULL, "ok", true);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_sandbox_quiet_print(true);
  ck_profile *profile = NULL;
  ck_policy_engine policies = {0};
  ck_value *about = NULL;
  ck_problems found = {0};
  ck_status status = ck_profile_read(&profile, v->profile, NULL, ck_problems_take, &found, err);
  if (status == CK_OK && profile)
    status = ck_profile_open_policies(&policies, profile, ck_problems_take, &found, err);
  if (status == CK_OK) status = ck_problems_answer(&found, host->output, NULL, err);
  ck_problems_clear(&found);
  if (is_of_the_text(status)) status = CK_E_FAILED;
  if (status == CK_OK) status = ck_policy_describe(&about, &policies, true, err);
  if (status == CK_OK) status = print(host->output, profile, about, err);
  ck_value_free(about);
  if (policies.free) policies.free(policies.self);
  ck_profile_free(profile);
  return status;
}

static const ck_operand operands[] = {
    {.name = "PROFILE",
     .offset = offsetof(values, profile),
     .help = "a shipped profile, or the path of one",
     .complete = CK_COMPLETE_FILE},
    {0},
};

const ck_command ck_command_profile_check = {
    .name = "profile check",
    .summary = "load a profile and its policies, as a run would",
    .details =
        "All mistakes are told at once, each by file and line, an unknown key with the "
        "nearest known one, a name of another system with what does the same here; the exit "
        "code is 1 then, 3 when a profile or policy is not there. 'ckrun policy check' looks "
        "into a policy.",
    .operands = operands,
    .run = run,
};
