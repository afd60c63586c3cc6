/* key_new.c - key new: a key of random bytes, in a file that only its owner can read. */
#include <string.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/session/key_file.h"
#include "core/store/format/seal.h"

typedef struct values {
  const char *file;
} values;

static ck_status report(ck_output *output, const char *path, const char *id, ck_error *err) {
  ck_document document;
  if (!output->json) {
    ck_output_print(output, "%s\n", id);
    return CK_OK;
  }
  ck_document_init(&document, output);
  ck_document_put_text(&document, NULL, "key", id);
  ck_document_put_text(&document, NULL, "file", path);
  ck_status status = ck_document_print(&document, err);
  ck_document_clear(&document);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_key *key;
  char text[CK_KEY_TEXT_SIZE + 1], id[CK_KEY_ID_TEXT_SIZE];
  ck_status status = ck_key_new(&key, v->file, err);
  if (status != CK_OK) return status;
  ck_key_id number = ck_key_get_id(key);
  ck_key_id_hex(id, &number);
  ck_key_write(text, key);
  memcpy(text + CK_KEY_TEXT_SIZE - 1, "\n", 2);
  status = ck_key_file_write(v->file, ck_bytes_text(text), err);
  explicit_bzero(text, sizeof text);
  ck_key_free(key);
  return status == CK_OK ? report(host->output, v->file, id, err) : status;
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .offset = offsetof(values, file),
     .help = "where the key goes; it must not be there yet",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_example examples[] = {
    {"ckrun key new store.key", "a file that its owner alone can read"},
    {0},
};

const ck_command ck_command_key_new = {
    .name = "key new",
    .summary = "make a key for a store",
    .details = "Writes 64 hex digits to FILE (mode 0600) and prints the key's id, which tells "
               "nothing of the key. --key file:FILE gives it to a command; the same digits can be "
               "kept elsewhere, and given by a variable (--key env:NAME, or CKRUN_KEY). Who loses "
               "the key loses what is sealed with it.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
