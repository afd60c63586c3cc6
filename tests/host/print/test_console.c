/* test_console.c - questions on a terminal: shown safely, one after the other, answered by the text
 * typed after them. */
#include "core/host/print/console.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"

static ck_loop *loop;
static ck_output output;
static int person = -1; /* the other side of the terminal */
static char shown[65536];
static int suppressed, hushes;

typedef struct reply {
  int count;
  ck_status status;
  char text[4096];
  size_t choice;
} reply;

static void on_answered(void *to, const ck_answer *answer) {
  reply *self = to;
  self->count++;
  self->status = answer->status;
  self->choice = answer->choice;
  snprintf(self->text, sizeof self->text, "%.*s", (int)answer->text.len,
           answer->text.data ? answer->text.data : "");
  ck_loop_stop(loop);
}

static void on_hush(void *to, bool on) {
  (void)to;
  suppressed = on;
  hushes++;
}

static ck_asker *open_console(void) {
  ck_asker *asker = NULL;
  ck_error err = CK_ERROR_INIT;
  person = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (person < 0 || grantpt(person) != 0 || unlockpt(person) != 0)
    tap_skip_all("there are no pseudo-terminals here");
  ck_console_options options = {
      .loop = loop, .output = &output, .path = ptsname(person), .suppress = on_hush};
  tap_must(ck_console_open(&asker, &options, &err) == CK_OK && asker, "there is a console (%s)",
           err.text);
  return asker;
}

static void close_console(ck_asker *asker) {
  asker->free(asker->self);
  ck_loop_run(loop);
  close(person);
}

/* Reads until the terminal has shown `text`; what came before is forgotten. */
static void until(const char *text) {
  size_t len = 0;
  shown[0] = '\0';
  while (!strstr(shown, text)) {
    ssize_t more = read(person, shown + len, sizeof shown - 1 - len);
    tap_must(more > 0, "the terminal shows '%s'", text);
    len += (size_t)more;
    shown[len] = '\0';
  }
}

static void type(const char *text) {
  tap_must(write(person, text, strlen(text)) == (ssize_t)strlen(text), "typed");
}

static ck_asking *begin(ck_asker *asker, reply *to, const char *text, const char *const *options) {
  ck_asking *asking = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_question question = {
      .text = text, .from = "main", .options = options, .answered = on_answered, .to = to};
  *to = (reply){0};
  tap_must(asker->ask(&asking, asker->self, &question, &err) == CK_OK, "asked (%s)", err.text);
  if (to->count) tap_ok(false, "answered is not called from within ask");
  return asking;
}

static void wait_for(reply *to) {
  while (!to->count) ck_loop_run(loop);
}

static void is_answer(ck_asker *asker, const char *typed, ck_status status, const char *text) {
  reply to;
  begin(asker, &to, "What?", NULL);
  until("> ");
  type(typed);
  wait_for(&to);
  tap_is_status(to.status, status, NULL, "'%s': the answer's status", text);
  tap_is_text(to.text, text, "'%s'", text);
}

static void test_answers(void) {
  ck_asker *asker = open_console();
  is_answer(asker, "hello there\n", CK_OK, "hello there");
  is_answer(asker, "\n", CK_OK, "");
  is_answer(asker, "one\\\ntwo\\\n\nthree", CK_OK, "one\ntwo\n");
  until("three");
  is_answer(asker, "no line end\4\4", CK_OK, "no line end");
  is_answer(asker, "first\\\n\4", CK_OK, "first\n");
  is_answer(asker, "\4", CK_E_WAITING, "");
  is_answer(asker,
            "a\xff"
            "b\n",
            CK_OK,
            "a\xef\xbf\xbd"
            "b");
  tap_ok(!suppressed && hushes == 14, "others give way while a question stands, and only then (%d)",
         hushes);
  close_console(asker);
}

static void test_choices(void) {
  static const char *const options[] = {"yes", "no", "1", NULL};
  ck_asker *asker = open_console();
  reply to;
  begin(asker, &to, "Send it?", options);
  until("> ");
  tap_ok(strstr(shown, "main: Send it?\r\n  1  yes\r\n  2  no\r\n  3  1\r\n> ") != NULL,
         "choices are numbered");
  type("maybe\n2\n");
  wait_for(&to);
  until("one of the above, by its number or its text\r\n> ");
  tap_ok(to.status == CK_OK && to.choice == 1 && strcmp(to.text, "no") == 0,
         "anything else is asked again; a number means a choice");
  begin(asker, &to, "Send it?", options);
  until("> ");
  type("1\n");
  wait_for(&to);
  tap_ok(to.choice == 2 && strcmp(to.text, "1") == 0,
         "a choice's own text comes before its number");
  close_console(asker);
}

static void test_line(void) {
  ck_asker *asker = open_console();
  reply first, second, third, fourth;
  begin(asker, &first, "First?", NULL);
  ck_asking *cancelled = begin(asker, &second, "Second?", NULL),
            *dropped = begin(asker, &third, "Third?", NULL);
  begin(asker, &fourth, "Fourth?", NULL);
  until("First?\r\n> ");
  asker->cancel(asker->self, cancelled);
  asker->cancel(asker->self, cancelled);
  asker->drop(asker->self, dropped, NULL);
  tap_is_int(second.count, 0, "a cancel is told from the loop");
  type("one\n");
  wait_for(&first);
  wait_for(&second);
  tap_ok(second.count == 1 && second.status == CK_E_INTERRUPTED, "once, as interrupted");
  until("Fourth?\r\n> ");
  type("four\n");
  wait_for(&fourth);
  tap_ok(strcmp(first.text, "one") == 0 && strcmp(fourth.text, "four") == 0,
         "each question gets its own answer");
  tap_is_int(third.count, 0, "one that was dropped gets none");
  close_console(asker);
}

static void test_cancel_shown(void) {
  ck_asker *asker = open_console();
  reply first, second;
  ck_asking *shown_one = begin(asker, &first, "First?", NULL);
  begin(asker, &second, "Second?", NULL);
  until("> ");
  asker->cancel(asker->self, shown_one);
  until("Second?\r\n> ");
  type("two\n");
  wait_for(&second);
  tap_ok(strcmp(second.text, "two") == 0, "behind a cancelled question the next one is shown");
  shown_one = begin(asker, &first, "Third?", NULL);
  begin(asker, &second, "Fourth?", NULL);
  until("Third?\r\n> ");
  asker->drop(asker->self, shown_one, "answered from elsewhere: \033[31mred");
  until("Fourth?\r\n> ");
  tap_ok(strstr(shown, "\r\nanswered from elsewhere: \\x1b[31mred\r\nmain: Fourth?"),
         "one that is taken back says why, and the next one is shown");
  type("four\n");
  wait_for(&second);
  tap_ok(first.count == 0 && strcmp(second.text, "four") == 0, "which gets the answer");
  begin(asker, &first, "Left open?", NULL);
  asker->cancel(asker->self, begin(asker, &second, "Cancelled last?", NULL));
  close_console(asker);
  tap_is_int(first.count + second.count, 0, "what is open when the console is freed is dropped");
}

static void test_safety(void) {
  ck_asker *asker = open_console();
  reply to;
  tap_must(
      ck_redactor_add_secret(output.redactor, "key", ck_bytes_text("opensesame-42"), NULL) == CK_OK,
      "a secret");
  begin(asker, &to, "a\33[2J\nb opensesame-42", NULL);
  until("> ");
  tap_ok(!strchr(shown, '\33') && strstr(shown, "\r\nb [redacted:key:"),
         "a question is masked and escaped, line by line (%s)", shown);
  type("x\n");
  wait_for(&to);
  type("typed early\n");
  until("typed early\r\n");
  begin(asker, &to, "Sure?", NULL);
  until("> ");
  type("no\n");
  wait_for(&to);
  tap_is_text(to.text, "no", "what was typed before a question is no answer to it");
  begin(asker, &to, "Still there?", NULL);
  until("> ");
  close(person);
  wait_for(&to);
  tap_is_status(to.status, CK_E_WAITING, NULL, "a terminal that went away answers nothing");
  asker->free(asker->self);
  ck_loop_run(loop);
}

static void test_no_terminal(void) {
  ck_asker *asker = NULL;
  ck_error err = CK_ERROR_INIT;
  ck_console_options options = {.loop = loop, .output = &output, .path = "/dev/null"};
  tap_ok(ck_console_open(&asker, &options, &err) == CK_OK && !asker,
         "what is no terminal cannot be asked at");
  options.path = "/nowhere/at.all";
  tap_ok(ck_console_open(&asker, &options, &err) == CK_OK && !asker, "nor what is not there");
}

int main(void) {
  tap_must(ck_loop_new(&loop, NULL) == CK_OK && ck_output_open(&output, NULL) == CK_OK,
           "there is a loop");
  test_answers();
  test_choices();
  test_line();
  test_cancel_shown();
  test_safety();
  test_no_terminal();
  ck_loop_free(loop);
  ck_output_close(&output);
  return tap_done();
}
