/* facts_get.c - facts get: one value that outlives sessions. */
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/host/run/facts.h"

typedef struct values {
  const char *key, *agent;
} values;

static ck_status print(ck_output *output, const values *v, const ck_value *value, ck_error *err) {
  ck_document document;
  ck_buffer line = {0};
  if (output->json) {
    ck_document_init(&document, output);
    ck_document_put_text(&document, NULL, "agent", v->agent);
    ck_document_put_text(&document, NULL, "key", v->key);
    ck_document_put_value(&document, NULL, "value", value);
    ck_status status = ck_document_print(&document, err);
    ck_document_clear(&document);
    return status;
  }
  ck_output_append_safe(output, &line, ck_value_bytes(value));
  ck_buffer_append_char(&line, '\n');
  ck_status status = ck_buffer_check(&line, err);
  if (status == CK_OK) ck_output_write(output, ck_buffer_bytes(&line));
  ck_buffer_clear(&line);
  return status == CK_OK ? ck_output_flush(output, err) : status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_inspection inspection;
  ck_value *value = NULL;
  ck_status status = ck_inspection_open(&inspection, host, err);
  if (status != CK_OK) return status;
  if (inspection.store)
    status = ck_store_get_fact(&value, inspection.store, v->agent ? v->agent : "", v->key, err);
  if (status == CK_OK && !value) status = ck_facts_none(v->key, v->agent, err);
  if (status == CK_OK) status = print(host->output, v, value, err);
  ck_value_free(value);
  ck_inspection_close(&inspection);
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
    {"ckrun facts get city", "one of them"},
    {0},
};

const ck_command ck_command_facts_get = {
    .name = "facts get",
    .summary = "print one fact",
    .details = "The value, as JSON.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
