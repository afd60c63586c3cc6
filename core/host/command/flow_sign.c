/* flow_sign.c - flow sign: signs a flow with all files that it runs, so that workers run it from
 * the store. */
#include <stdlib.h>

#include "core/base/clock.h"
#include "core/base/signature.h"
#include "core/host/cli/duration.h"
#include "core/host/command/commands.h"
#include "core/host/print/problems.h"
#include "core/host/run/engine.h"
#include "core/host/run/signed_flow.h"
#include "core/runtime/session/secret.h"

typedef struct values {
  const char *flow, *profile, *key, *expires;
  ck_settings_words settings;
} values;

static ck_status read_key(ck_signing_key **out, const char *ref, ck_error *err) {
  ck_buffer text = {0};
  *out = NULL;
  if (!ref)
    return ck_error_set(err, CK_E_USAGE,
                        "--with says where the private key is, as file:PATH or env:NAME; 'ckrun "
                        "flow key' makes one");
  if (!ck_secret_is_ref(ref, true))
    return ck_error_set(err, CK_E_USAGE,
                        "--with takes the place of a key, never the key itself: file:PATH, "
                        "env:NAME, credential:NAME, keyring:NAME or command:LINE");
  ck_status status = ck_secret_read_key(&text, ref, err);
  if (status == CK_OK) status = ck_signing_key_read(out, ck_buffer_bytes(&text), err);
  if (status == CK_E_PARSE) ck_error_prefix(err, "%s", ref);
  ck_secret_wipe(&text);
  return status;
}

/* A secret that cannot be read here is the worker's. */
static void ignore_problem(void *to, const ck_error *problem) {
  (void)to;
  (void)problem;
}

static ck_status load(ck_engine *engine, const char *flow, const char *profile, const values *v,
                      ck_error *err) {
  ck_problems found = {0};
  ck_status status = ck_engine_load_flow(engine, flow, err);
  if (status == CK_OK)
    status = ck_engine_load_profile(engine, profile, ck_problems_take, &found, err);
  if (status == CK_OK && engine->profile) {
    status = ck_engine_take_settings(engine, &v->settings, err);
    if (status == CK_OK) status = ck_engine_load_policies(engine, ck_problems_take, &found, err);
    if (status == CK_OK) status = ck_engine_hide_secrets(engine, ignore_problem, NULL, err);
  }
  if (status == CK_OK) status = ck_problems_answer(&found, engine->output, NULL, err);
  ck_problems_clear(&found);
  return status;
}

/* What is signed is written down, here and in each store that it is submitted to. */
static ck_status check_secrets(ck_engine *engine, const ck_value *made, ck_error *err) {
  ck_buffer redacted = {0};
  ck_redactor *redactor = engine->output->redactor;
  const ck_policy_cleaning with = {.redactor = redactor, .policies = &engine->policies};
  ck_status status = ck_scripts_check(&engine->scripts, engine->output, &with, err);
  for (size_t i = 0; status == CK_OK && i < engine->scripts.count; i++)
    if (engine->scripts.list[i].withheld)
      status = ck_error_set(err, CK_E_REFUSED,
                            "%s cannot travel: no store keeps it as it is; take out what is masked",
                            engine->scripts.list[i].name);
  if (status == CK_OK)
    status = ck_redactor_apply_text(&redacted, redactor, CK_SINK_EXPORT, ck_value_bytes(made), err);
  if (status == CK_OK && !ck_bytes_equal(ck_buffer_bytes(&redacted), ck_value_bytes(made)))
    status = ck_error_set(err, CK_E_REFUSED,
                          "an option or a name holds a secret, or what looks like one: it would be "
                          "written down with the signature");
  ck_buffer_clear(&redacted);
  return status;
}

static ck_status print(ck_output *output, const ck_value *made, const ck_digest *digest,
                       const ck_signing_key *key) {
  char hex[CK_DIGEST_HEX_SIZE], id[CK_PUBLIC_KEY_ID_SIZE];
  ck_public_key public;
  ck_signing_key_public(&public, key);
  ck_public_key_id(id, &public);
  ck_digest_hex(hex, digest);
  ck_bytes bytes = ck_value_bytes(made);
  ck_output_print(output,
                  "{\"" CK_OUTPUT_VERSION_NAME "\":%d,\"digest\":\"%s\",\"key\":\"%s\",%.*s\n",
                  CK_OUTPUT_VERSION, hex, id, (int)(bytes.len - 1), bytes.data + 1);
  ck_output_notice(output,
                   "signed by key %s; \"revoked %s\" in a worker's --trust file takes it "
                   "back",
                   id, hex);
  return CK_OK;
}

static ck_status sign(ck_engine *engine, const ck_signing_key *key, const values *v,
                      ck_error *err) {
  ck_value *made = NULL;
  ck_digest digest;
  char *flow = NULL, *profile = NULL;
  int64_t span_ms = 0;
  ck_clock clock = ck_clock_system();
  ck_flow_signing with = {.key = key, .signed_ms = clock.wall_ms(clock.self)};
  ck_status status = ck_duration_take(&span_ms, "--expires", v->expires, err);
  if (v->expires) with.expires_ms = with.signed_ms + span_ms;
  if (status == CK_OK) status = ck_launch_take_path(&flow, v->flow, err);
  if (status == CK_OK && v->profile) status = ck_launch_take_profile(&profile, v->profile, err);
  if (status == CK_OK) status = load(engine, flow, profile, v, err);
  const ck_flow_parts parts = {&engine->scripts, profile, &v->settings};
  if (status == CK_OK) status = ck_signed_flow_make(&made, &digest, &parts, &with, err);
  if (status == CK_OK) status = check_secrets(engine, made, err);
  if (status == CK_OK) status = print(engine->output, made, &digest, key);
  ck_value_free(made);
  free(flow);
  free(profile);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_signing_key *key;
  ck_engine engine = {.output = host->output};
  ck_status status = read_key(&key, v->key, err);
  if (status == CK_OK) status = sign(&engine, key, v, err);
  ck_signing_key_free(key);
  ck_engine_close(&engine);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FLOW",
     .offset = offsetof(values, flow),
     .help = "the flow: a Lua file",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_option options[] = {
    {.name = "with",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, key),
     .value = "KEY",
     .help = "where the private key is: file:PATH, env:NAME, credential:NAME, keyring:NAME or "
             "command:LINE",
     .required = true},
    {.name = "profile",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, profile),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "the profile that it is submitted with: a shipped name or a Lua file"},
    CK_SETTINGS_OPTIONS(values, settings),
    {.name = "expires",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, expires),
     .value = "TIME",
     .help = "from now; no worker begins it, or goes on with it, later than that: never unless "
             "given"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun flow sign flow.lua --with file:team.key >flow.sig",
     "sign a flow, for 'submit --signature flow.sig'"},
    {0},
};

const ck_command ck_command_flow_sign = {
    .name = "flow sign",
    .summary = "sign a flow, so that workers run it from the store",
    .details =
        "Loads the flow as 'submit' does and prints a signature (Ed25519) of everything that it "
        "runs: the flow and the files that it requires, its profile and those that this extends, "
        "their policies and what these require, each by the digest of its text, and the --policy "
        "and --option of the run. 'submit --signature' sends it along with the texts, and 'worker "
        "--trust' runs exactly these, on machines that do not have the files.\n\n"
        "What is signed is what runs, not what it is given: input, state, limits and answers are "
        "those of whoever can write the store, as is which signed flow is run. A store with a key "
        "keeps them from others, too.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
