/* sessions_output.c - sessions output: the whole of an output that was too long for its result. */
#include <stdlib.h>

#include "core/base/json.h"
#include "core/host/command/commands.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/document.h"
#include "core/host/print/pager.h"
#include "core/host/print/write_file.h"
#include "core/host/run/spills.h"
#include "core/host/session/profile_secrets.h"

typedef struct values {
  const char *session, *effect, *output;
  bool error;
} values;

static ck_status print_json(ck_output *output, const values *v, const char *session, ck_bytes text,
                            ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "session", session);
  ck_document_put_text(&document, NULL, "key", v->effect);
  ck_document_put_text(&document, NULL, "name", v->error ? "stderr" : "stdout");
  ck_buffer json = {0};
  ck_json_append_string(&json, text);
  ck_document_put_string(&document, NULL, "text", ck_buffer_bytes(&json));
  ck_status status = ck_buffer_check(&json, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  ck_buffer_clear(&json);
  return status;
}

/* What was masked stays so; what became known to be secret since is masked here. */
static ck_status give(ck_output *output, const values *v, const char *session, ck_bytes text,
                      ck_error *err) {
  ck_buffer clean = {0};
  ck_status status = ck_redactor_apply_text(&clean, output->redactor, CK_SINK_EXPORT, text, err);
  ck_bytes kept = ck_buffer_bytes(&clean);
  if (status == CK_OK && v->output)
    status = ck_write_file(v->output, kept, err);
  else if (status == CK_OK)
    status = output->json ? print_json(output, v, session, kept, err)
                          : ck_output_print_text(output, kept, err);
  ck_buffer_clear(&clean);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_inspection inspection;
  ck_buffer text = {0};
  ck_shelf shelf = {0};
  ck_pager_begin(host->output);
  ck_status status = ck_inspection_open_session(&inspection, host, v->session, err);
  if (status != CK_OK) return status;
  const char *id = inspection.head.session.id;
  status = ck_profile_secrets_hide(host->output, inspection.store, id, err);
  if (status == CK_OK)
    status = ck_spills_open(&shelf, inspection.location.url, inspection.store, err);
  if (status == CK_OK)
    status = ck_spills_read(&text, &shelf, ck_store_fingerprint_key(inspection.store), id,
                            v->effect, v->error ? "stderr" : "stdout", err);
  if (status == CK_OK) status = give(host->output, v, id, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&text);
  ck_shelf_close(&shelf);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_operand operands[] = {
    CK_SESSION_OPERAND(values, session),
    {.name = "EFFECT", .offset = offsetof(values, effect), .help = "the key of a program's effect"},
    {0},
};

static const ck_option options[] = {
    {.name = "stderr",
     .type = CK_OPTION_FLAG,
     .offset = offsetof(values, error),
     .help = "its stderr, not its stdout"},
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
    {"ckrun sessions output trip main/start/exec/1 -o output.txt", "all that a program wrote"},
    {0},
};

const ck_command ck_command_sessions_output = {
    .name = "sessions output",
    .summary = "print the whole of an output that was too long for its result",
    .details = "What a program of a flow wrote beyond output_max bytes lies in a file beside the "
               "store, or in the store where that is on a server; its result names it (spill). Of "
               "a store with a key it is sealed, and this reads it. Masked as what is stored; of "
               "several attempts the last one that has a long output.",
    .operands = operands,
    .options = options,
    .examples = examples,
    .run = run,
};
