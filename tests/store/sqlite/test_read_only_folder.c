/* test_read_only_folder.c - a store at rest in a folder that cannot be written, under whatever
 * name, is read by somebody who may only read it, and nothing is left beside it; what they would
 * write is refused. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { COMMITS = 6, PAGE = 4096 };
enum { NOBODY = 65534, READS = 10, WRITES, UNSOUND, OPENED };
static const fixture_step step = {.text = "t", .key = "memory.k", .value = "1"};
static char folder[400], path[460], url[480];

static void make_store(const char *name) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(url, sizeof url, "sqlite:%s", path);
  ck_store *store = fixture_open(url);
  tap_must(fixture_create(&session, store, "s", &err) == CK_OK, "create: %s", err.text);
  tap_must(fixture_commit(&session, &step, &err) == CK_OK, "commit: %s", err.text);
  ck_store_release(store, session.lease);
  ck_store_close(store);
}

/* As somebody who may do no more than read; root may do anything. */
static int look(void) {
  ck_error err = CK_ERROR_INIT;
  fixture session;
  ck_store *store;
  if (getuid() == 0 && (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)) return UNSOUND;
  if (ck_store_open(&store, url, &(ck_store_options){.read_only = true}, &err) != CK_OK) {
    fprintf(stderr, "# %s\n", err.text);
    return OPENED;
  }
  int found = fixture_verify(store) == 0 ? READS : UNSOUND;
  if (fixture_acquire(&session, store, "s", &err) == CK_OK) found = WRITES;
  ck_store_close(store);
  return found;
}

static int in_a_process(int (*run)(void)) {
  int status = 0;
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) _exit(run());
  tap_must(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status), "a process ends");
  return WEXITSTATUS(status);
}

static int count_files(void) {
  DIR *dir = opendir(folder);
  int count = 0;
  tap_must(dir != NULL, "the folder is there");
  while (readdir(dir)) count++;
  closedir(dir);
  return count;
}

/* Theirs, so that it is opened; where root does not make it, it is. */
static void give(void) {
  static const char *const suffixes[] = {"", "-wal", ".lock"};
  char file[480];
  if (getuid() != 0) return;
  tap_must(chown(folder, NOBODY, NOBODY) == 0, "the folder is theirs");
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    snprintf(file, sizeof file, "%s%s", path, suffixes[i]);
    tap_must(access(file, F_OK) != 0 || chown(file, NOBODY, NOBODY) == 0, "%s is theirs", file);
  }
}

static void test_name(const char *name) {
  char beside[480];
  make_store(name);
  for (int with_log = 1; with_log >= 0; with_log--) {
    snprintf(beside, sizeof beside, "%s-wal", path);
    if (!with_log) unlink(beside);
    snprintf(beside, sizeof beside, "%s-shm", path);
    unlink(beside);
    int files = count_files();
    give();
    tap_must(chmod(folder, 0555) == 0 && chmod(path, 0444) == 0, "nothing there can be written");
    tap_is_int(in_a_process(look), READS, "\"%s\" %s its log is read, and is sound", name,
               with_log ? "with" : "without");
    tap_is_int(count_files(), files, "and nothing is left beside it");
    tap_must(chmod(folder, 0755) == 0 && chmod(path, 0644) == 0, "as it was");
  }
}

/* ---- a process that wrote was killed ---- */

static int write_and_die(void) {
  fixture session;
  ck_error err = CK_ERROR_INIT;
  ck_store *store = fixture_open(url);
  bool made = fixture_create(&session, store, "s", &err) == CK_OK;
  for (int i = 0; i < COMMITS; i++) made &= fixture_commit(&session, &step, &err) == CK_OK;
  return made ? READS : UNSOUND;
}

/* Its log has commits that nobody folds now. SQLite keeps its index of them in its own memory
 * there, so it is counted whether all that was synced can be read. */
static void test_killed(void) {
  char beside[480];
  struct stat log;
  snprintf(path, sizeof path, "%s/killed.db", folder);
  snprintf(url, sizeof url, "sqlite:%s", path);
  tap_must(in_a_process(write_and_die) == READS, "a process dies with commits in its log");
  snprintf(beside, sizeof beside, "%s-shm", path);
  unlink(beside);
  snprintf(beside, sizeof beside, "%s-wal", path);
  tap_must(stat(beside, &log) == 0 && log.st_size > 2 * PAGE, "its log is there");
  for (int cut = 0; cut <= 1; cut++) {
    tap_must(!cut || truncate(beside, 2 * PAGE) == 0, "all but its first frame is cut off");
    give();
    tap_must(chmod(folder, 0555) == 0 && chmod(path, 0444) == 0, "nothing there can be written");
    tap_is_int(in_a_process(look), cut ? OPENED : READS, "a killed one's log %s",
               cut ? "with its first frame alone: it is refused" : "is read, and is sound");
    tap_must(chmod(folder, 0755) == 0 && chmod(path, 0644) == 0, "as it was");
  }
}

int main(void) {
  static const char *const names[] = {"plain.db", "a b.db",         "what?mode=rw.db", "50%41.db",
                                      "x#y.db",   "caf\xc3\xa9.db", "a&immutable=0.db"};
  snprintf(folder, sizeof folder, "%s", tap_tmpfile("kept"));
  tap_must(mkdir(folder, 0755) == 0 && chmod(tap_tmpdir(), 0755) == 0, "a folder");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) test_name(names[i]);
  test_killed();
  return tap_done();
}
