/* man_files.c - the man pages of the files that people write: policies and profiles. */
#include <string.h>

#include "core/host/cli/roff.h"
#include "lua/policy/hooks.h"
#include "lua/profile/profile.h"

static const char policy_text[] =
    ".TH CKRUN-POLICY 5 \"\" \"ckrun " CK_VERSION "\" \"File Formats\"\n"
    ".SH NAME\nckrun\\-policy \\- what is kept of a session, and how it goes on, in Lua\n"
    ".SH DESCRIPTION\n"
    "A policy is a Lua file that returns one table: a name, a version, options with their\n"
    "defaults, and hooks, functions that ckrun asks. It runs in a sandbox without files, network\n"
    "and clock, within a budget of steps and memory. A profile lists those of its sessions, see\n"
    ".BR ckrun\\-profile (5).\n"
    ".PP\n.EX\n"
    "local policy = { name = \"money\", version = 1, options = { usd = 0.05 } }\n"
    "\n"
    "function policy.checkpoint(at, opt)\n"
    "  if at.since.cost_usd >= opt.usd then return \"spent\" end\n"
    "end\n"
    "\n"
    "return policy\n.EE\n"
    ".SH HOOKS\nThe options come last. Of several policies each hook is asked in the order of the "
    "list.\n";

static void append_hook(ck_buffer *out, const policy_hook_type *hook) {
  ck_buffer_append_text(out, ".TP\n.B ");
  ck_roff_append_text(out, hook->name);
  ck_buffer_append_text(out, "\nGiven: ");
  ck_roff_append_text(out, hook->parameters);
  ck_buffer_append_text(out, ". Answer: ");
  ck_roff_append_text(out, hook->answer);
  ck_buffer_append_text(out, ". Of several: ");
  ck_roff_append_text(out, hook->composition);
  ck_buffer_append_text(out, ". When it fails: ");
  ck_roff_append_text(out, hook->failure);
  ck_buffer_append_text(out, ".\n");
}

static ck_status append_policy(ck_buffer *out, ck_error *err) {
  ck_buffer_append_text(out, policy_text);
  for (size_t i = 0; i < POLICY_HOOK_COUNT; i++) append_hook(out, &ck_policy_hooks[i]);
  ck_buffer_append_text(out, ".SH SEE ALSO\n.BR ckrun\\-policy\\-new (1)\nmakes one with a test,\n"
                             ".BR ckrun\\-policy\\-check (1),\n.BR ckrun\\-policy\\-test (1)\nand\n"
                             ".BR ckrun\\-policy\\-simulate (1)\ntry it;\n.I policies/README.md\n"
                             "in the documentation has the views and all answers.\n");
  return ck_buffer_check(out, err);
}

static const char profile_text[] =
    ".TH CKRUN-PROFILE 5 \"\" \"ckrun " CK_VERSION "\" \"File Formats\"\n"
    ".SH NAME\nckrun\\-profile \\- how sessions of one kind are run, in Lua\n"
    ".SH DESCRIPTION\n"
    "A profile is a Lua file that returns one table of settings. What it leaves out comes from\n"
    "the one that it extends; a list replaces the inherited list. Paths are relative to its\n"
    "file. A key that is not known is an error that names the nearest one.\n"
    ".PP\n.EX\n"
    "return {\n"
    "  name = \"careful\", extends = \"default\",\n"
    "  constraints = { budget_usd = 2.00 },\n"
    "  policies = { { \"./money.lua\", usd = 0.01 } },\n"
    "}\n.EE\n"
    ".SH SETTINGS\nWith the values of the profile\n.BR default ;\n"
    "agents and models have sections of their own.\n";

/* {key, value, …}: a paragraph. */
static void append_setting(ck_buffer *out, ck_bytes setting) {
  ck_buffer name = {0}, text = {0};
  ck_json_read_string(&name, ck_json_get(setting, "key"));
  ck_buffer_append_bytes(&text, ck_json_get(setting, "value"));
  if (name.failed || text.failed) out->failed = true;
  ck_buffer_append_text(out, ".TP\n.B ");
  ck_roff_append_line(out, name.data ? name.data : "");
  ck_roff_append_line(out, text.data ? text.data : "");
  ck_buffer_clear(&name);
  ck_buffer_clear(&text);
}

static ck_status append_profile(ck_buffer *out, ck_error *err) {
  ck_profile *profile = NULL;
  ck_value *settings = NULL;
  ck_buffer_append_text(out, profile_text);
  ck_status status = ck_profile_load(&profile, "default", err);
  if (status == CK_OK) status = ck_profile_describe(&settings, profile, NULL, err);
  if (status == CK_OK) {
    ck_json_iterator it = ck_json_iterate(ck_value_bytes(settings));
    while (ck_json_next(&it)) append_setting(out, it.value);
    ck_buffer_append_text(out, ".SH SEE ALSO\n.BR ckrun\\-profile\\-show (1)\n"
                               "shows the settings that hold and where each came from,\n"
                               ".BR ckrun\\-profile\\-check (1)\nits mistakes;\n.I lua/README.md\n"
                               "in the documentation says what each setting means.\n");
  }
  ck_value_free(settings);
  ck_profile_free(profile);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

ck_status ck_help_append_file_man(bool *found, ck_buffer *out, const char *name, ck_error *err) {
  *found = true;
  if (strcmp(name, "policy") == 0) return append_policy(out, err);
  if (strcmp(name, "profile") == 0) return append_profile(out, err);
  *found = false;
  return CK_OK;
}
