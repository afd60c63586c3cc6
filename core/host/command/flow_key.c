/* flow_key.c - flow key: a key that signs flows, in a file that only its owner can read. */
#include "core/base/signature.h"
#include "core/host/command/commands.h"
#include "core/host/print/document.h"
#include "core/host/session/key_file.h"
#include "core/runtime/session/secret.h"

typedef struct values {
  const char *file;
} values;

static ck_status report(ck_output *output, const char *path, const ck_public_key *key,
                        ck_error *err) {
  char id[CK_PUBLIC_KEY_ID_SIZE];
  ck_buffer pem = {0};
  ck_document document;
  ck_public_key_write(&pem, key);
  ck_public_key_id(id, key);
  ck_status status = ck_buffer_check(&pem, err);
  if (status == CK_OK && !output->json) ck_output_write(output, ck_buffer_bytes(&pem));
  if (status == CK_OK && output->json) {
    ck_document_init(&document, output);
    ck_document_put_text(&document, NULL, "key", id);
    ck_document_put_text(&document, NULL, "file", path);
    ck_document_put_text(&document, NULL, "public", pem.data);
    status = ck_document_print(&document, err);
    ck_document_clear(&document);
  }
  ck_buffer_clear(&pem);
  return status;
}

static ck_status run(ck_host *host, const void *given, ck_error *err) {
  const values *v = given;
  ck_signing_key *key;
  ck_public_key public;
  ck_buffer pem = {0};
  ck_status status = ck_signing_key_new(&key, err);
  if (status != CK_OK) return status;
  ck_signing_key_write(&pem, key);
  ck_signing_key_public(&public, key);
  status = ck_buffer_check(&pem, err);
  if (status == CK_OK) status = ck_key_file_write(v->file, ck_buffer_bytes(&pem), err);
  ck_secret_wipe(&pem);
  ck_signing_key_free(key);
  return status == CK_OK ? report(host->output, v->file, &public, err) : status;
}

static const ck_operand operands[] = {
    {.name = "FILE",
     .offset = offsetof(values, file),
     .help = "where the private key goes; it must not be there yet",
     .complete = CK_COMPLETE_FILE},
    {0},
};

static const ck_example examples[] = {
    {"ckrun flow key team.key >trusted.pem", "a pair of keys: one to sign with, one to trust"},
    {0},
};

const ck_command ck_command_flow_key = {
    .name = "flow key",
    .summary = "make a key that signs flows",
    .details = "Writes a private key of Ed25519 to FILE (mode 0600) and prints the public one, for "
               "'ckrun worker --trust'. Both are PEM, as 'openssl genpkey -algorithm ed25519' and "
               "'openssl pkey -pubout' write them.",
    .operands = operands,
    .examples = examples,
    .run = run,
};
