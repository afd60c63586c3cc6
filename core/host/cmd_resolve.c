/* cmd_resolve.c - resolve: says what became of an effect whose outcome is unknown. */
#include <string.h>

#include "core/host/commands.h"
#include "core/host/document.h"
#include "core/host/errand.h"
#include "core/host/launch.h"
#include "core/host/place.h"
#include "core/host/table.h"
#include "core/runtime/resolve.h"

typedef struct values {
  const char *session, *effect, *verdict, *result;
} values;

typedef struct listing {
  ck_output *output;
  ck_table table;
  size_t count;
  ck_status status;
  ck_error *err;
} listing;

static const ck_column columns[] = {{"EFFECT", false}, {"KIND", false}, {"CLASS", false}, {"REQUEST", false}, {NULL, false}};

static ck_status print_json(listing *self, const char *key, const char *kind, const char *class, ck_bytes request) {
  ck_document document;
  ck_value *value = NULL;
  ck_status status = request.len ? ck_value_copy(&value, request, self->err) : CK_OK;
  ck_document_init(&document, self->output);
  ck_document_put_text(&document, NULL, "effect", key);
  ck_document_put_text(&document, NULL, "kind", kind);
  ck_document_put_text(&document, NULL, "class", class);
  ck_document_put_value(&document, NULL, "request", value);
  if (status == CK_OK) status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  ck_value_free(value);
  return status;
}

static void visit(void *to, const char *key, const char *kind, const char *class, ck_bytes request) {
  listing *self = to;
  self->count++;
  if (self->status != CK_OK) return;
  if (self->output->json) {
    self->status = print_json(self, key, kind, class, request);
    return;
  }
  ck_table_put_text(&self->table, ck_bytes_text(key));
  ck_table_put_word(&self->table, kind);
  ck_table_put_word(&self->table, class);
  ck_table_put_text(&self->table, request);
}

static ck_status list(ck_host *host, ck_runtime *runtime, const values *v, ck_error *err) {
  listing self = {.output = host->output, .err = err};
  ck_table_init(&self.table, host->output, columns);
  ck_status status = ck_session_list_doubts(runtime, v->session, visit, &self, err);
  if (status == CK_OK) status = self.status;
  if (status == CK_OK && self.count) status = ck_table_print(&self.table, err);
  if (status == CK_OK)
    ck_output_talk(host->output, self.count ? "say what became of each: ckrun resolve %s EFFECT done|retry|abort"
                                            : "session %s has no effect in doubt", v->session);
  ck_table_clear(&self.table);
  return status;
}

static ck_status resolve(ck_host *host, ck_runtime *runtime, const values *v, const ck_value *result, ck_error *err) {
  ck_status status = ck_session_resolve(runtime, v->session, v->effect, v->verdict, result, err);
  if (status == CK_E_NOT_FOUND) {
    ck_error ignored = CK_ERROR_INIT;
    if (!host->output->json && list(host, runtime, v, &ignored) != CK_OK) return status;
    return status;
  }
  if (status != CK_OK || !host->output->json) return status;
  ck_document document;
  ck_document_init(&document, host->output);
  ck_document_put_text(&document, NULL, "session", v->session);
  ck_document_put_text(&document, NULL, "effect", v->effect);
  ck_document_put_text(&document, NULL, "verdict", v->verdict);
  status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status check(const values *v, ck_error *err) {
  if (v->effect && !v->verdict) return ck_error_set(err, CK_E_USAGE, "say what became of it: done, retry or abort");
  if (v->result && (!v->verdict || strcmp(v->verdict, "done") != 0))
    return ck_error_set(err, CK_E_USAGE, "--result goes with the verdict done");
  return ck_id_check("session", v->session, err);
}

static ck_status redact_result(ck_value **result, ck_host *host, ck_runtime *runtime, const char *id, ck_error *err) {
  ck_value *kept = NULL;
  ck_status status = ck_errand_hide_secrets(host->output, runtime->store, id, err);
  if (status == CK_OK) status = ck_redactor_apply(&kept, host->output->redactor, CK_SINK_REQUEST, NULL, *result, err);
  if (status != CK_OK) return status;
  ck_value_free(*result);
  *result = kept;
  return CK_OK;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_place place = {0};
  ck_runtime *runtime = NULL;
  ck_value *result = NULL;
  ck_status status = check(v, err);
  if (status == CK_OK && v->result) status = ck_launch_take_json(&result, "--result", v->result, err);
  if (status == CK_OK) status = ck_place_find(&place, host, err);
  if (status == CK_OK) status = ck_runtime_open(&runtime, place.url, &(ck_store_options){.key = place.key}, NULL, err);
  if (status == CK_OK && result) status = redact_result(&result, host, runtime, v->session, err);
  if (status == CK_OK && !v->effect) status = list(host, runtime, v, err);
  else if (status == CK_OK) status = resolve(host, runtime, v, result, err);
  ck_runtime_close(runtime);
  ck_place_clear(&place);
  ck_value_free(result);
  return status;
}

static const char *const verdicts[] = {"done", "retry", "abort", NULL};

static const ck_operand operands[] = {
  {.name = "SESSION", .offset = offsetof(values, session), .help = "its id", .complete = CK_COMPLETE_SESSION},
  {.name = "EFFECT", .optional = true, .offset = offsetof(values, effect),
   .help = "the effect's key; without one, those in doubt are listed"},
  {.name = "VERDICT", .optional = true, .offset = offsetof(values, verdict), .choices = verdicts,
   .help = "done: it happened; retry: it did not, do it; abort: take it as failed and tell the flow"},
  {0},
};

static const ck_option options[] = {
  {.name = "result", .type = CK_OPTION_TEXT, .offset = offsetof(values, result), .value = "JSON|@FILE",
   .complete = CK_COMPLETE_FILE,
   .help = "with done: what it returned"},
  {0},
};

const ck_command ck_command_resolve = {
  .name = "resolve",
  .summary = "say what became of an effect whose outcome is unknown",
  .details = "An effect of class once that was begun, and whose outcome was not recorded before a crash, is never guessed: the "
             "session stops with exit code 75 until a person has found out. The next resume acts on the verdict.",
  .operands = operands,
  .options = options,
  .run = run,
};
