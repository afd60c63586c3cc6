/* key_new.c - key new: a key of random bytes, in a file that only its owner can read. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/store/format/seal.h"

typedef struct values {
  const char *file;
} values;

/* Whole, or not at all; an existing file is not touched. */
static ck_status write_key(const char *path, const char *text, ck_error *err) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0 && errno == EEXIST)
    return ck_error_set(err, CK_E_EXISTS, "%s is there already: a key is not written over anything",
                        path);
  if (fd < 0) return ck_error_set(err, CK_E_IO, "cannot make %s: %s", path, strerror(errno));
  size_t len = strlen(text);
  bool written = write(fd, text, len) == (ssize_t)len && write(fd, "\n", 1) == 1 && fsync(fd) == 0;
  int code = errno;
  if (close(fd) != 0 && written) {
    written = false;
    code = errno;
  }
  if (written) return CK_OK;
  unlink(path);
  return ck_error_set(err, code == ENOSPC || code == EDQUOT ? CK_E_FULL : CK_E_IO,
                      "cannot write %s: %s", path, strerror(code));
}

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
  char text[CK_KEY_TEXT_SIZE], id[CK_KEY_ID_TEXT_SIZE];
  ck_status status = ck_key_new(&key, v->file, err);
  if (status != CK_OK) return status;
  ck_key_id number = ck_key_get_id(key);
  ck_key_id_hex(id, &number);
  ck_key_write(text, key);
  status = write_key(v->file, text, err);
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
