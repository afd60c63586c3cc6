/* findings.c - the list of findings, and how it is printed. */
#include "core/host/doctor/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/host/print/document.h"
#include "core/host/print/format.h"
#include "core/host/print/paragraph.h"
#include "core/host/print/table.h"

void ck_findings_clear(ck_findings *self) {
  for (size_t i = 0; i < self->count; i++) {
    free(self->list[i].subject);
    free(self->list[i].text);
    free(self->list[i].remedy);
  }
  free(self->list);
  *self = (ck_findings){0};
}

void ck_findings_add(ck_findings *self, const char *check, ck_status status, const char *subject,
                     ck_buffer *remedy, const char *format, ...) {
  va_list arguments;
  char text[CK_ERROR_TEXT_MAX];
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  ck_finding *list = ck_array_grow(self->list, self->count, &self->cap, sizeof *list);
  char *command = remedy && !remedy->failed ? ck_buffer_take(remedy) : NULL;
  if (remedy) ck_buffer_clear(remedy);
  if (list) {
    self->list = list;
    list[self->count++] = (ck_finding){check, status, strdup(subject), strdup(text), command};
  } else {
    free(command);
  }
  const ck_finding *added = list ? &list[self->count - 1] : NULL;
  self->failed |= !added || !added->subject || !added->text || (remedy && !command);
}

size_t ck_findings_count(const ck_findings *self, const char *check) {
  size_t count = 0;
  for (size_t i = 0; i < self->count; i++) count += strcmp(self->list[i].check, check) == 0;
  return count;
}

ck_status ck_findings_check(const ck_findings *self, ck_error *err) {
  return self->failed ? ck_error_no_memory(err) : CK_OK;
}

/* What stops all sessions comes first, then what stops one, then what somebody else may read. */
static int gravity(ck_status status) {
  static const ck_status order[] = {CK_OK,        CK_E_PENDING,  CK_E_WAITING,
                                    CK_E_REFUSED, CK_E_IN_DOUBT, CK_E_FULL};
  int at = 0, count = (int)(sizeof order / sizeof *order);
  while (at < count && order[at] != status) at++;
  return at;
}

ck_status ck_findings_worst(const ck_findings *self) {
  ck_status worst = CK_OK;
  for (size_t i = 0; i < self->count; i++)
    if (gravity(self->list[i].status) > gravity(worst)) worst = self->list[i].status;
  return worst;
}

/* ---- printing ---- */

static ck_status print_json(const ck_findings *self, const ck_findings_head *head,
                            ck_output *output, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "store", head->store);
  ck_document_put_text(&document, NULL, "sqlite", head->sqlite);
  ck_document_put_text(&document, NULL, "lua", head->lua);
  if (head->free_bytes >= 0) ck_document_put_int(&document, NULL, "free_bytes", head->free_bytes);
  struct cJSON *array = ck_document_put_array(&document, NULL, "findings");
  for (size_t i = 0; i < self->count; i++) {
    const ck_finding *one = &self->list[i];
    struct cJSON *at = ck_document_put_object(&document, array, NULL);
    ck_document_put_text(&document, at, "check", one->check);
    ck_document_put_text(&document, at, "status", ck_status_name(one->status));
    ck_document_put_text(&document, at, "subject", one->subject);
    ck_document_put_text(&document, at, "text", one->text);
    ck_document_put_text(&document, at, "remedy", one->remedy);
  }
  ck_document_put_bool(&document, NULL, "ok", ck_findings_worst(self) == CK_OK);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status print_rows(const ck_findings *self, ck_output *output, ck_error *err) {
  static const ck_column columns[] = {{"CHECK", 0}, {"STATUS", 0}, {"SUBJECT", 0},
                                      {"TEXT", 0},  {"REMEDY", 0}, {NULL, 0}};
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < self->count; i++) {
    const ck_finding *one = &self->list[i];
    ck_table_put_word(&table, one->check);
    ck_table_put_word(&table, ck_status_name(one->status));
    ck_table_put_text(&table, ck_bytes_text(one->subject));
    ck_table_put_text(&table, ck_bytes_text(one->text));
    ck_table_put_text(&table, ck_bytes_text(one->remedy));
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

/* The command is not wrapped: it is to be copied. */
static void print_one(const ck_finding *one, ck_output *output) {
  ck_buffer line = {0};
  bool color = output->color;
  ck_buffer_append_format(&line, "%s: %s", one->check, one->subject);
  ck_paragraph_print(output, ck_buffer_bytes(&line), 0,
                     one->status == CK_OK ? CK_TONE_PLAIN : CK_TONE_BAD);
  ck_paragraph_print(output, ck_bytes_text(one->text), 2, CK_TONE_PLAIN);
  ck_buffer_clear(&line);
  if (!one->remedy) return;
  ck_buffer_append_format(&line, "  do: %s", color ? ck_tone_on(CK_TONE_STRONG) : "");
  ck_output_append_safe(output, &line, ck_bytes_text(one->remedy));
  ck_buffer_append_format(&line, "%s\n", color ? ck_tone_off(CK_TONE_STRONG) : "");
  ck_output_write(output, ck_buffer_bytes(&line));
  output->failed |= line.failed;
  ck_buffer_clear(&line);
}

static void print_end(const ck_findings *self, const ck_findings_head *head, ck_output *output) {
  ck_buffer text = {0};
  ck_buffer_append_text(&text, head->store);
  if (head->sqlite) ck_buffer_append_format(&text, ", SQLite %s", head->sqlite);
  ck_buffer_append_format(&text, ", Lua %s", head->lua);
  if (head->free_bytes >= 0) {
    ck_buffer_append_text(&text, ", free there: ");
    ck_format_bytes(&text, head->free_bytes);
  }
  if (ck_findings_worst(self) == CK_OK) ck_buffer_append_text(&text, ": nothing needs to be done");
  ck_buffer_append_char(&text, '\0');
  if (!text.failed) ck_output_notice(output, "%s", text.data);
  ck_buffer_clear(&text);
}

ck_status ck_findings_print(const ck_findings *self, const ck_findings_head *head,
                            ck_output *output, ck_error *err) {
  if (output->json) return print_json(self, head, output, err);
  ck_status status = CK_OK;
  if (output->terminal)
    for (size_t i = 0; i < self->count; i++) print_one(&self->list[i], output);
  else
    status = print_rows(self, output, err);
  print_end(self, head, output);
  return status;
}
