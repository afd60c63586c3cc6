/* test_policies.c - every text of every sample that is imported is shown to the policies, as the
 * event that it becomes; what they mask is in no event, and what fails leaves nothing behind. */
#include <stdlib.h>
#include <string.h>

#include "core/runtime/portable/import.h"
#include "core/store/sqlite/foreign.h"
#include "lua/import/import.h"
#include "tests/tap.h"

typedef struct importing {
  ck_import *session;
  ck_policy_engine policies;
  ck_store *store;
  ck_redactor *redactor;
  int64_t asked, sessions;
  bool fails;
} importing;

static ck_status redact(ck_redaction *out, void *to, const ck_item *item, ck_error *err) {
  importing *self = to;
  *out = (ck_redaction){.verdict = self->fails ? CK_REDACT_DROP : CK_REDACT_MASK};
  self->asked += item->kind != 0 && !item->key;
  return self->fails ? ck_error_set(err, CK_E_POLICY, "no") : CK_OK;
}

static ck_status end(importing *self, ck_error *err) {
  ck_import_report report;
  if (!self->session) return CK_OK;
  ck_import_set_policies(self->session, &self->policies);
  ck_status status = ck_import_end(&report, self->session, self->store, self->redactor, err);
  self->sessions += status == CK_OK;
  ck_import_free(self->session);
  self->session = NULL;
  return status;
}

static ck_status put(void *to, const ck_import_fact *fact, ck_error *err) {
  importing *self = to;
  char id[CK_ID_SIZE];
  if (fact->kind != CK_IMPORT_SESSION) return ck_import_apply(self->session, fact, err);
  ck_status status = end(self, err);
  ck_import_origin origin = {.format = "sample", .path = "sample", .session = fact};
  ck_import_make_id(id, "sample", fact->id);
  return status == CK_OK ? ck_import_begin(&self->session, id, &origin, err) : status;
}

static void ignore(void *to, const char *path, int64_t line, const char *text, bool lost) {
  (void)to, (void)path, (void)line, (void)text, (void)lost;
}

static ck_status import(importing *self, const char *name, ck_error *err) {
  ck_buffer path = {0};
  char format[CK_IMPORT_FORMAT_SIZE];
  ck_import_sink sink = {
      .self = self, .put = put, .problem = ignore, .read_tables = ck_foreign_read};
  ck_buffer_append_format(&path, "tests/lua/import/data/%s", name);
  ck_status status = ck_import_read_file(format, path.data, NULL, &sink, err);
  if (status == CK_OK) status = end(self, err);
  ck_import_free(self->session);
  self->session = NULL;
  ck_buffer_clear(&path);
  return status;
}

static void open_all(importing *self) {
  ck_error err = CK_ERROR_INIT;
  ck_store_options options = {.create = true};
  *self = (importing){.policies = {.redact = redact}};
  self->policies.self = self;
  tap_must(ck_store_open(&self->store, "memory:", &options, &err) == CK_OK, "%s", err.text);
  tap_must(ck_redactor_new(&self->redactor, &err) == CK_OK, "%s", err.text);
}

static void close_all(importing *self) {
  ck_redactor_free(self->redactor);
  ck_store_close(self->store);
}

static const char *const samples[] = {"claude_code.jsonl", "codex.jsonl",    "gemini.json",
                                      "langgraph.db",      "openai.json",    "opencode.json",
                                      "pi.jsonl",          "run_state.json", "tau2_bench.json"};

static void check(const char *name) {
  ck_error err = CK_ERROR_INIT;
  importing self;
  open_all(&self);
  tap_is_status(import(&self, name, &err), CK_OK, &err, "%s is imported", name);
  tap_ok(self.sessions > 0 && self.asked > self.sessions * 2, "its events are asked about: %lld",
         (long long)self.asked);
  close_all(&self);
  open_all(&self);
  self.fails = true;
  tap_is_status(import(&self, name, &err), CK_E_POLICY, &err, "not where its policy fails");
  tap_is_int(self.sessions, 0, "nothing of it is there then");
  close_all(&self);
}

int main(void) {
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) check(samples[i]);
  return tap_done();
}
