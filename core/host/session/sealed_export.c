/* sealed_export.c - an export that only a key opens. */
#include "core/host/session/sealed_export.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/base/sealed_text.h"
#include "core/host/session/key_source.h"

static const char magic[] = "CKEXPORT";
enum { MAGIC = sizeof magic - 1, HEAD = MAGIC + CK_KEY_ID_SIZE };
_Static_assert((int)CK_KEY_SIZE == (int)CK_SEALED_TEXT_KEY, "one size of keys");

ck_status ck_sealed_export_key(ck_key **out, const char *given, const ck_host *host,
                               ck_error *err) {
  const char *ref = given ? given : host->key;
  *out = NULL;
  if (!ref) return CK_OK;
  ck_status status = ck_key_source_read(out, ref, host->output->redactor, err);
  if (status != CK_OK && given) ck_error_prefix(err, "--seal-key");
  return status;
}

ck_status ck_sealed_export_write(ck_buffer *out, const ck_key *key, ck_bytes document,
                                 ck_error *err) {
  uint8_t subkey[CK_KEY_SIZE];
  char name[CK_KEY_ID_TEXT_SIZE];
  ck_key_id id = ck_key_get_id(key);
  ck_key_id_hex(name, &id);
  ck_key_export(subkey, key);
  ck_buffer_append(out, magic, MAGIC);
  ck_buffer_append(out, (const char *)id.bytes, sizeof id.bytes);
  ck_status status = ck_sealed_text_write(out, subkey, name, document, err);
  explicit_bzero(subkey, sizeof subkey);
  return status == CK_OK ? ck_buffer_check(out, err) : status;
}

bool ck_sealed_export_is(ck_bytes file) {
  return file.len >= MAGIC && memcmp(file.data, magic, MAGIC) == 0;
}

/* What is no file, such as a pipe, has nothing taken from it. */
bool ck_sealed_export_is_at(const char *path) {
  char head[MAGIC];
  ck_error ignored = CK_ERROR_INIT;
  if (ck_own_file_check(path, &ignored) != CK_OK) return false;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  bool is = fd >= 0 && pread(fd, head, sizeof head, 0) == (ssize_t)sizeof head &&
            ck_sealed_export_is((ck_bytes){head, sizeof head});
  if (fd >= 0) close(fd);
  return is;
}

static ck_status refuse_key(const ck_key *key, const ck_key_id *theirs, const char *path,
                            ck_error *err) {
  char sealed[CK_KEY_ID_TEXT_SIZE], given[CK_KEY_ID_TEXT_SIZE];
  ck_key_id_hex(sealed, theirs);
  if (!key)
    return ck_error_set(err, CK_E_SECRET_MISSING,
                        "%s is an export that is sealed with the key %s: give it with --seal-key "
                        "file:PATH, or, where it is the store's, with --key",
                        path, sealed);
  ck_key_id id = ck_key_get_id(key);
  ck_key_id_hex(given, &id);
  return ck_error_set(err, CK_E_OTHER_KEY,
                      "%s is sealed with the key %s; the key given by %s is %s: --seal-key names "
                      "another",
                      path, sealed, ck_key_source(key), given);
}

ck_status ck_sealed_export_open(ck_buffer *out, const ck_key *key, const char *path, ck_bytes file,
                                ck_error *err) {
  uint8_t subkey[CK_KEY_SIZE];
  char name[CK_KEY_ID_TEXT_SIZE];
  ck_key_id theirs, ours;
  if (!ck_sealed_export_is(file))
    return ck_error_set(err, CK_E_USAGE, "%s is no sealed export: --seal-key is not for it", path);
  if (file.len < HEAD)
    return ck_error_set(err, CK_E_CORRUPT, "%s: the sealed export was cut: nothing is taken of it",
                        path);
  memcpy(theirs.bytes, file.data + MAGIC, sizeof theirs.bytes);
  if (key) ours = ck_key_get_id(key);
  if (!key || !ck_key_id_equal(&ours, &theirs)) return refuse_key(key, &theirs, path, err);
  ck_key_id_hex(name, &theirs);
  ck_key_export(subkey, key);
  ck_status status =
      ck_sealed_text_open(out, subkey, name, (ck_bytes){file.data + HEAD, file.len - HEAD}, err);
  explicit_bzero(subkey, sizeof subkey);
  if (status != CK_E_CORRUPT) return status;
  return ck_error_set(err, CK_E_CORRUPT,
                      "%s: the sealed export was changed or cut since it was written: nothing is "
                      "taken of it",
                      path);
}

ck_status ck_sealed_export_read(ck_buffer *out, const char *path, size_t max, ck_error *err) {
  ck_status status = ck_own_file_check(path, err);
  if (status != CK_OK) return status;
  FILE *file = fopen(path, "re");
  char chunk[1 << 14];
  size_t got;
  if (!file)
    return ck_error_set(err, errno == ENOENT ? CK_E_NOT_FOUND : CK_E_USAGE, "%s: %s", path,
                        strerror(errno));
  while (out->len <= max && !out->failed && (got = fread(chunk, 1, sizeof chunk, file)) > 0)
    ck_buffer_append(out, chunk, got);
  int code = ferror(file) ? errno : 0;
  fclose(file);
  if (code) return ck_error_set(err, CK_E_USAGE, "%s: %s", path, strerror(code));
  if (out->len > max)
    return ck_error_set(err, CK_E_USAGE, "%s is larger than %zu bytes", path, max);
  return ck_buffer_check(out, err);
}
