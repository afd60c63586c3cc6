/* test_acp_permissions.c - permissions of agents: by a rule, by a person, and for the files of the
 * working folder. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "tests/effect/acp/acp_fixture.h"
#include "tests/tap.h"

static ck_loop *loop;

/* ---- permissions ---- */

static void permits(const char *prompt, ck_permit rule, const char *kind, const char *want) {
  acp_fixture it;
  acp_fixture_open(&it, NULL);
  it.rule = rule;
  const ck_outcome *outcome = acp_fixture_prompt(&it, prompt, NULL);
  tap_is_text(acp_fixture_result(outcome, "text"), want, "%s: what the agent hears", prompt);
  tap_is_text(it.kind, kind, "%s: the kind that the rule was asked for", prompt);
  tap_ok(strstr(it.updates.data, "{\"permission\":{\"call\":\"c") &&
             strstr(it.updates.data, "\"by\":\"rule\""),
         "%s: it is told who decided", prompt);
  acp_fixture_close(&it);
}

#define SELECTED(option) "{\"outcome\":{\"outcome\":\"selected\",\"optionId\":\"" option "\"}}"
#define CANCELLED "{\"outcome\":{\"outcome\":\"cancelled\"}}"

static void test_rules(void) {
  permits("permit execute", CK_PERMIT_ALLOW, "execute", SELECTED("yes"));
  permits("permit execute", CK_PERMIT_REJECT, "execute", SELECTED("no"));
  permits("edit", CK_PERMIT_ALLOW, "edit", SELECTED("yes"));
  permits("permit none", CK_PERMIT_REJECT, "other", SELECTED("no"));
  permits("no-options", CK_PERMIT_ALLOW, "other", CANCELLED);
}

static void test_person(void) {
  acp_fixture it;
  static const char *const want[] = {SELECTED("ever"), SELECTED("yes"), SELECTED("no")};
  for (int choice = 0; choice < 3; choice++) {
    acp_fixture_begin(&it, NULL);
    it.options.asker = &it.asker;
    it.rule = CK_PERMIT_ASK;
    it.choice = choice;
    acp_fixture_open_driver(&it);
    const ck_outcome *outcome = acp_fixture_prompt(&it, "edit", NULL);
    tap_is_text(acp_fixture_result(outcome, "text"), want[choice], "a person chooses %d", choice);
    tap_is_text(it.question,
                "the agent 'coder' asks for permission: Change it (edit) [Always] [Yes] [No]",
                "the question");
    tap_ok(strstr(it.updates.data, "\"by\":\"person\"") != NULL, "it is told who decided");
    acp_fixture_close(&it);
  }
}

static void test_nobody(void) {
  static const ck_status said[] = {CK_OK, CK_E_REFUSED, CK_E_WAITING};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    acp_fixture it;
    acp_fixture_begin(&it, NULL);
    if (i > 0) it.options.asker = &it.asker;
    it.rule = CK_PERMIT_ASK;
    it.said = said[i];
    acp_fixture_open_driver(&it);
    const ck_outcome *outcome = acp_fixture_prompt(&it, "edit", NULL);
    tap_is_text(ck_outcome_status_name(outcome->status), "failed",
                "nobody answers, %zu: the turn is cancelled", i);
    tap_is_int(outcome->error_status, CK_E_WAITING, "the session waits");
    tap_ok(strstr(outcome->error, "permission") != NULL, "and says for what (%s)", outcome->error);
    it.rule = CK_PERMIT_ALLOW;
    tap_ok(acp_fixture_prompt(&it, "hello", NULL)->status == CK_OUTCOME_OK,
           "the agent is there for the next turn");
    acp_fixture_close(&it);
  }
}

/* More questions at once than a person could answer are rejected, not kept. */
static void test_many(void) {
  acp_fixture it;
  ck_effect_run *run;
  acp_fixture_begin(&it, NULL);
  it.options.asker = &it.asker;
  it.rule = CK_PERMIT_ASK;
  it.said = CK_E_PENDING;
  acp_fixture_open_driver(&it);
  acp_fixture_set(&it, CK_EFFECT_ONCE, "beg", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.updates.len || !strstr(it.updates.data, "working"))
    uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  tap_is_int(it.asked, 64, "of a thousand questions a person gets so many");
  acp_fixture_close(&it);
}

/* ---- files ---- */

static const char *prompt_of(const char *verb, const char *path) {
  static char text[PATH_MAX + 16];
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
  acp_fixture_open_driver(&it);
  tap_is_text(
      acp_fixture_result(
          acp_fixture_prompt(&it, prompt_of("read", tap_tmpfile("inside/a.txt")), NULL), "text"),
      "{\"content\":\"one\\ntwo\\n\"}", "a file is read");
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

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  acp_fixture_init(loop);
  test_rules();
  test_person();
  test_nobody();
  test_many();
  test_no_files();
  test_files();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
