/* imports.c - imports files into a store in memory and tells what came of it. */
#include "core/store/sqlite/foreign.h"
#include "tests/lua/import/imports.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

void imports_open(imports *self) {
  memset(self, 0, sizeof *self);
  ck_store_options options = {.create = true};
  tap_must(ck_store_open(&self->store, "memory:", &options, &self->err) == CK_OK, "a store: %s",
           self->err.text);
  tap_must(ck_redactor_new(&self->redactor, &self->err) == CK_OK, "a redactor: %s", self->err.text);
}

void imports_close(imports *self) {
  ck_redactor_free(self->redactor);
  ck_store_close(self->store);
}

void imports_reset(imports *self) {
  self->count = self->existed = self->lost = self->mended = 0;
  self->last_lost = 0;
  self->problem[0] = 0;
}

static ck_status end_session(imports *self, ck_error *err) {
  if (!self->session) return CK_OK;
  imports_session *to = &self->sessions[self->count];
  ck_status status = ck_import_end(&to->report, self->session, self->store, self->redactor, err);
  ck_import_free(self->session);
  self->session = NULL;
  self->existed += status == CK_E_EXISTS;
  self->count += status == CK_OK;
  return status == CK_E_EXISTS ? CK_OK : status;
}

static ck_status put(void *to, const ck_import_fact *fact, ck_error *err) {
  imports *self = to;
  if (fact->kind != CK_IMPORT_SESSION) return ck_import_apply(self->session, fact, err);
  ck_status status = end_session(self, err);
  if (status != CK_OK) return status;
  tap_must(self->count < IMPORTS_SESSIONS_MAX, "room for the sessions");
  ck_import_origin origin = {.format = self->format, .path = self->path, .session = fact};
  ck_import_make_id(self->sessions[self->count].id, self->format, fact->id);
  return ck_import_begin(&self->session, self->sessions[self->count].id, &origin, err);
}

static void problem(void *to, const char *path, int64_t line, const char *text, bool lost) {
  imports *self = to;
  (void)path;
  if (!lost) {
    self->mended++;
    return;
  }
  self->lost++;
  self->last_lost = line;
  snprintf(self->problem, sizeof self->problem, "%s", text);
}

ck_status imports_import(imports *self, const char *path, const char *format) {
  ck_import_sink sink = {
      .self = self, .put = put, .problem = problem, .read_tables = ck_foreign_read};
  self->err = (ck_error)CK_ERROR_INIT;
  self->path = path;
  ck_status status = ck_import_read_file(self->format, path, format, &sink, &self->err);
  if (status == CK_OK) status = end_session(self, &self->err);
  ck_import_free(self->session);
  self->session = NULL;
  return status;
}

static void put_member(ck_buffer *out, ck_bytes body, const char *name) {
  ck_bytes value = ck_json_get(body, name);
  if (!value.len) return;
  ck_buffer_append_format(out, " %s=", name);
  if (!ck_json_read_string(out, value)) ck_buffer_append_bytes(out, value);
}

static bool dump_event(void *to, const ck_event *event) {
  static const char *const members[] = {
      "key",     "type",         "name",          "status",     "error",  "orphan",
      "cost",    "input_tokens", "output_tokens", "id",         "target", "childAgentId",
      "kind",    "depth",        "now",           "latency_ms", "since",  "spent",
      "request", "message",      "content",       "reason",     "source"};
  ck_buffer *out = to;
  ck_bytes body = ck_value_bytes(event->body);
  if (event->kind == CK_EVENT_SESSION_STARTED) return true;
  ck_buffer_append_format(out, "%s %s %s %" PRId64, ck_event_kind_name(event->kind), event->scope,
                          event->agent ? event->agent : "-", event->at_ms);
  for (size_t i = 0; i < sizeof members / sizeof *members; i++)
    if (event->kind == CK_EVENT_BOUNDARY || strcmp(members[i], "kind") != 0)
      put_member(out, body, members[i]);
  ck_buffer_append_char(out, '\n');
  return true;
}

void imports_dump(ck_buffer *out, imports *self, const char *id) {
  ck_session_record record;
  tap_must(ck_store_get_session(&record, self->store, id, &self->err) == CK_OK, "session %s: %s",
           id, self->err.text);
  ck_event_query query = {.session = record.no};
  tap_must(ck_store_read_events(self->store, &query, dump_event, out, &self->err) == CK_OK,
           "its events: %s", self->err.text);
  ck_buffer_append_format(out, "%s ", ck_session_status_name(record.status));
  ck_bytes import = ck_json_get(ck_value_bytes(record.input), "import");
  put_member(out, import, "cost");
  put_member(out, import, "agents");
  put_member(out, import, "about");
  ck_buffer_append_char(out, '\n');
  ck_session_record_clear(&record);
}

typedef struct counting {
  const char *member, *text;
  int64_t count;
} counting;

static bool count_event(void *to, const ck_event *event) {
  counting *self = to;
  ck_bytes value =
      self->member ? ck_json_get(ck_value_bytes(event->body), self->member) : ck_bytes_text("any");
  self->count += self->text ? ck_json_is_text(value, self->text) : value.len > 0;
  return true;
}

int64_t imports_count(imports *self, const char *id, ck_event_kind kind, const char *member,
                      const char *text) {
  ck_session_record record;
  tap_must(ck_store_get_session(&record, self->store, id, &self->err) == CK_OK, "session %s: %s",
           id, self->err.text);
  counting found = {.member = member, .text = text};
  ck_event_query query = {.session = record.no, .kinds = (uint64_t)1 << kind};
  ck_session_record_clear(&record);
  tap_must(ck_store_read_events(self->store, &query, count_event, &found, &self->err) == CK_OK,
           "its events: %s", self->err.text);
  return found.count;
}

const char *imports_path(const char *folder, const char *rest) {
  static char paths[16][1024];
  static size_t next;
  char *path = paths[next++ % 16];
  tap_must(snprintf(path, sizeof *paths, "%s/%s", folder, rest) < (int)sizeof *paths,
           "the path is short enough");
  return path;
}

void imports_read(ck_buffer *out, const char *path) {
  FILE *file = fopen(path, "rb");
  tap_must(file != NULL, "%s can be read", path);
  char chunk[65536];
  for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;)
    ck_buffer_append(out, chunk, got);
  fclose(file);
}

void imports_write(const char *path, ck_bytes bytes) {
  FILE *file = fopen(path, "wb");
  tap_must(file && fwrite(bytes.data ? bytes.data : "", 1, bytes.len, file) == bytes.len &&
               fclose(file) == 0,
           "%s can be written", path);
}
