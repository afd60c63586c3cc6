/* profile_check.c - profile check: loads a profile, those it extends, and all of its policies. */
#include <stdlib.h>
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/preflight/hidden.h"
#include "core/host/preflight/named_tools.h"
#include "core/host/print/document.h"
#include "core/host/print/problems.h"
#include "core/host/run/engine.h"
#include "core/host/run/model_prices.h"
#include "lua/policy/policy.h"
#include "lua/policy_tool/policy_tool.h"
#include "lua/profile/profile.h"
#include "lua/vm/sandbox.h"

typedef struct values {
  const char *profile, *flow;
} values;

/* The author's mistake, reported with file and line. */
static bool is_of_the_text(ck_status status) {
  return status == CK_E_PARSE || status == CK_E_TYPE || status == CK_E_RANGE ||
         status == CK_E_UNSUPPORTED || status == CK_E_POLICY;
}

/* `notes`: each with a NUL behind it. */
static ck_status print(ck_output *output, const ck_profile *profile, const ck_value *policies,
                       const ck_buffer *notes, ck_error *err) {
  if (!output->json) {
    for (size_t at = 0; at < notes->len; at += strlen(notes->data + at) + 1)
      ck_output_notice(output, "%s: %s", profile->name, notes->data + at);
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
  struct cJSON *list = ck_document_put_array(&document, NULL, "notes");
  for (size_t at = 0; at < notes->len; at += strlen(notes->data + at) + 1)
    ck_document_put_text(&document, list, NULL, notes->data + at);
  ck_document_put_bool(&document, NULL, "ok", true);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

/* One entry of a list. */
typedef struct entry {
  const ck_profile *profile;
  const ck_profile_policy *policy;
  const char *agent; /* whose list; NULL: the profile's */
  const ck_value
      *usual; /* what `policy check` finds under the policy's defaults; NULL: not asked */
} entry;

static bool has_problem(const ck_value *about, ck_bytes problem) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(about), "problems"));
  while (ck_json_next(&it))
    if (ck_bytes_equal(it.value, problem)) return true;
  return false;
}

/* One problem that `policy check` finds; what these options alone make is told with them. */
static void take_problem(ck_problems *to, const entry *of, ck_bytes problem) {
  ck_error found = CK_ERROR_INIT;
  char *place = ck_json_dup_string(ck_json_get(problem, "place")),
       *text = ck_json_dup_string(ck_json_get(problem, "text"));
  ck_error_set(&found, CK_E_PARSE, "%s: %s", place ? place : "", text ? text : "");
  if (of->usual && !has_problem(of->usual, problem)) {
    ck_bytes options = ck_value_bytes(of->policy->options);
    ck_buffer all = {0};
    ck_buffer_append_format(&all, "%s (with options %.*s%s%s)", found.text,
                            (int)(options.len < 200 ? options.len : 200), options.data,
                            of->agent ? ", of agent " : "", of->agent ? of->agent : "");
    ck_error_set(&found, CK_E_PARSE, "%s", all.failed ? found.text : all.data);
    ck_buffer_clear(&all);
  }
  ck_problems_take(to, &found);
  free(place);
  free(text);
}

static void take_problems(ck_problems *to, entry *of, const ck_value *about) {
  ck_json_iterator it = ck_json_iterate(ck_json_get(ck_value_bytes(about), "problems"));
  while (ck_json_next(&it)) take_problem(to, of, it.value);
  of->usual = NULL;
  it = ck_json_iterate(ck_json_get(ck_value_bytes(about), "notes"));
  while (ck_json_next(&it))
    if (ck_json_is_text(ck_json_get(it.value, "needs"), "message_text") &&
        !of->profile->message_text)
      take_problem(to, of, it.value);
}

/* A policy that loads can still fail in a session, under the options that it has there. Those that
 * are shipped are checked by tests under their defaults. */
static ck_status check_policy(ck_problems *to, entry of, ck_error *err) {
  ck_value *about = NULL, *usual = NULL;
  bool shipped = !strchr(of.policy->name, '/');
  if (shipped && !of.policy->options) return CK_OK;
  ck_status status = ck_policy_tool_check(&about, of.policy, err);
  bool found = status == CK_OK && ck_json_count(ck_json_get(ck_value_bytes(about), "problems")) > 0;
  if (found && of.policy->options)
    status = ck_policy_tool_check(&usual, &(ck_profile_policy){.name = of.policy->name}, err);
  of.usual = usual;
  if (status == CK_OK) take_problems(to, &of, about);
  ck_value_free(usual);
  ck_value_free(about);
  return status;
}

static ck_status check_policies(ck_problems *to, const ck_profile *profile, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < profile->policy_count; i++)
    status = check_policy(to, (entry){.profile = profile, .policy = &profile->policies[i]}, err);
  for (size_t i = 0; i < profile->agent_count; i++) {
    const ck_profile_agent *agent = &profile->agents[i];
    for (size_t k = 0; status == CK_OK && k < agent->policy_count; k++)
      status = check_policy(
          to, (entry){.profile = profile, .policy = &agent->policies[k], .agent = agent->name},
          err);
  }
  return status;
}

/* What is no mistake, but may not be meant. */
static ck_status take_notes(ck_buffer *out, const ck_profile *profile,
                            const ck_policy_engine *policies, const ck_value *about,
                            ck_error *err) {
  if (policies->tail && !profile->resume_with_tail)
    ck_buffer_append(out, CK_POLICY_TAIL_NOTE, sizeof CK_POLICY_TAIL_NOTE);
  return ck_hidden_find(out, policies, about, err);
}

/* What the policies name and the flow does not have. */
static ck_status take_named_tools(ck_buffer *out, ck_host *host, const values *v,
                                  const ck_value *about, ck_error *err) {
  ck_engine engine = {.output = host->output};
  if (!v->flow) return CK_OK;
  ck_status status = ck_engine_load_flow(&engine, v->flow, err);
  if (status == CK_OK) status = ck_named_tools_find(out, about, ck_engine_manifest(&engine), err);
  ck_engine_close(&engine);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_sandbox_quiet_print(true);
  ck_profile *profile = NULL;
  ck_policy_engine policies = {0};
  ck_value *about = NULL;
  ck_problems found = {0};
  ck_buffer notes = {0};
  ck_status status = ck_profile_read(&profile, v->profile, NULL, ck_problems_take, &found, err);
  if (status == CK_OK && profile)
    status = ck_profile_open_policies(&policies, profile, ck_problems_take, &found, err);
  if (status == CK_OK && profile && found.count == 0) status = check_policies(&found, profile, err);
  if (status == CK_OK) status = ck_problems_answer(&found, host->output, NULL, err);
  ck_problems_clear(&found);
  if (is_of_the_text(status)) status = CK_E_FAILED;
  if (status == CK_OK) status = ck_policy_describe(&about, &policies, true, err);
  if (status == CK_OK) status = take_notes(&notes, profile, &policies, about, err);
  if (status == CK_OK) ck_model_prices_note(&notes, profile);
  if (status == CK_OK) status = ck_buffer_check(&notes, err);
  if (status == CK_OK) status = take_named_tools(&notes, host, v, about, err);
  if (status == CK_OK) status = print(host->output, profile, about, &notes, err);
  ck_buffer_clear(&notes);
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

static const ck_option options[] = {
    {.name = "flow",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, flow),
     .value = "FLOW",
     .complete = CK_COMPLETE_FILE,
     .help = "tell the tools that options of policies name, and that this flow does not have"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun profile check ./profile.lua", "all its mistakes at once"},
    {0},
};

const ck_command ck_command_profile_check = {
    .name = "profile check",
    .summary = "load a profile and its policies, as a run would",
    .details =
        "All mistakes are told at once, each by file and line, an unknown key with the "
        "nearest known one, a name of another system with what does the same here; the exit "
        "code is 1 then, 3 when a profile or policy is not there. Policies are looked into as by "
        "'ckrun policy check', each with the options that its list, or that of an agent, gives it; "
        "what they read that this profile does not show "
        "is a mistake, too. Calls of tools are tried on the policies that redact and those that "
        "permit: where one masks what another asks a person about, or decides by, a note names "
        "both. Another says of each model what it costs, and where that comes from, or that it has "
        "no price. With --flow a note names each tool that an option names (tools, risky) and that "
        "the flow does not have, where its tools are known before it runs, as a run tells it.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
