/* test_acp_files.c - text files of the working folder for agents: permitted one by one, none
 * outside of it, and none that ckrun itself works with. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/own_file.h"
#include "core/store/store.h"
#include "tests/effect/acp/acp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

static const char *prompt_of(const char *verb, const char *path) {
  static char text[PATH_MAX + 128];
  snprintf(text, sizeof text, "%s %s", verb, path);
  return text;
}

static void put_file(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  tap_must(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s is written", path);
}

static void test_no_files(void) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  tap_ok(strstr(acp_fixture_result(acp_fixture_prompt(&it, "read /etc/hostname", NULL), "text"),
                "-32601") != NULL,
         "files are refused");
  tap_ok(strstr(acp_fixture_result(acp_fixture_prompt(&it, "write /tmp/x", NULL), "text"),
                "-32601") != NULL,
         "to be written, too");
  tap_ok(strstr(acp_fixture_result(acp_fixture_prompt(&it, "terminal", NULL), "text"), "-32601") !=
             NULL,
         "so are terminals");
  acp_fixture_close(&it);
}

static void test_files(void) {
  acp_fixture it;
  char path[PATH_MAX], folder[PATH_MAX];
  tap_must(realpath(tap_tmpdir(), folder) != NULL, "there is a folder");
  snprintf(path, sizeof path, "%.3000s/inside", folder);
  tap_must(mkdir(path, 0700) == 0, "and one in it");
  put_file(tap_tmpfile("outside.txt"), "secret\n");
  put_file(tap_tmpfile("inside/a.txt"), "one\ntwo\n");
  tap_must(symlink("../outside.txt", tap_tmpfile("inside/link")) == 0 &&
               symlink("..", tap_tmpfile("inside/up")) == 0 &&
               symlink("a.txt", tap_tmpfile("inside/friend")) == 0 &&
               mkfifo(tap_tmpfile("inside/fifo"), 0600) == 0,
           "and traps");
  acp_fixture_begin(&it, NULL);
  it.options.files = true;
  it.options.service.directory = path;
  it.rule = CK_PERMIT_ALLOW;
  acp_fixture_open_driver(&it);
  tap_is_text(
      acp_fixture_result(
          acp_fixture_prompt(&it, prompt_of("read", tap_tmpfile("inside/a.txt")), NULL), "text"),
      "{\"content\":\"one\\ntwo\\n\"}", "a file is read");
  tap_ok(strstr(acp_fixture_result(acp_fixture_prompt(&it, "terminal", NULL), "text"),
                "this client offers text files, and no terminals"),
         "a terminal is refused, and what is offered is told");
  tap_is_text(
      acp_fixture_result(
          acp_fixture_prompt(&it, prompt_of("read", tap_tmpfile("inside/friend")), NULL), "text"),
      "{\"content\":\"one\\ntwo\\n\"}", "through a link that stays inside");
  static const char *const out[] = {"outside.txt",   "inside/../outside.txt",
                                    "inside/link",   "inside/up/outside.txt",
                                    "inside",        "inside/fifo",
                                    "inside/none",   "inside/",
                                    "insider/a.txt", "inside/fifo"};
  for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
    const char *text = acp_fixture_result(
        acp_fixture_prompt(&it, prompt_of("read", tap_tmpfile(out[i])), NULL), "text");
    tap_ok(strstr(text, "-32602") && !strstr(text, "secret"), "%s cannot be read (%s)", out[i],
           text);
  }
  static const char *const in[] = {"a.txt", "/etc/passwd", "", "/proc/self/environ"};
  for (size_t i = 0; i < sizeof in / sizeof *in; i++)
    tap_ok(
        strstr(acp_fixture_result(acp_fixture_prompt(&it, prompt_of("read", in[i]), NULL), "text"),
               "-32602") != NULL,
        "nor '%s'", in[i]);
  tap_is_text(
      acp_fixture_result(
          acp_fixture_prompt(&it, prompt_of("write", tap_tmpfile("inside/new.txt")), NULL), "text"),
      "{}", "a file is written");
  tap_ok(access(tap_tmpfile("inside/new.txt"), R_OK) == 0, "it is there");
  static const char *const unwritable[] = {"outside.txt", "inside/link", "inside/up/new.txt",
                                           "inside/fifo", "inside/no/new.txt"};
  for (size_t i = 0; i < sizeof unwritable / sizeof *unwritable; i++)
    tap_ok(strstr(acp_fixture_result(
                      acp_fixture_prompt(&it, prompt_of("write", tap_tmpfile(unwritable[i])), NULL),
                      "text"),
                  "-32602") != NULL,
           "%s cannot be written", unwritable[i]);
  tap_ok(access(tap_tmpfile("new.txt"), F_OK) != 0, "nothing is made outside");
  acp_fixture_close(&it);
}

/* ---- permissions ---- */

static char work[PATH_MAX]; /* a working folder */

static void begin_files(acp_fixture *it, ck_permit rule) {
  acp_fixture_begin(it, NULL);
  it->options.files = true;
  it->options.service.directory = work;
  it->rule = rule;
}

static const char *in_work(const char *name) {
  static char path[PATH_MAX + 64];
  snprintf(path, sizeof path, "%s/%s", work, name);
  return path;
}

static const char *try_file(acp_fixture *it, const char *verb, const char *name) {
  return acp_fixture_result(acp_fixture_prompt(it, prompt_of(verb, in_work(name)), NULL), "text");
}

static bool holds(const char *name, const char *text) {
  char found[64] = "";
  FILE *file = fopen(in_work(name), "r");
  size_t len = file ? fread(found, 1, sizeof found - 1, file) : 0;
  if (file) fclose(file);
  return strlen(text) == len && memcmp(found, text, len) == 0;
}

static void make_work(void) {
  char folder[PATH_MAX];
  tap_must(realpath(tap_tmpdir(), folder) != NULL, "there is a folder");
  snprintf(work, sizeof work, "%.3000s/work", folder);
  tap_must(mkdir(work, 0700) == 0, "and one to work in");
}

static void test_rule(void) {
  static const struct {
    const char *verb, *kind;
    ck_permit rule;
  } cases[] = {{"read", "read", CK_PERMIT_REJECT},
               {"write", "edit", CK_PERMIT_REJECT},
               {"read", "read", CK_PERMIT_ALLOW},
               {"write", "edit", CK_PERMIT_ALLOW}};
  put_file(in_work("plain.txt"), "plain\n");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    acp_fixture it;
    begin_files(&it, cases[i].rule);
    acp_fixture_open_driver(&it);
    const char *text = try_file(&it, cases[i].verb, "plain.txt");
    bool allowed = cases[i].rule == CK_PERMIT_ALLOW;
    tap_ok((strstr(text, "no permission") != NULL) == !allowed, "a rule decides who may %s: %s",
           cases[i].verb, text);
    tap_is_text(it.kind, cases[i].kind, "it is asked for that kind");
    tap_ok(strstr(it.updates.data, "\"by\":\"rule\"") && strstr(it.updates.data, "plain.txt"),
           "the turn tells who decided on which file");
    tap_ok(i > 2 || holds("plain.txt", "plain\n"), "what is not allowed changes nothing");
    acp_fixture_close(&it);
  }
}

static void test_person(void) {
  static const ck_action_word words[] = {CK_ACTION_ALLOWED, CK_ACTION_DENIED};
  for (int choice = 0; choice < 2; choice++) {
    acp_fixture it;
    begin_files(&it, CK_PERMIT_ASK);
    acp_fixture_ask_session(&it);
    it.word = words[choice];
    acp_fixture_open_driver(&it);
    put_file(in_work("asked.txt"), "as it was\n");
    const char *text = try_file(&it, "write", "asked.txt");
    tap_ok((strcmp(text, "{}") == 0) == (choice == 0), "a person chooses %d: %s", choice, text);
    tap_ok(holds("asked.txt", "as it was\n") == (choice == 1), "and so it is");
    tap_ok(strstr(it.question, "\"title\":\"Write ") && strstr(it.question, "asked.txt\""),
           "the question names the file: %s", it.question);
    acp_fixture_close(&it);
  }
}

static void test_nobody(void) {
  acp_fixture it;
  begin_files(&it, CK_PERMIT_ASK);
  acp_fixture_open_driver(&it);
  const ck_outcome *outcome =
      acp_fixture_prompt(&it, prompt_of("write", in_work("nobody.txt")), NULL);
  tap_is_int(outcome->error_status, CK_E_WAITING, "where nobody can be asked the session waits");
  tap_ok(access(in_work("nobody.txt"), F_OK) != 0, "and nothing is written");
  acp_fixture_close(&it);
}

/* ---- own files ---- */

/* Whether somebody else may not write-lock that byte of the file. Asked by another process: one's
 * own locks are no obstacle, and closing the file would drop them. */
static bool is_locked(const char *path, off_t at) {
  int status = 0;
  pid_t pid = fork();
  if (pid == 0) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = at, .l_len = 1};
    int fd = open(path, O_RDWR | O_CLOEXEC);
    _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
  }
  return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

enum { SHM_LIVE = 128 }; /* SQLite's lock of everybody who has the shared memory open */

/* An agent needs no ckrun to rename a file. */
static void try_renamed(acp_fixture *it) {
  static const char *const names[] = {"s.db-shm", "s.db-wal", "s.db", "s.db.lock"};
  char from[PATH_MAX + 64];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(from, sizeof from, "%s", in_work(names[i]));
    tap_must(rename(from, in_work("renamed")) == 0, "%s is renamed", names[i]);
    tap_ok(strstr(try_file(it, "read", "renamed"), "a file of the store"), "it is not read");
    tap_ok(strstr(try_file(it, "write", "renamed"), "a file of the store"), "nor written");
    tap_must(rename(in_work("renamed"), from) == 0, "it is named as before");
  }
}

static void test_store(void) {
  static const char *const names[] = {
      "s.db",     "s.db-wal",     "s.db-shm",     "s.db.lock",      "hard",
      "hard-wal", "hard-shm",     "soft",         "s.db-journal",   "s.db.new",
      "s.db.any", "S.DB-journal", "s.db.spill/x", "s.db.spill/new", "other/../s.db-j"};
  ck_store *store;
  ck_error err = CK_ERROR_INIT;
  acp_fixture it;
  char url[PATH_MAX + 128];
  snprintf(url, sizeof url, "sqlite:%s", in_work("s.db"));
  tap_must(ck_store_open(&store, url, &(ck_store_options){.create = true}, &err) == CK_OK, "%s",
           err.text);
  char shm[PATH_MAX + 128], from[PATH_MAX + 128];
  snprintf(shm, sizeof shm, "%s", in_work("s.db-shm"));
  const char *const ends[] = {"", "-wal", "-shm"};
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(from, sizeof from, "%s%s", in_work("s.db"), ends[i]);
    snprintf(name, sizeof name, "hard%s", ends[i]);
    tap_must(link(from, in_work(name)) == 0, "a hard link");
  }
  tap_must(symlink("s.db", in_work("soft")) == 0 && mkdir(in_work("s.db.spill"), 0700) == 0 &&
               mkdir(in_work("other"), 0700) == 0,
           "and a soft one");
  put_file(in_work("s.db.spill/x"), "long\n");
  tap_ok(is_locked(shm, SHM_LIVE), "SQLite has its lock");
  begin_files(&it, CK_PERMIT_ALLOW);
  acp_fixture_open_driver(&it);
  try_renamed(&it);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *text = try_file(&it, "read", names[i]);
    tap_ok(strstr(text, "-32602") && !strstr(text, "content"), "%s is not read: %s", names[i],
           text);
    text = try_file(&it, "write", names[i]);
    tap_ok(strstr(text, "a file of the store"), "nor written: %s", text);
  }
  tap_ok(is_locked(shm, SHM_LIVE), "and SQLite has it still");
  tap_ok(access(in_work("s.db-journal"), F_OK) != 0, "nothing was made beside the store");
  tap_is_text(try_file(&it, "write", "t.db"), "{}", "a file of another name is written");
  acp_fixture_close(&it);
  ck_store_close(store);
  tap_ok(ck_own_file_find(in_work("s.db"), NULL) == NULL, "a closed store is nobody's own");
}

static void refuses(acp_fixture *it, const char *name, const char *why) {
  tap_ok(strstr(try_file(it, "read", name), why), "%s is not read", name);
  tap_ok(strstr(try_file(it, "write", name), why), "%s is not written", name);
}

static void test_own(void) {
  acp_fixture it;
  ck_error err = CK_ERROR_INIT;
  char key[PATH_MAX + 64];
  snprintf(key, sizeof key, "%s", in_work("key"));
  put_file(key, "secret\n");
  put_file(in_work("flow.lua"), "return 1\n");
  tap_must(ck_own_file_add(CK_OWN_SECRET, in_work("key"), &err) == CK_OK &&
               ck_own_file_add(CK_OWN_SOURCE, in_work("flow.lua"), &err) == CK_OK &&
               link(key, in_work("key.hard")) == 0,
           "ckrun has read them");
  begin_files(&it, CK_PERMIT_ALLOW);
  acp_fixture_open_driver(&it);
  refuses(&it, "key", "a file with a secret");
  refuses(&it, "key.hard", "a file with a secret");
  refuses(&it, "flow.lua", "a file that ckrun works by");
  tap_ok(holds("key", "secret\n") && holds("flow.lua", "return 1\n"), "they are as they were");
  tap_must(rename(key, in_work("key.moved")) == 0, "the key is renamed");
  refuses(&it, "key.moved", "a file with a secret");
  tap_ok(strstr(try_file(&it, "write", "key"), "a file with a secret"), "no other is made there");
  tap_must(rename(in_work("key.moved"), key) == 0, "it is named as before");
  ck_own_file_remove(CK_OWN_SECRET, in_work("key"));
  ck_own_file_remove(CK_OWN_SOURCE, in_work("flow.lua"));
  tap_ok(strstr(try_file(&it, "read", "key"), "secret"), "until ckrun works with it no more");
  tap_ok(strstr(try_file(&it, "read", "key.hard"), "secret"), "a file with two names is read");
  tap_ok(strstr(try_file(&it, "write", "key.hard"), "2 names"), "but not written");
  tap_ok(holds("key", "secret\n"), "since the other one may be anybody's");
  tap_must(symlink("nothing", in_work("dangling")) == 0, "a link that leads nowhere");
  tap_ok(strstr(try_file(&it, "write", "dangling"), "leads nowhere"), "makes no file");
  acp_fixture_close(&it);
}

static void test_git(void) {
  acp_fixture it;
  tap_must(mkdir(in_work("gitdata"), 0700) == 0 && mkdir(in_work("gitdata/hooks"), 0700) == 0 &&
               symlink("gitdata", in_work(".git")) == 0 && mkdir(in_work("sub"), 0700) == 0,
           "a repository");
  put_file(in_work("gitdata/config"), "[core]\n");
  put_file(in_work("sub/.git"), "gitdir: ../gitdata\n");
  put_file(in_work(".gitignore"), "*.o\n");
  begin_files(&it, CK_PERMIT_ALLOW);
  acp_fixture_open_driver(&it);
  refuses(&it, ".git/config", "git's own");
  refuses(&it, "gitdata/config", "git's own");
  refuses(&it, "sub/.git", "git's own");
  tap_ok(strstr(try_file(&it, "write", ".git/hooks/pre-commit"), "git's own"), "nor a hook made");
  tap_ok(strstr(try_file(&it, "write", "gitdata/hooks/pre-commit"), "git's own"),
         "under whatever name");
  tap_ok(strstr(try_file(&it, "write", "sub/.GIT"), "git's own"), "in whatever case");
  tap_ok(holds("gitdata/config", "[core]\n"), "it is as it was");
  tap_is_text(try_file(&it, "write", ".gitignore"), "{}", "what is only called so is written");
  acp_fixture_close(&it);
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  acp_fixture_init(loop);
  make_work();
  test_no_files();
  test_files();
  test_rule();
  test_person();
  test_nobody();
  test_store();
  test_own();
  test_git();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
