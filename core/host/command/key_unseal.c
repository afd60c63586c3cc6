/* key_unseal.c - key unseal: gives the document of a sealed export. */
#include "core/base/json.h"
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/print/write_file.h"
#include "core/host/session/sealed_export.h"

enum { FILE_MAX = 1 << 30 };

typedef struct values {
  const char *file, *seal_key, *output;
} values;

static ck_status print_json(ck_output *output, const char *file, ck_bytes text, ck_error *err) {
  ck_document document;
  ck_buffer json = {0};
  ck_document_init(&document, output);
  ck_json_append_string(&json, text);
  ck_document_put_text(&document, NULL, "file", file);
  ck_document_put_string(&document, NULL, "text", ck_buffer_bytes(&json));
  ck_status status = ck_buffer_check(&json, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  ck_buffer_clear(&json);
  return status;
}

/* A document passed redaction when it was exported; on a terminal it acts on nothing. */
static ck_status give(ck_output *output, const values *v, ck_bytes text, ck_error *err) {
  if (v->output) return ck_write_file(v->output, text, err);
  return output->json ? print_json(output, v->file, text, err)
                      : ck_output_print_text(output, text, err);
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_key *key = NULL;
  ck_buffer file = {0}, text = {0};
  ck_status status = ck_sealed_export_key(&key, v->seal_key, host, err);
  if (status == CK_OK) status = ck_sealed_export_read(&file, v->file, FILE_MAX, err);
  if (status == CK_OK)
    status = ck_sealed_export_open(&text, key, v->file, ck_buffer_bytes(&file), err);
  if (status == CK_OK) status = give(host->output, v, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  ck_buffer_clear(&file);
  ck_key_free(key);
  return status;
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .offset = offsetof(values, file),
     .help = "what 'ckrun sessions export --seal' wrote",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_option options[] = {
    {.name = "seal-key",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, seal_key),
     .value = "REF",
     .help = "the key that it was sealed with, by reference, as --key; --key otherwise"},
    {.name = "output",
     .letter = 'o',
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, output),
     .value = "FILE",
     .complete = CK_COMPLETE_FILE,
     .help = "to this file, which is replaced as a whole, instead of stdout"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun key unseal trip.sealed --seal-key file:$PWD/share.key",
     "read what was exported with that key"},
    {0},
};

const ck_command ck_command_key_unseal = {
    .name = "key unseal",
    .summary = "open a sealed export",
    .details =
        "Gives the document that was sealed, as `ckrun sessions export` would have given it: all "
        "of it or, when a byte was changed, it was cut or has another key, nothing. It opens no "
        "store. 'ckrun sessions import' takes a sealed checkpoint as it is; a recording is opened "
        "first: `ckrun run FLOW --cassette <(ckrun key unseal FILE)`.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
