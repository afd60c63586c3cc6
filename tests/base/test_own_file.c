/* test_own_file.c - the list of this process's own files: by name, by inode, as long as they are
 * in use. */
#include "core/base/own_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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
}

static const char *find(const char *name) {
  struct stat found;
  bool there = stat(path_of(name), &found) == 0;
  const char *noun = ck_own_file_find(path_of(name), there ? &found : NULL);
  return noun ? noun : "nobody's";
}

static void move(const char *from, const char *to) {
  tap_must(rename(path_of(from), path_of(to)) == 0, "%s is renamed to %s", from, to);
}

/* Whoever may rename a file must not thereby make it another one. */
static void test_renamed(void) {
  static const char *const parts[] = {"s.db", "s.db-wal", "s.db-shm", "s.db.lock"};
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 1; i < sizeof parts / sizeof *parts; i++) make(parts[i]);
  tap_is_status(ck_own_file_look(&err), CK_OK, &err, "all of the store's files exist");
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    move(parts[i], "moved");
    tap_is_text(find("moved"), "a file of the store", "%s is known by another name", parts[i]);
    tap_ok(is_refused(path_of("moved")), "to this process, too");
    move("moved", parts[i]);
  }
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char to[32];
    snprintf(to, sizeof to, "y%s", parts[i] + 1);
    move(parts[i], to);
  }
  make("s.db");
  tap_is_text(find("y.db"), "a file of the store", "all were renamed, and one was put there");
  tap_is_text(find("y.db-wal"), "a file of the store", "its log");
  tap_is_text(find("s.db"), "a file of the store", "as what is there now");
  move("s.db", "later");
  tap_is_text(find("later"), "a file of the store", "which was seen, and is not forgotten");
}

static void test_beside(void) {
  tap_must(
      mkdir(path_of("s.db.sessions"), 0700) == 0 && mkdir(path_of("s.db.sessions/in"), 0700) == 0,
      "folders beside the store");
  make("s.db.sessions/a.lock");
  make("s.db.sessions/in/b");
  tap_must(link(path_of("s.db.sessions/a.lock"), path_of("a")) == 0 &&
               link(path_of("s.db.sessions/in/b"), path_of("b")) == 0 &&
               symlink("../f", path_of("s.db.sessions/out")) == 0,
           "links to what is in them, and one out of them");
  tap_is_text(find("a"), "a file of the store", "a file beside the store has two names");
  tap_is_text(find("b"), "a file of the store", "however deep");
  tap_is_text(find("f/s.db"), "nobody's", "a link leads to nothing of the store's");
  tap_is_text(find("x"), "nobody's", "other files are nobody's");
}

/* What lies in the folders beside a store, and is renamed from there. */
static void test_moved_out(void) {
  ck_error err = CK_ERROR_INIT;
  tap_must(mkdir(path_of("s.db.spill"), 0700) == 0 && mkdir(path_of("s.db.spill/in"), 0700) == 0,
           "folders beside the store");
  make("s.db.spill/one");
  make("s.db.spill/in/two");
  tap_is_status(ck_own_file_look(&err), CK_OK, &err, "they are looked at");
  move("s.db.spill/one", "one");
  move("s.db.spill/in/two", "f/two");
  tap_is_text(find("one"), "a file of the store", "a file is known when it was moved out");
  tap_is_text(find("f/two"), "a file of the store", "however deep it was");
  make("s.db.spill/later");
  make("s.db.spill/in/later");
  find("x");
  move("s.db.spill/later", "later1");
  move("s.db.spill/in/later", "later2");
  tap_is_text(find("later1"), "a file of the store", "one that came later, too");
  tap_is_text(find("later2"), "a file of the store", "in each folder");
  make("s.db.spill/noted");
  tap_is_status(ck_own_file_note(path_of("s.db.spill/noted"), &err), CK_OK, &err, "one is noted");
  move("s.db.spill/noted", "noted");
  tap_is_text(find("noted"), "a file of the store", "and moved before anybody looked");
  make("own");
  tap_is_status(ck_own_file_note(path_of("own"), &err), CK_OK, &err, "one elsewhere is noted");
  tap_is_text(find("own"), "nobody's", "which means nothing");
  move("s.db.spill/in", "f/in");
  make("f/in/three");
  tap_is_text(find("f/in/three"), "nobody's",
              "what is made in a folder that was moved away is not");
  tap_is_text(find("f/two"), "a file of the store", "what was known stays so");
  move("f/in", "s.db.spill/in");
  find("x");
  move("s.db.spill/in/three", "three");
  tap_is_text(find("three"), "a file of the store", "until the folder is back");
}

/* A file system gives the inode of a file that is gone to another. */
static void test_inode_again(void) {
  int again = 0, refused = 0;
  struct stat before, now;
  for (int i = 0; i < 50; i++) {
    make("s.db.spill/gone");
    find("x");
    tap_must(stat(path_of("s.db.spill/gone"), &before) == 0, "a file");
    unlink(path_of("s.db.spill/gone"));
    make("fresh");
    tap_must(stat(path_of("fresh"), &now) == 0, "another");
    again += now.st_ino == before.st_ino;
    refused += strcmp(find("fresh"), "nobody's") != 0;
    unlink(path_of("fresh"));
  }
  tap_is_int(refused, 0, "a new file that has the inode of a store's is nobody's (%d did)", again);
}

/* A folder is read again when it has changed, which its time tells: with thousands of files each
 * access would cost milliseconds. */
static void test_read_once(void) {
  struct timespec old[2] = {{.tv_sec = 1000000000, .tv_nsec = 1}, {1000000000, 1}};
  make("s.db.spill/seen");
  tap_must(utimensat(AT_FDCWD, path_of("s.db.spill"), old, 0) == 0, "changed long ago");
  find("x");
  make("s.db.spill/hidden");
  tap_must(utimensat(AT_FDCWD, path_of("s.db.spill"), old, 0) == 0, "and at no other time");
  find("x");
  move("s.db.spill/hidden", "hidden");
  tap_is_text(find("hidden"), "nobody's", "an unchanged folder is not read again");
  move("s.db.spill/seen", "seen");
  tap_is_text(find("seen"), "a file of the store", "what was in it is known");
}

static void test_sources(void) {
  ck_error err = CK_ERROR_INIT;
  make("flow");
  make("new");
  tap_must(ck_own_file_add(CK_OWN_SOURCE, path_of("flow"), &err) == CK_OK &&
               ck_own_file_add(CK_OWN_SOURCE, path_of("absent"), &err) == CK_OK &&
               ck_own_file_add(CK_OWN_SOURCE, path_of("none/absent"), &err) == CK_OK,
           "one that exists and two that do not");
  tap_is_text(find("absent"), "a file that ckrun works by", "nobody else makes the file");
  tap_is_text(find("f/absent"), "nobody's", "except elsewhere");
  make("absent");
  tap_is_text(find("absent"), "a file that ckrun works by", "it is made");
  move("absent", "made");
  tap_is_text(find("made"), "a file that ckrun works by", "and renamed");
  move("flow", "old");
  tap_is_text(find("old"), "a file that ckrun works by", "one that was there is renamed");
  tap_is_text(find("flow"), "a file that ckrun works by", "its name is not free");
  move("new", "flow");
  tap_is_text(find("flow"), "a file that ckrun works by", "it is replaced");
  tap_is_text(find("old"), "a file that ckrun works by", "the one before is remembered");
  ck_own_file_remove(CK_OWN_SOURCE, path_of("flow"));
  ck_own_file_remove(CK_OWN_SOURCE, path_of("absent"));
  tap_is_text(find("old"), "nobody's", "until it is removed from the list");
  tap_is_text(find("absent"), "nobody's", "as is the name");
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
  test_beside();
  test_moved_out();
  test_inode_again();
  test_read_once();
  test_sources();
  test_renamed();
  ck_own_file_remove(CK_OWN_STORE, store);
  tap_ok(!is_refused(store), "when it is closed it is a file like any other");
  return tap_done();
}
