/* key_rotate.c - key rotate: seals a store with another key, or with its first one. */
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/run/spills.h"
#include "core/host/session/key_source.h"
#include "core/host/session/store_location.h"
#include "core/store/output.h"
#include "core/store/rekey.h"

typedef struct values {
  const char *new_key;
} values;

static ck_status print_report(ck_output *output, const ck_rekey_report *report, const ck_key *key,
                              ck_error *err) {
  char id[CK_KEY_ID_TEXT_SIZE];
  ck_document document;
  ck_key_id number = ck_key_get_id(key);
  ck_key_id_hex(id, &number);
  if (!output->json) {
    ck_output_print(output, "%s\n", id);
    if (report->was_done)
      ck_output_notice(output, "the store has this key already");
    else
      ck_output_notice(output, "%lld events and %lld checkpoints sealed anew%s",
                       (long long)report->events, (long long)report->checkpoints,
                       report->resumed ? "; others were before" : "");
    return CK_OK;
  }
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "key", id);
  ck_document_put_int(&document, NULL, "events", report->events);
  ck_document_put_int(&document, NULL, "checkpoints", report->checkpoints);
  ck_document_put_bool(&document, NULL, "resumed", report->resumed);
  ck_document_put_bool(&document, NULL, "was_done", report->was_done);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

/* Long outputs: files beside the store, or what it keeps. `url` names it. */
static ck_status open_outputs(ck_shelf *out, const struct ck_backend *store, const char *url,
                              ck_error *err) {
  ck_status status = ck_spills_open(out, url, NULL, err);
  if (status != CK_OK || out->kind || !ck_output_is_kept(store)) return status;
  return ck_output_open_alone(out, store, url, err);
}

static ck_status begin_outputs(void *url, const struct ck_backend *store, const uint8_t *from,
                               const uint8_t *to, ck_error *err) {
  ck_shelf shelf;
  ck_status status = open_outputs(&shelf, store, url, err);
  if (status == CK_OK) status = ck_spills_begin_rekey(&shelf, from, to, err);
  ck_shelf_close(&shelf);
  return status;
}

static ck_status end_outputs(void *url, const struct ck_backend *store, const uint8_t *to,
                             ck_error *err) {
  ck_shelf shelf;
  ck_status status = open_outputs(&shelf, store, url, err);
  if (status == CK_OK) status = ck_spills_end_rekey(&shelf, to, err);
  ck_shelf_close(&shelf);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_store_location location = {0};
  ck_key *key = NULL;
  ck_rekey_report report;
  if (!v->new_key)
    return ck_error_set(
        err, CK_E_USAGE,
        "key rotate: --new-key REF says where the new key is, as --key does: file:PATH, …");
  ck_status status = ck_key_source_read(&key, v->new_key, host->output->redactor, err);
  if (status == CK_OK) status = ck_store_location_find(&location, host, err);
  ck_store_options with = {.key = location.key, .watch = &location.watch};
  const ck_rekey_beside beside = {begin_outputs, end_outputs, location.url};
  if (status == CK_OK) status = ck_store_rekey(&report, location.opens, &with, key, &beside, err);
  if (status == CK_OK) status = print_report(host->output, &report, key, err);
  ck_store_location_clear(&location);
  ck_key_free(key);
  return status;
}

static const ck_option options[] = {
    {.name = "new-key",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, new_key),
     .value = "REF",
     .required = true,
     .help = "the key that the store gets, by reference, as --key"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun key rotate --new-key file:$PWD/store.key", "seal the store with the key in that file"},
    {0},
};

const ck_command ck_command_key_rotate = {
    .name = "key rotate",
    .summary = "seal the store with another key",
    .details = "Verifies the store, then seals and signs all of it with the new key, a few "
               "rows at a time. A store that has no key yet gets one; nothing of what was "
               "readable is left in its files then, nor in those of long outputs. No session "
               "may be running. Until it has come to its end nothing else opens the store; "
               "when it is stopped, the same command with the same two keys goes on. Of a store in "
               "PostgreSQL the tables are written anew at the end; the server's own write-ahead "
               "log, its standbys' and its backups keep what was readable as long as they keep it.",
    .options = options,
    .examples = examples,
    .run = run,
};
