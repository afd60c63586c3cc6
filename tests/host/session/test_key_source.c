/* test_key_source.c - the key file that is judged is the one that is read, whoever exchanges what
 * lies at its path meanwhile; secrets come from files that nobody else could have written. */
#include "core/host/session/key_source.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/runtime/session/secret.h"
#include "tests/tap.h"

#define MINE "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define THEIRS "ffeeddccbbaa99887766554433221100ffeeddccbbaa99887766554433221100"

/* ---- calls of the C library, with somebody between them ---- */

static const char *path; /* of the key */
static int looks, swap_after, opens, last_flags;
static uid_t pretended; /* owner of what is open; 0: the true one */
static bool roots;      /* root owns it */
static bool user;       /* who asks is none but an ordinary user */

static void write_file(const char *name, const char *text, mode_t mode) {
  FILE *file = fopen(name, "we");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s is written", name);
  tap_must(chmod(name, mode) == 0, "%s has its mode", name);
}

/* Behind the given look at the path another file lies there. */
static void looked(const char *at) {
  if (!path || strcmp(at, path) != 0 || ++looks != swap_after) return;
  const char *real = path;
  path = NULL;
  tap_must(rename(tap_tmpfile("other"), real) == 0, "the file is exchanged");
  path = real;
}

int stat(const char *name, struct stat *out) {
  int answer = (int)syscall(SYS_newfstatat, AT_FDCWD, name, out, 0);
  looked(name);
  return answer;
}

int statx(int folder, const char *name, int flags, unsigned mask, struct statx *out) {
  int answer = (int)syscall(SYS_statx, folder, name, flags, mask, out);
  looked(name);
  return answer;
}

int fstat(int fd, struct stat *out) {
  int answer = (int)syscall(SYS_newfstatat, fd, "", out, AT_EMPTY_PATH);
  if (pretended) out->st_uid = pretended;
  if (roots) out->st_uid = 0;
  return answer;
}

uid_t geteuid(void) { return user ? 54320 : (uid_t)syscall(SYS_geteuid); }

int open(const char *name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
  if (path && strcmp(name, path) == 0) opens++, last_flags = flags;
  looked(name);
  return fd;
}

/* ---- keys ---- */

static ck_status read_key(char hex[CK_KEY_TEXT_SIZE], ck_error *err) {
  ck_key *key;
  char ref[600];
  snprintf(ref, sizeof ref, "file:%s", path);
  hex[0] = '\0';
  ck_status status = ck_key_source_read(&key, ref, NULL, err);
  if (status == CK_OK) ck_key_write(hex, key);
  ck_key_free(key);
  return status;
}

/* Mine, closed to others, gives way to theirs, or theirs to mine. Whenever it happens: my key, or a
 * refusal, never theirs. */
static void check_exchanged(bool mine_first) {
  bool seen = true;
  for (int at = 1; seen; at++) {
    char hex[CK_KEY_TEXT_SIZE];
    ck_error err = CK_ERROR_INIT;
    path = NULL;
    const char *key = tap_tmpfile("key");
    write_file(mine_first ? key : tap_tmpfile("other"), MINE "\n", 0600);
    write_file(mine_first ? tap_tmpfile("other") : key, THEIRS "\n", 0666);
    path = key;
    looks = opens = 0;
    swap_after = at;
    ck_status status = read_key(hex, &err);
    seen = looks >= at;
    if (status == CK_OK)
      tap_is_text(hex, MINE, "exchanged behind look %d: the file that was judged is read", at);
    else
      tap_is_status(status, CK_E_REFUSED, &err, "exchanged behind look %d: refused", at);
    tap_is_int(opens, 1, "it is opened once");
    tap_ok(last_flags & O_CLOEXEC, "and no program inherits it");
  }
  swap_after = 0;
}

static void check_modes(void) {
  static const struct {
    mode_t mode;
    uid_t owner;
    const char *want; /* of the error; NULL: it is read */
  } cases[] = {
      {0600, 0, NULL},
      {0400, 0, NULL},
      {0640, 0, "chmod 600"},
      {0604, 0, "chmod 600"},
      {0602, 0, "chmod 600"},
      {0620, 0, "chmod 600"},
      {0666, 0, "0666"},
      {0600, 54321, "uid 54321"},
      {0440, 54321, "uid 54321"},
  };
  const char *key = tap_tmpfile("key");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char hex[CK_KEY_TEXT_SIZE];
    ck_error err = CK_ERROR_INIT;
    path = NULL;
    write_file(key, MINE "\n", cases[i].mode);
    path = key;
    pretended = cases[i].owner;
    ck_status status = read_key(hex, &err);
    pretended = 0;
    tap_is_status(status, cases[i].want ? CK_E_REFUSED : CK_OK, &err,
                  "a key of mode %04o, owner %d", (unsigned)cases[i].mode, (int)cases[i].owner);
    if (cases[i].want) tap_ok(strstr(err.text, cases[i].want), "why: %s", err.text);
  }
}

/* Root's file is open to the group that root gave it to, as a credential of systemd is to the
 * service's user: who asks is an ordinary user. */
static void check_of_root(void) {
  static const struct {
    mode_t mode;
    const char *want;
  } cases[] = {
      {0400, NULL},   {0440, NULL},   {0600, NULL},   {0640, NULL},
      {0444, "0444"}, {0644, "0644"}, {0460, "0460"}, {0642, "chmod g-w,o-rwx"},
  };
  const char *key = tap_tmpfile("key");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char hex[CK_KEY_TEXT_SIZE];
    ck_error err = CK_ERROR_INIT;
    path = NULL;
    write_file(key, MINE "\n", cases[i].mode);
    path = key;
    roots = user = true;
    ck_status status = read_key(hex, &err);
    roots = user = false;
    tap_is_status(status, cases[i].want ? CK_E_REFUSED : CK_OK, &err,
                  "a user, and a key of root's of mode %04o", (unsigned)cases[i].mode);
    if (cases[i].want) tap_ok(strstr(err.text, cases[i].want), "why: %s", err.text);
  }
}

static void check_link(void) {
  char hex[CK_KEY_TEXT_SIZE];
  ck_error err = CK_ERROR_INIT;
  path = NULL;
  write_file(tap_tmpfile("key"), MINE "\n", 0600);
  tap_must(symlink("key", tap_tmpfile("link")) == 0, "a link");
  path = tap_tmpfile("link");
  tap_is_status(read_key(hex, &err), CK_OK, &err, "a link to a key is followed");
  tap_is_text(hex, MINE, "to the key");
  path = NULL;
}

/* ---- other secrets ---- */

static void check_secrets(void) {
  static const struct {
    mode_t mode;
    uid_t owner;
    const char *want;
  } cases[] = {
      {0600, 0, NULL},
      {0644, 0, NULL},
      {0664, 0, NULL},
      {0646, 0, "chmod o-w"},
      {0602, 0, "can be written by others"},
      {0600, 54321, "belongs to another user"},
      {0644, 54321, "belongs to another user"},
  };
  const char *file = tap_tmpfile("secret");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char ref[600];
    ck_buffer text = {0};
    ck_error err = CK_ERROR_INIT;
    snprintf(ref, sizeof ref, "file:%s", file);
    write_file(file, "correct horse\n", cases[i].mode);
    pretended = cases[i].owner;
    user = pretended;
    ck_status status = ck_secret_read(&text, ref, &err);
    pretended = user = 0;
    tap_is_status(status, cases[i].want ? CK_E_SECRET_MISSING : CK_OK, &err,
                  "a secret of mode %04o, owner %d", (unsigned)cases[i].mode, (int)cases[i].owner);
    tap_is_bytes(ck_buffer_bytes(&text), ck_bytes_text(cases[i].want ? "" : "correct horse"),
                 "it is read, or nothing of it");
    if (cases[i].want) tap_ok(strstr(err.text, cases[i].want), "why: %s", err.text);
    ck_secret_wipe(&text);
  }
}

/* He could take it as well. */
static void check_root_reads(void) {
  char ref[600];
  ck_buffer text = {0};
  ck_error err = CK_ERROR_INIT;
  const char *file = tap_tmpfile("secret");
  if (geteuid() != 0) return;
  snprintf(ref, sizeof ref, "file:%s", file);
  write_file(file, "correct horse\n", 0600);
  pretended = 54321;
  tap_is_status(ck_secret_read(&text, ref, &err), CK_OK, &err, "root reads a secret of a user");
  tap_is_bytes(ck_buffer_bytes(&text), ck_bytes_text("correct horse"), "all of it");
  ck_buffer_reset(&text);
  write_file(file, "correct horse\n", 0602);
  tap_is_status(ck_secret_read(&text, ref, &err), CK_E_SECRET_MISSING, &err,
                "none that everybody can write");
  pretended = 0;
  ck_secret_wipe(&text);
}

int main(void) {
  check_exchanged(true);
  check_exchanged(false);
  check_modes();
  check_of_root();
  check_link();
  check_secrets();
  check_root_reads();
  return tap_done();
}
