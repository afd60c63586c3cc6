/* facts_list.c - facts list: what flows keep beyond their sessions. */
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/store/fact.h"

typedef struct values {
  const char *agent, *prefix;
  bool shared;
  int64_t limit;
} values;

typedef struct listing {
  const values *wanted;
  ck_output *output;
  ck_table table;
  int64_t count;
  bool more;
  ck_status status;
  ck_error *err;
} listing;

static const ck_column columns[] = {{"AGENT", CK_COLUMN_CUT | CK_COLUMN_SPARE(2)},
                                    {"KEY", CK_COLUMN_CUT},
                                    {"UPDATED", CK_COLUMN_SPARE(1)},
                                    {"VALUE", CK_COLUMN_WIDE},
                                    {NULL, false}};

static ck_status print_json(const listing *self, const ck_fact *fact) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "agent", *fact->owner ? fact->owner : NULL);
  ck_document_put_text(&document, NULL, "key", fact->key);
  ck_document_put_value(&document, NULL, "value", fact->value);
  ck_document_put_time(&document, NULL, "updated", fact->at_ms);
  ck_status status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return status;
}

static bool visit(void *to, const ck_fact *fact) {
  listing *self = to;
  self->more = self->wanted->limit && self->count == self->wanted->limit;
  if (self->more) return false;
  self->count++;
  if (self->output->json) {
    self->status = print_json(self, fact);
    return self->status == CK_OK && ck_output_is_read(self->output);
  }
  ck_table_put_text(&self->table, ck_bytes_text(fact->owner));
  ck_table_put_text(&self->table, ck_bytes_text(fact->key));
  ck_table_put_time(&self->table, fact->at_ms);
  ck_table_put_text(&self->table, ck_value_bytes(fact->value));
  return ck_output_is_read(self->output);
}

static ck_status print_table(listing *self, ck_error *err) {
  if (self->output->json) return CK_OK;
  if (!self->count)
    ck_output_notice(self->output, self->wanted->prefix || self->wanted->agent
                                       ? "no fact is like that"
                                       : "no facts yet; flows keep them with ctx.facts.put");
  if (!self->count) return CK_OK;
  ck_status status = ck_table_print(&self->table, err);
  if (self->more)
    ck_output_notice(self->output, "there are more than %lld", (long long)self->count);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_inspection inspection;
  listing self = {.wanted = v, .output = host->output, .err = err};
  ck_fact_query query = {.owner = v->shared ? "" : v->agent, .prefix = v->prefix};
  if (v->shared && v->agent)
    return ck_error_set(err, CK_E_USAGE, "--shared and --agent exclude each other");
  ck_status status = ck_inspection_open(&inspection, host, err);
  if (status != CK_OK) return status;
  ck_table_init(&self.table, host->output, columns);
  if (inspection.store) status = ck_store_list_facts(inspection.store, &query, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK) status = print_table(&self, err);
  ck_table_clear(&self.table);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_option options[] = {
    {.name = "agent",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, agent),
     .value = "AGENT",
     .help = "only those of this agent"},
    {.name = "shared", .offset = offsetof(values, shared), .help = "only those of all agents"},
    {.name = "prefix",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, prefix),
     .value = "TEXT",
     .help = "only those whose key begins so"},
    {.name = "limit",
     .type = CK_OPTION_NUMBER,
     .offset = offsetof(values, limit),
     .value = "N",
     .help = "the first N of them"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun facts list", "all of them, with who owns them"},
    {0},
};

const ck_command ck_command_facts_list = {
    .name = "facts list",
    .summary = "list the facts that outlive sessions",
    .details = "Facts are values that flows keep with ctx.facts.put for later sessions of the same "
               "store, for all agents or for one. They are no part of any session's state: no "
               "resume, rewind or fork changes them. Columns: agent (empty: for all), key, "
               "updated, value, in the order of agent and key.",
    .options = options,
    .examples = examples,
    .run = run,
};
