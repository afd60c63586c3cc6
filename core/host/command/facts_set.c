/* facts_set.c - facts set: keeps a value for later sessions, as a flow would. */
#include "core/base/clock.h"
#include "core/host/cli/value_word.h"
#include "core/host/command/commands.h"
#include "core/host/print/key_values.h"
#include "core/host/run/facts.h"
#include "core/host/session/own_policies.h"
#include "core/host/session/store_location.h"
#include "core/runtime/session/secret.h"
#include "lua/profile/profile.h"

typedef struct values {
  const char *key, *value, *agent, *profile;
} values;

static ck_status take_value(ck_value **out, const values *v, ck_error *err) {
  if (!*v->key) return ck_error_set(err, CK_E_USAGE, "a fact needs a key that is not empty");
  if (v->agent && !*v->agent)
    return ck_error_set(err, CK_E_USAGE, "--agent needs a name that is not empty");
  ck_status status = ck_value_word_take(out, "VALUE", v->value, err);
  if (status != CK_OK || ck_json_type_of(ck_value_bytes(*out)) != CK_JSON_NULL) return status;
  ck_value_free(*out);
  *out = NULL;
  return ck_error_set(err, CK_E_USAGE, "a fact cannot be null: `ckrun facts delete` removes one");
}

/* The secrets of a profile must not be kept either. */
static ck_status hide_secrets(const ck_host *host, const values *v, ck_error *err) {
  ck_profile *profile = NULL;
  if (!v->profile) return CK_OK;
  ck_status status = ck_profile_load(&profile, v->profile, err);
  if (status == CK_OK)
    status = ck_secret_register_all(host->output->redactor, profile, NULL, NULL, err);
  ck_profile_free(profile);
  return status;
}

static ck_status open_store(ck_store **out, const ck_host *host, ck_error *err) {
  ck_store_location location;
  ck_store_options create = {.create = true};
  ck_status status = ck_store_location_find(&location, host, err);
  if (status == CK_OK) status = ck_store_location_make_parents(&location, err);
  create.key = location.key;
  create.watch = &location.watch;
  if (status == CK_OK) status = ck_store_open(out, location.opens, &create, err);
  ck_store_location_clear(&location);
  return status;
}

static ck_status print(ck_output *output, const values *v, const ck_value *given,
                       const ck_value *kept, ck_error *err) {
  bool masked = !kept || !ck_bytes_equal(ck_value_bytes(given), ck_value_bytes(kept));
  ck_document document;
  if (!output->json && masked)
    ck_output_notice(output, "what is secret in it was masked before it was kept");
  if (!output->json) return CK_OK;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "agent", v->agent);
  ck_document_put_text(&document, NULL, "key", v->key);
  ck_document_put_value(&document, NULL, "value", kept);
  ck_document_put_bool(&document, NULL, "masked", masked);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_clock clock = ck_clock_system();
  ck_store *store = NULL;
  ck_own_policies *policies = NULL;
  ck_value *value = NULL, *kept = NULL;
  ck_status status = take_value(&value, v, err);
  if (status == CK_OK) status = hide_secrets(host, v, err);
  if (status == CK_OK) status = open_store(&store, host, err);
  if (status == CK_OK) ck_output_set_fingerprint_key(host->output, ck_store_fingerprint_key(store));
  ck_fact fact = {.owner = v->agent ? v->agent : "",
                  .key = v->key,
                  .value = value,
                  .at_ms = clock.wall_ms(clock.self)};
  if (status == CK_OK && v->profile)
    status = ck_own_policies_open_profile(&policies, store, v->profile, err);
  ck_own_policies_hook(policies, host->output->redactor);
  if (status == CK_OK) status = ck_facts_keep(&kept, store, host->output->redactor, &fact, err);
  ck_own_policies_hook(NULL, host->output->redactor);
  ck_own_policies_free(policies);
  if (status == CK_OK) status = print(host->output, v, value, kept, err);
  ck_value_free(kept);
  ck_value_free(value);
  ck_store_close(store);
  return status;
}

static const ck_operand operands[] = {
    CK_FACT_KEY_OPERAND(values, key),
    {.name = "VALUE", .offset = offsetof(values, value), .help = "JSON, else text"},
    {0},
};

static const ck_option options[] = {
    {.name = "agent",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, agent),
     .value = "AGENT",
     .help = "for this agent; for all agents otherwise"},
    {.name = "profile",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, profile),
     .value = "PROFILE",
     .complete = CK_COMPLETE_FILE,
     .help = "mask also the secrets that this profile names, and what its policies mask"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun facts set city Lisbon", "for the sessions from now on"},
    {0},
};

const ck_command ck_command_facts_set = {
    .name = "facts set",
    .summary = "keep a fact for later sessions",
    .details = "Replaces the fact under that key. It passes redaction like everything that is "
               "written: what is known or looks like a secret is masked first, and a key that "
               "holds one is refused. Sessions that have read the fact before go on with what they "
               "read.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
