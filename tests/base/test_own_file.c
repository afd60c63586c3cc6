/* test_own_file.c - the list of this process's own files: by name, by inode, as long as they are
 * in use. */
#include "core/base/own_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static char folder[PATH_MAX];

static const char *path_of(const char *name) {
  static char paths[4][PATH_MAX + 64];
  static int next;
  char *path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

static void make(const char *name) {
  int fd = open(path_of(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  tap_must(fd >= 0 && close(fd) == 0, "%s is made", name);
}

static bool is_refused(const char *name) {
  ck_error err = CK_ERROR_INIT;
  return ck_own_file_check(name, &err) == CK_E_REFUSED && strstr(err.text, "of the open store");
}

static void test_check(void) {
  static const char *const own[] = {"s.db",       "s.db-wal",  "s.db-shm",     "s.db-journal",
                                    "s.db.lock",  "s.db.new",  "hard",         "soft",
                                    "./s.db-wal", "f/../s.db", "f/../s.db-wal"};
  static const char *const others[] = {"s.db.jsonl", "s.dbx", "x", "f/s.db", "none/s.db", ""};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    tap_ok(is_refused(path_of(own[i])), "%s is a file of the store", own[i]);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    tap_ok(!is_refused(path_of(others[i])), "'%s' is none", others[i]);
  tap_must(chdir(folder) == 0, "in its folder");
  tap_ok(is_refused("s.db") && is_refused("s.db-journal") && !is_refused("x"),
         "also by a relative path");
}

static void test_find(void) {
  struct stat found;
  ck_error err = CK_ERROR_INIT;
  tap_is_text(ck_own_file_find(path_of("s.db.any"), NULL), "a file of the store",
              "for others everything that begins with its name is the store's");
  tap_is_text(ck_own_file_find(path_of("s.db.spill/x/y"), NULL), "a file of the store",
              "and what is in such a folder");
  tap_ok(!ck_own_file_find(path_of("f/s.db"), NULL), "in its own folder only");
  tap_must(stat(path_of("x"), &found) == 0, "a file");
  tap_ok(!ck_own_file_find(path_of("x"), &found), "another file is not");
  tap_must(ck_own_file_add(CK_OWN_SECRET, "x", &err) == CK_OK &&
               ck_own_file_add(CK_OWN_SECRET, path_of("f/../x"), &err) == CK_OK,
           "until it is listed, twice");
  tap_is_text(ck_own_file_find(path_of("whatever"), &found), "a file with a secret",
              "it is found under any name");
  tap_ok(!is_refused("x"), "this process may read it");
  ck_own_file_remove(CK_OWN_SECRET, "x");
  tap_ok(ck_own_file_find(path_of("x"), &found) != NULL, "one of two removes");
  ck_own_file_remove(CK_OWN_SECRET, "x");
  tap_ok(!ck_own_file_find(path_of("x"), &found), "both");
  ck_own_file_remove(CK_OWN_SECRET, "x");
  tap_is_status(ck_own_file_add(CK_OWN_SOURCE, path_of("absent"), &err), CK_OK, &err,
                "what does not exist is not listed");
}

int main(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(realpath(tap_tmpdir(), folder) != NULL, "there is a folder");
  char store[PATH_MAX + 64];
  snprintf(store, sizeof store, "%s", path_of("s.db"));
  tap_ok(!is_refused(store), "no store is open");
  tap_must(ck_own_file_add(CK_OWN_STORE, store, &err) == CK_OK, "one is, and not there yet");
  tap_ok(is_refused(store), "its name is taken");
  make("s.db");
  make("x");
  tap_must(link(store, path_of("hard")) == 0 && symlink("s.db", path_of("soft")) == 0 &&
               mkdir(path_of("f"), 0700) == 0,
           "links");
  make("f/s.db");
  test_check();
  test_find();
  ck_own_file_remove(CK_OWN_STORE, store);
  tap_ok(!is_refused(store), "when it is closed it is a file like any other");
  return tap_done();
}
