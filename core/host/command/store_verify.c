/* store_verify.c - store verify: checks rows, digests and payloads, and lists the faults. */
#include <stdlib.h>

#include "core/host/command/commands.h"
#include "core/host/print/format.h"
#include "core/host/inspect/inspect.h"
#include "core/host/print/table.h"
#include "core/host/print/document.h"
#include "core/host/run/spills.h"
#include "core/host/run/spills_verify.h"
#include "core/host/session/unfinished_scrub.h"
#include "core/store/verify.h"

typedef struct values {
  const char *session;
} values;

typedef struct verification {
  ck_output *output;
  ck_table table;
  ck_document document;
  struct cJSON *problems;
  ck_verify_report report;
  ck_spills_references named; /* long outputs */
} verification;

static const ck_column columns[] = {
    {"SESSION", false}, {"SEQ", true}, {"STATUS", false}, {"PROBLEM", false}, {NULL, false}};

static void visit(void *to, const char *session, int64_t seq, ck_status status, const char *text) {
  verification *self = to;
  if (self->output->json) {
    struct cJSON *problem = ck_document_put_object(&self->document, self->problems, NULL);
    if (*session) ck_document_put_text(&self->document, problem, "session", session);
    ck_document_put_int(&self->document, problem, "seq", seq);
    ck_document_put_text(&self->document, problem, "status", ck_status_name(status));
    ck_document_put_text(&self->document, problem, "text", text);
    return;
  }
  ck_table_put_text(&self->table, ck_bytes_text(session));
  ck_table_put_count(&self->table, seq);
  ck_table_put_word(&self->table, ck_status_name(status));
  ck_table_put_text(&self->table, ck_bytes_text(text));
}

static void report_sound(ck_output *output, const ck_verify_report *report) {
  ck_buffer text = {0};
  ck_format_of(&text, report->sessions, "session");
  ck_buffer_append_text(&text, ", ");
  ck_format_of(&text, report->events, "event");
  ck_buffer_append_text(&text, ", ");
  ck_format_of(&text, report->checkpoints, "checkpoint");
  ck_buffer_append_char(&text, '\0');
  ck_output_notice(output, "%s: all is well", text.failed ? "all that is stored" : text.data);
  ck_buffer_clear(&text);
}

static ck_status print_report(verification *self, ck_error *err) {
  const ck_verify_report *report = &self->report;
  if (self->output->json) {
    ck_document_put_int(&self->document, NULL, "sessions", report->sessions);
    ck_document_put_int(&self->document, NULL, "events", report->events);
    ck_document_put_int(&self->document, NULL, "checkpoints", report->checkpoints);
    ck_document_put_bool(&self->document, NULL, "ok", report->problems == 0);
    return ck_document_print(&self->document, err);
  }
  ck_status status = report->problems ? ck_table_print(&self->table, err) : CK_OK;
  if (status == CK_OK && !report->problems) report_sound(self->output, report);
  return status;
}

/* What is to be erased may still be there: that is no damage, and nothing that is well. */
static ck_status check_scrub(verification *self, ck_store *store, ck_error *err) {
  ck_buffer text = {0};
  ck_status status = ck_scrub_unfinished_append(&text, store, err);
  if (status == CK_OK && text.len) visit(self, "", 0, CK_E_PENDING, text.data);
  if (status == CK_OK && text.len) self->report.problems++;
  ck_buffer_clear(&text);
  return status;
}

/* ---- long outputs, beside the store or in it ---- */

static void see(void *to, const char *session, int64_t seq, ck_event_kind kind, ck_bytes body) {
  verification *self = to;
  ck_spills_references_take(&self->named, session, seq, kind, body);
}

static void visit_output(void *to, const char *session, int64_t seq, ck_status status,
                         const char *text) {
  verification *self = to;
  visit(self, session, seq, status, text);
  self->report.problems++;
}

static ck_status check_outputs(verification *self, const ck_inspection *inspection, ck_error *err) {
  ck_shelf shelf;
  int64_t unsealed = 0;
  ck_status status = ck_spills_open(&shelf, inspection->location.url, inspection->store, err);
  const ck_spills_check check = {&shelf, inspection->store, visit_output, self};
  if (status == CK_OK) status = ck_spills_verify(&unsealed, &self->named, &check, err);
  if (unsealed)
    ck_output_notice(self->output,
                     "%lld long outputs are not sealed, in %s: they were written before the "
                     "store had its key, or by an older ckrun, or somebody put them there; 'ckrun "
                     "key rotate' seals them",
                     (long long)unsealed, shelf.place);
  ck_shelf_close(&shelf);
  return status;
}

static ck_status verify(verification *self, const ck_inspection *inspection, const char *session,
                        ck_error *err) {
  const ck_verify_order order = {.session_id = session, .visit = visit, .see = see, .to = self};
  ck_status status = ck_store_verify_order(&self->report, inspection->store, &order, err);
  if (status == CK_OK) status = check_scrub(self, inspection->store, err);
  if (status == CK_OK) status = check_outputs(self, inspection, err);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_inspection inspection = {0};
  verification self = {.output = host->output};
  ck_status status = v->session ? ck_inspection_open_session(&inspection, host, v->session, err)
                                : ck_inspection_open(&inspection, host, err);
  if (status != CK_OK) return status;
  ck_table_init(&self.table, host->output, columns);
  ck_document_init(&self.document, host->output);
  self.problems = ck_document_put_array(&self.document, NULL, "problems");
  if (inspection.store)
    status = verify(&self, &inspection, v->session ? inspection.head.session.id : NULL, err);
  if (status == CK_OK) status = print_report(&self, err);
  int64_t problems = self.report.problems;
  if (status == CK_OK && problems)
    status = ck_error_set(err, CK_E_CORRUPT, "%s: %lld %s found", inspection.location.url,
                          (long long)problems, problems == 1 ? "problem" : "problems");
  ck_spills_references_clear(&self.named);
  ck_document_clear(&self.document);
  ck_table_clear(&self.table);
  ck_inspection_close(&inspection);
  return status;
}

static const ck_option options[] = {
    {.name = "session",
     .type = CK_OPTION_TEXT,
     .offset = offsetof(values, session),
     .value = "ID",
     .complete = CK_COMPLETE_SESSION,
     .help = "only this session"},
    {0},
};

static const ck_example examples[] = {
    {"ckrun store verify", "whether every row is what was written"},
    {0},
};

const ck_command ck_command_store_verify = {
    .name = "store verify",
    .summary = "check every row, digest and payload",
    .details = "Long outputs that results name are opened, too, beside the store or in it. "
               "Columns of the problems: session, seq, status, problem. Exit code 7 when there is "
               "any; 5 while 'ckrun key rotate' changes the store's key. Never writes.",
    .options = options,
    .examples = examples,
    .run = run,
};
