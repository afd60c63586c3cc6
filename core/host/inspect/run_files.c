/* run_files.c - prints the files that a run of a session executed. */
#include "core/host/inspect/run_files.h"

#include <string.h>

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/session/kept.h"

static const ck_column columns[] = {
    {"KIND", false}, {"FILE", false}, {"DIGEST", false}, {"KEPT", false}, {NULL, false}};

static const char *state_of(const ck_kept_file *file) {
  if (file->withheld) return "no: it held a secret";
  return file->shipped ? "yes, shipped with ckrun" : "yes";
}

static ck_status print_table(ck_output *output, const ck_kept_files *files, ck_error *err) {
  ck_table table;
  ck_table_init(&table, output, columns);
  for (size_t i = 0; i < files->count; i++) {
    const ck_kept_file *file = &files->list[i];
    ck_table_put_word(&table, file->kind);
    ck_table_put_text(&table, ck_bytes_text(file->file));
    ck_table_put_text(&table, ck_bytes_text(file->digest));
    ck_table_put_word(&table, state_of(file));
  }
  ck_status status = ck_table_print(&table, err);
  ck_table_clear(&table);
  return status;
}

static ck_status print_object(ck_output *output, ck_store *store, const ck_kept_file *file,
                              ck_error *err) {
  ck_document document;
  ck_buffer text = {0};
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "kind", file->kind);
  ck_document_put_text(&document, NULL, "file", file->file);
  ck_document_put_text(&document, NULL, "digest", file->digest);
  ck_document_put_bool(&document, NULL, "shipped", file->shipped);
  ck_document_put_bool(&document, NULL, "kept", !file->withheld);
  ck_status status = file->withheld ? CK_OK : ck_kept_files_get_text(&text, store, file, err);
  ck_buffer_append_char(&text, '\0');
  if (status == CK_OK) status = ck_buffer_check(&text, err);
  if (status == CK_OK && !file->withheld) ck_document_put_text(&document, NULL, "text", text.data);
  if (status == CK_OK) status = ck_document_print(&document, err);
  ck_document_clear(&document);
  ck_buffer_clear(&text);
  return status;
}

static ck_status print_objects(ck_output *output, ck_store *store, const ck_kept_files *files,
                               ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; i < files->count && status == CK_OK; i++)
    status = print_object(output, store, &files->list[i], err);
  return status;
}

/* Line by line, each safe for a terminal. */
static ck_status print_text(ck_output *output, ck_store *store, const ck_kept_file *file,
                            ck_error *err) {
  ck_buffer text = {0}, safe = {0};
  ck_status status = ck_kept_files_get_text(&text, store, file, err);
  ck_bytes rest = ck_buffer_bytes(&text);
  while (status == CK_OK && rest.len) {
    const char *end = memchr(rest.data, '\n', rest.len);
    size_t len = end ? (size_t)(end - rest.data) : rest.len, step = end ? len + 1 : len;
    ck_output_append_safe(output, &safe, (ck_bytes){rest.data, len});
    ck_buffer_append_char(&safe, '\n');
    rest = (ck_bytes){rest.data + step, rest.len - step};
  }
  if (status == CK_OK) status = ck_buffer_check(&safe, err);
  if (status == CK_OK) ck_output_write(output, ck_buffer_bytes(&safe));
  ck_buffer_clear(&text);
  ck_buffer_clear(&safe);
  return status == CK_OK ? ck_output_flush(output, err) : status;
}

/* ---- one of them ---- */

static bool is_meant(const ck_kept_file *file, const char *word) {
  size_t len = strlen(file->file), end = strlen(word);
  bool path = end && len >= end && strcmp(file->file + len - end, word) == 0 &&
              (len == end || file->file[len - end - 1] == '/');
  return path || (end >= 4 && strncmp(file->digest, word, end) == 0);
}

static ck_status find(const ck_kept_file **out, const ck_kept_files *files, const char *word,
                      ck_error *err) {
  ck_buffer names = {0};
  size_t found = 0;
  for (size_t i = 0; i < files->count; i++) {
    bool meant = is_meant(&files->list[i], word);
    if (meant) *out = &files->list[i];
    found += meant;
    ck_buffer_append_format(&names, "%s%s", i ? ", " : "", files->list[i].file);
  }
  ck_status status = ck_buffer_check(&names, err);
  if (status == CK_OK && !found)
    status = ck_error_set(err, CK_E_NOT_FOUND, "the run executed no file '%s'; it executed %s",
                          word, names.data ? names.data : "none that is known");
  if (status == CK_OK && found > 1)
    status = ck_error_set(err, CK_E_USAGE, "'%s' is more than one file of %s", word, names.data);
  ck_buffer_clear(&names);
  return status;
}

ck_status ck_run_files_print(ck_output *output, const ck_inspection *inspection, int64_t timeline,
                             const char *file, ck_error *err) {
  ck_kept_files files;
  const ck_kept_file *one = NULL;
  ck_store *store = inspection->store;
  ck_status status = ck_kept_files_read(&files, store, &inspection->head, timeline, err);
  if (status == CK_OK && file) status = find(&one, &files, file, err);
  if (status == CK_OK)
    status = one && output->json ? print_object(output, store, one, err)
             : one               ? print_text(output, store, one, err)
             : output->json      ? print_objects(output, store, &files, err)
                                 : print_table(output, &files, err);
  ck_kept_files_clear(&files);
  return status;
}
