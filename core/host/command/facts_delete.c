/* facts_delete.c - facts delete: removes a value that outlives sessions. */
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/run/facts.h"
#include "core/host/session/clear_log.h"
#include "core/host/session/store_location.h"

typedef struct values {
  const char *key, *agent;
} values;

static ck_status print(ck_output *output, const values *v, ck_error *err) {
  ck_document document;
  if (!output->json) return CK_OK;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "agent", v->agent);
  ck_document_put_text(&document, NULL, "key", v->key);
  ck_document_put_bool(&document, NULL, "deleted", true);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_store_location location;
  ck_store *store = NULL;
  ck_value *value = NULL;
  ck_fact fact = {.owner = v->agent ? v->agent : "", .key = v->key};
  ck_status status = ck_store_location_find(&location, host, err);
  ck_store_options options = {.key = location.key, .watch = &location.watch};
  if (status == CK_OK) status = ck_store_open(&store, location.opens, &options, err);
  if (status == CK_OK) status = ck_store_get_fact(&value, store, fact.owner, fact.key, err);
  if (status == CK_OK && !value) status = ck_facts_none(v->key, v->agent, err);
  if (status == CK_OK) status = ck_store_put_fact(store, &fact, err);
  if (status == CK_OK) status = ck_clear_log(store, host->output, err);
  if (status == CK_OK) status = print(host->output, v, err);
  ck_value_free(value);
  ck_store_close(store);
  ck_store_location_clear(&location);
  return status;
}

static const ck_operand operands[] = {
    CK_FACT_KEY_OPERAND(values, key),
    {0},
};

static const ck_option options[] = {
    CK_FACT_AGENT_OPTION(values, agent),
    {0},
};

static const ck_example examples[] = {
    {"ckrun facts delete city", "no session reads it any more"},
    {0},
};

const ck_command ck_command_facts_delete = {
    .name = "facts delete",
    .summary = "remove a fact",
    .details = "Sessions that have read it before go on with what they read.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
