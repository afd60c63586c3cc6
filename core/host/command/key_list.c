/* key_list.c - key list: which keys sign the rows of a store. */
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/session/store_location.h"
#include "core/host/print/table.h"
#include "core/store/rekey.h"

static const ck_column columns[] = {
    {"KEY", false}, {"STATE", false}, {"EVENTS", true}, {"CHECKPOINTS", true}, {NULL, false}};

typedef struct listing {
  ck_output *output;
  ck_table table;
  ck_status status;
  ck_error *err;
} listing;

static const char *state_of(const ck_key_use *use) {
  if (!use->is_key) return "none";
  return use->is_current ? "current" : use->is_before ? "before" : "unknown";
}

static void put(void *to, const ck_key_use *use) {
  listing *self = to;
  char id[CK_KEY_ID_TEXT_SIZE] = "";
  if (use->is_key) ck_key_id_hex(id, &use->id);
  if (!self->output->json) {
    ck_table_put_word(&self->table, *id ? id : "-");
    ck_table_put_word(&self->table, state_of(use));
    ck_table_put_count(&self->table, use->events);
    ck_table_put_count(&self->table, use->checkpoints);
    return;
  }
  ck_document document;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "key", *id ? id : NULL);
  ck_document_put_text(&document, NULL, "state", state_of(use));
  ck_document_put_int(&document, NULL, "events", use->events);
  ck_document_put_int(&document, NULL, "checkpoints", use->checkpoints);
  if (self->status == CK_OK) self->status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  (void)given;
  ck_store_location location;
  ck_host keyless = {.store = host->store, .output = host->output};
  listing self = {.output = host->output, .err = err};
  ck_table_init(&self.table, host->output, columns);
  ck_status status = ck_store_location_find(&location, &keyless, err);
  if (status == CK_OK) status = ck_store_list_keys(location.opens, put, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && !host->output->json) status = ck_table_print(&self.table, err);
  ck_table_clear(&self.table);
  ck_store_location_clear(&location);
  return status;
}

static const ck_example examples[] = {
    {"ckrun key list", "which keys sign what is stored"},
    {0},
};

const ck_command ck_command_key_list = {
    .name = "key list",
    .summary = "list the keys that sign the rows of the store",
    .details = "Columns: id of the key, state, events, checkpoints. The state is current: the "
               "store's own; before: the one that it is changed from; none: rows of a store "
               "without a key; unknown: rows that the store's key does not open. Needs no key.",
    .examples = examples,
    .run = run,
};
