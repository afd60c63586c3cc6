/* flow_trust.c - reads the files of keys that a worker trusts. */
#include "core/host/session/flow_trust.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/shortage.h"
#include "lua/vm/vm.h"

#define REVOKED "revoked "

void ck_flow_trust_clear(ck_flow_trust *self) {
  free(self->keys);
  free(self->revoked);
  *self = (ck_flow_trust){0};
}

/* ---- who can write it ---- */

static bool is_mine(const struct stat *info) {
  return info->st_uid == geteuid() || info->st_uid == 0;
}

/* As ck_vm_read_file judges a file: a group with its owner's number is the owner's own. */
static bool others_write(const struct stat *info) {
  bool group = (info->st_mode & S_IWGRP) && info->st_gid != info->st_uid;
  return group || (info->st_mode & S_IWOTH);
}

/* Who can write its folder can put another file in its place, but in one like /tmp. */
static ck_status check_folder(const char *path, ck_error *err) {
  struct stat info;
  char *copy = strdup(path);
  if (!copy) return ck_error_no_memory(err);
  const char *folder = dirname(copy);
  ck_status status = CK_OK;
  if (stat(folder, &info) != 0)
    status = ck_error_set(err, CK_E_NOT_FOUND, "%s: %s", path, ck_errno_text(errno));
  else if (!is_mine(&info) || (others_write(&info) && !(info.st_mode & S_ISVTX)))
    status = ck_error_set(err, CK_E_REFUSED,
                          "%s: others can put another file in its place, for the folder %s is "
                          "theirs to write: keep keys that are trusted in one of your own",
                          path, folder);
  free(copy);
  return status;
}

/* Root reads what anybody wrote; but it trusts nobody's keys for that. */
static ck_status read_file(ck_buffer *out, const char *path, ck_error *err) {
  struct stat info;
  ck_status status = ck_vm_read_file(out, path, err);
  if (status == CK_OK && stat(path, &info) == 0 && !is_mine(&info))
    status = ck_error_set(err, CK_E_REFUSED, "%s: belongs to user %u, not to you or root", path,
                          (unsigned)info.st_uid);
  return status == CK_OK ? check_folder(path, err) : status;
}

/* ---- what it says ---- */

/* Over the lines of one file. */
typedef struct reading {
  ck_flow_trust *to;
  const char *path;
  int line, begun; /* begun: the line of the key's beginning; 0: outside of one */
  ck_buffer key;
} reading;

static ck_status add_key(reading *self, ck_error *err) {
  ck_flow_trust *to = self->to;
  ck_public_key *keys = ck_array_grow(to->keys, to->key_count, &to->key_cap, sizeof *keys);
  if (!keys || self->key.failed) return ck_error_no_memory(err);
  to->keys = keys;
  if (!ck_public_key_read(&keys[to->key_count], ck_buffer_bytes(&self->key)))
    return ck_error_set(err, CK_E_PARSE, "%s:%d: this is no public key of Ed25519", self->path,
                        self->begun);
  to->key_count++;
  self->begun = 0;
  ck_buffer_reset(&self->key);
  return CK_OK;
}

static ck_status add_revoked(reading *self, ck_bytes hex, ck_error *err) {
  ck_flow_trust *to = self->to;
  ck_digest *list = ck_array_grow(to->revoked, to->revoked_count, &to->revoked_cap, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  to->revoked = list;
  if (!ck_digest_read_hex(&list[to->revoked_count], hex))
    return ck_error_set(err, CK_E_PARSE, "%s:%d: \"revoked\" takes a digest of 64 hex digits",
                        self->path, self->line);
  to->revoked_count++;
  return CK_OK;
}

static bool begins(ck_bytes line, const char *word) {
  size_t len = strlen(word);
  return line.len >= len && memcmp(line.data, word, len) == 0;
}

/* A word that nobody knows is no comment: it may have been meant to take something back. */
static ck_status take_line(reading *self, ck_bytes line, ck_error *err) {
  size_t revoked = strlen(REVOKED);
  if (self->begun && ck_bytes_equal(line, ck_bytes_text(CK_PEM_PUBLIC_END)))
    return add_key(self, err);
  if (self->begun) {
    ck_buffer_append_bytes(&self->key, line);
    return CK_OK;
  }
  if (!line.len || *line.data == '#') return CK_OK;
  if (begins(line, REVOKED))
    return add_revoked(self, (ck_bytes){line.data + revoked, line.len - revoked}, err);
  if (ck_bytes_equal(line, ck_bytes_text(CK_PEM_PUBLIC_BEGIN))) {
    self->begun = self->line;
    return CK_OK;
  }
  return ck_error_set(err, CK_E_PARSE,
                      "%s:%d: neither a public key in PEM (" CK_PEM_PUBLIC_BEGIN
                      "), nor \"revoked DIGEST\", nor a comment (#)",
                      self->path, self->line);
}

static ck_bytes trim(ck_bytes line) {
  while (line.len && strchr(" \t\r", line.data[line.len - 1])) line.len--;
  return line;
}

static ck_status take_lines(reading *self, ck_bytes text, ck_error *err) {
  ck_status status = CK_OK;
  for (const char *at = text.data, *end = text.data + text.len; status == CK_OK && at < end;) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    self->line++;
    status = take_line(self, trim((ck_bytes){at, (size_t)(stop - at)}), err);
    at = stop + 1;
  }
  if (status == CK_OK && self->begun)
    status = ck_error_set(err, CK_E_PARSE, "%s:%d: the key that begins here has no end", self->path,
                          self->begun);
  return status;
}

static ck_status take_file(ck_flow_trust *self, const char *path, ck_error *err) {
  ck_buffer text = {0};
  reading of = {.to = self, .path = path};
  ck_status status = read_file(&text, path, err);
  if (status == CK_OK && text.len) status = take_lines(&of, ck_buffer_bytes(&text), err);
  ck_buffer_clear(&of.key);
  ck_buffer_clear(&text);
  return status;
}

ck_status ck_flow_trust_read(ck_flow_trust *self, const ck_words *files, ck_error *err) {
  ck_status status = CK_OK;
  for (size_t i = 0; status == CK_OK && i < files->count; i++) {
    status = take_file(self, files->list[i], err);
    if (status != CK_OK && status != CK_E_NO_MEMORY) ck_error_prefix(err, "--trust");
  }
  if (status == CK_OK && files->count && !self->key_count)
    status = ck_error_set(err, CK_E_PARSE, "--trust %s: there is no public key in it",
                          files->list[files->count - 1]);
  return status;
}

/* ---- what it is asked ---- */

bool ck_flow_trust_revokes(const ck_flow_trust *self, const ck_digest *digest) {
  for (size_t i = 0; i < self->revoked_count; i++)
    if (ck_digest_equal(&self->revoked[i], digest)) return true;
  return false;
}

bool ck_flow_trust_verify(const ck_flow_trust *self, ck_bytes message, ck_bytes signature) {
  for (size_t i = 0; i < self->key_count; i++)
    if (ck_public_key_verify(&self->keys[i], message, signature)) return true;
  return false;
}
