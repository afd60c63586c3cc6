/* coverage.c - prints coverage as comments of TAP, or as JSON. */
#include "core/host/print/coverage.h"

#include <stdlib.h>

#include "core/base/json.h"
#include "core/host/print/document.h"

static int64_t read_count(ck_bytes part, const char *name) {
  int64_t count = 0;
  ck_json_read_int(&count, ck_json_get(part, name));
  return count;
}

static void append_missing(ck_buffer *to, ck_bytes missing) {
  int64_t line = 0;
  char *text = ck_json_dup_string(ck_json_get(missing, "text"));
  ck_json_read_int(&line, ck_json_get(missing, "line"));
  ck_buffer_append_format(to, "#   line %lld: %s\n", (long long)line, text ? text : "");
  free(text);
}

/* A comment in TAP: a hook, or the file's own text, and below it what is missing. */
static ck_status print_text(ck_output *output, ck_bytes part, ck_error *err) {
  ck_buffer text = {0};
  char *file = ck_json_dup_string(ck_json_get(part, "file"));
  char *hook = ck_json_dup_string(ck_json_get(part, "hook"));
  ck_status status = file ? CK_OK : ck_error_no_memory(err);
  ck_buffer_append_text(&text, "# coverage of ");
  ck_output_append_safe(output, &text, ck_bytes_text(file));
  ck_buffer_append_format(
      &text, ", %s: %lld of %lld lines, %lld of %lld branches\n", hook ? hook : "outside of hooks",
      (long long)read_count(part, "lines_run"), (long long)read_count(part, "lines"),
      (long long)read_count(part, "branches_taken"), (long long)read_count(part, "branches"));
  ck_json_iterator it = ck_json_iterate(ck_json_get(part, "missing"));
  while (ck_json_next(&it)) append_missing(&text, it.value);
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK) ck_output_write(output, ck_buffer_bytes(&text));
  ck_buffer_clear(&text);
  free(file);
  free(hook);
  return status;
}

static ck_status print_json(ck_output *output, ck_bytes part, ck_error *err) {
  ck_document document;
  ck_document_init(&document, output);
  ck_status status = ck_document_put_members(&document, NULL, part, err);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

ck_status ck_coverage_print(ck_output *output, ck_bytes parts, ck_error *err) {
  ck_status status = CK_OK;
  ck_json_iterator it = ck_json_iterate(parts);
  while (status == CK_OK && ck_json_next(&it))
    status = output->json ? print_json(output, it.value, err) : print_text(output, it.value, err);
  return status;
}
