/* test_acp.c - agents: prompted, listened to, allowed and refused, cancelled; and those with bad manners. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include "core/effect/acp.h"
#include "tests/effect/drive.h"
#include "tests/tap.h"

enum { SHORT_MS = 100 };

static ck_loop *loop;
static char agent_path[1024];

typedef struct scene {
  drive drive; /* first: the sink is the scene */
  const char *argv[4];
  ck_process process;
  ck_acp_options options;
  ck_effect_driver *driver;
  ck_effect effect;
  ck_buffer request, updates; /* updates: one a line */
  ck_permit rule;
  char kind[64];              /* the last that the rule was asked for */
  /* The person: answers with the choice, or not at all. */
  ck_asker asker;
  int choice, asked, dropped;
  ck_status said;
  char question[512];
  ck_asker_answered answered;
  void *to;
  ck_loop_task task;
} scene;

static void on_update(ck_effect_sink *sink, ck_bytes chunk) {
  scene *self = (scene *)(void *)sink;
  ck_buffer_append_bytes(&self->updates, chunk);
  ck_buffer_append_char(&self->updates, '\n');
}

static ck_permit permit(void *to, const char *kind, ck_bytes request) {
  scene *self = to;
  (void)request;
  snprintf(self->kind, sizeof self->kind, "%s", kind);
  return self->rule;
}

static void say(void *to) {
  scene *self = to;
  self->answered(self->to, &(ck_answer){.status = self->said, .choice = (size_t)self->choice});
}

static ck_status ask(ck_asking **out, void *to, const ck_question *question, ck_asker_answered answered, void *with, ck_error *err) {
  scene *self = to;
  *out = NULL;
  if (self->said == CK_E_REFUSED) return ck_error_set(err, CK_E_WAITING, "nobody is there");
  snprintf(self->question, sizeof self->question, "%s", question->text);
  for (const char *const *option = question->options; *option; option++) {
    size_t len = strlen(self->question);
    snprintf(self->question + len, sizeof self->question - len, " [%s]", *option);
  }
  self->asked++;
  self->answered = answered;
  self->to = with;
  *out = (ck_asking *)(void *)self;
  if (self->said != CK_E_PENDING) ck_loop_defer(loop, &self->task, say, self);
  return CK_OK;
}

static void drop(void *to, ck_asking *asking) {
  scene *self = to;
  (void)asking;
  self->dropped++;
  self->said = CK_E_INTERRUPTED;
  ck_loop_defer(loop, &self->task, say, self);
}

static void begin_scene(scene *self, const char *mode) {
  *self = (scene){.argv = {agent_path, mode}, .asker = {.self = self, .ask = ask, .cancel = drop}};
  self->process = (ck_process){.name = "coder", .argv = self->argv};
  self->options = (ck_acp_options){.service = {.loop = loop, .kill_ms = SHORT_MS, .version = "1.2.3"}, .agents = &self->process,
                                   .agent_count = 1, .permit = permit, .to = self};
  drive_init(&self->drive, loop);
  self->drive.sink.update = on_update;
}

static void open_driver(scene *self) { tap_must(ck_acp_driver_new(&self->driver, &self->options, NULL) == CK_OK, "there is a driver"); }

static void open_scene(scene *self, const char *mode) {
  begin_scene(self, mode);
  open_driver(self);
}

static void set_prompt(scene *self, ck_effect_class class, const char *prompt, const char *session) {
  ck_buffer_reset(&self->request);
  ck_buffer_reset(&self->updates);
  ck_json_writer w = {.out = &self->request};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "process", "coder");
  ck_json_member_text(&w, "prompt", prompt);
  ck_json_member_text(&w, "session", session);
  ck_json_end(&w, '}');
  self->effect = (ck_effect){.scope = "main", .key = "main/start/agent/1", .attempt = 1, .kind = CK_EFFECT_AGENT, .class = class,
                             .request = ck_buffer_bytes(&self->request)};
}

static const ck_outcome *play(scene *self, const char *prompt, const char *session) {
  set_prompt(self, CK_EFFECT_ONCE, prompt, session);
  return drive_effect(&self->drive, self->driver, &self->effect, false);
}

static void close_scene(scene *self) {
  if (self->driver) self->driver->free(self->driver->self);
  ck_loop_withdraw(&self->task);
  drive_clear(&self->drive);
  ck_buffer_clear(&self->request);
  ck_buffer_clear(&self->updates);
}

/* A member of the result as text; lives until the next call. */
static const char *result(const ck_outcome *outcome, const char *member) {
  static ck_buffer text;
  ck_buffer_reset(&text);
  ck_bytes value = outcome->result ? ck_json_get(ck_value_bytes(outcome->result), member) : (ck_bytes){0};
  if (!ck_json_read_string(&text, value)) ck_buffer_append_bytes(&text, value);
  ck_buffer_append_text(&text, "");
  return text.data ? text.data : "";
}

/* ---- a turn ---- */

static void test_turn(void) {
  scene it;
  open_scene(&it, NULL);
  const ck_outcome *outcome = play(&it, "hello", NULL);
  tap_ok(outcome->status == CK_OUTCOME_OK, "a turn is done");
  tap_is_text(result(outcome, "text"), "Hello, world.", "what the agent said");
  tap_is_text(result(outcome, "stop_reason"), "end_turn", "why it stopped");
  tap_is_text(result(outcome, "updates"), "8", "how much it told");
  tap_ok(strlen(result(outcome, "session_id")) > 2, "its session");
  tap_is_int(outcome->cost_micros, -1, "what it cost is not known");
  static const char *const told[] = {"agent_thought_chunk", "agent_message_chunk", "\"plan\",\"entries\":[]", "tool_call\"", "tool_call_update",
                                     "image/png", "some_day"};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) tap_ok(strstr(it.updates.data, told[i]) != NULL, "%s is told", told[i]);
  tap_ok(!strstr(it.updates.data, "{\"sessionUpdate\":\"plan\"}"), "what belongs to another session is not");
  close_scene(&it);
}

static void test_sessions(void) {
  scene it;
  char first[64], second[64];
  open_scene(&it, NULL);
  snprintf(first, sizeof first, "%s", result(play(&it, "pid", NULL), "session_id"));
  snprintf(second, sizeof second, "%s", result(play(&it, "pid", NULL), "session_id"));
  tap_ok(strcmp(first, second) != 0 && atoi(first + 1) == atoi(second + 1), "a turn of its own has a session of its own, in one process");
  snprintf(second, sizeof second, "%s", result(play(&it, "pid", first), "session_id"));
  tap_is_text(second, first, "a session can be gone on with");
  snprintf(second, sizeof second, "%s", result(play(&it, "pid", "s1-1"), "session_id"));
  tap_ok(strcmp(second, "s1-1") != 0, "one that the agent cannot load is begun anew");
  close_scene(&it);

  open_scene(&it, "loads");
  const ck_outcome *outcome = play(&it, "hello", "s1-1");
  tap_is_text(result(outcome, "session_id"), "s1-1", "one that it can load is loaded");
  tap_is_text(result(outcome, "text"), "Hello, world.", "what it said before is not said again");
  tap_is_text(result(outcome, "updates"), "8", "nor told");
  outcome = play(&it, "hello", "lost-1");
  tap_ok(outcome->status == CK_OUTCOME_OK && strcmp(result(outcome, "session_id"), "lost-1") != 0, "one that it has lost is begun anew");
  close_scene(&it);
}

static void test_content(void) {
  scene it;
  open_scene(&it, NULL);
  set_prompt(&it, CK_EFFECT_ONCE, "", NULL);
  it.effect.request = ck_bytes_text("{\"process\":\"coder\",\"prompt\":[{\"type\":\"text\",\n\"text\":\"hello\"}]}");
  tap_is_text(result(drive_effect(&it.drive, it.driver, &it.effect, false), "text"), "Hello, world.", "a prompt may be a list of content blocks");
  static const char *const bad[] = {"{\"process\":\"coder\"}", "{\"process\":\"coder\",\"prompt\":{}}", "{\"process\":\"coder\",\"prompt\":\"x\",\"session\":5}"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ck_effect_run *run;
    it.effect.request = ck_bytes_text(bad[i]);
    tap_is_status(drive_begin(&run, &it.drive, it.driver, &it.effect, false), CK_E_TYPE, NULL, "%s is refused", bad[i]);
  }
  it.effect.request = ck_bytes_text("{\"process\":\"cider\",\"prompt\":\"x\"}");
  tap_ok(!it.driver->serves(it.driver->self, &it.effect), "another agent is not served");
  close_scene(&it);
}

static void test_cost(void) {
  scene it;
  char session[64];
  open_scene(&it, NULL);
  const ck_outcome *outcome = play(&it, "cost", NULL);
  tap_is_int(outcome->cost_micros, 250000, "an agent may tell what a turn cost");
  snprintf(session, sizeof session, "%s", result(outcome, "session_id"));
  tap_is_int(play(&it, "cost", session)->cost_micros, 250000, "it tells the sum of a session's turns; only the new part counts");
  tap_is_int(play(&it, "cost EUR", NULL)->cost_micros, -1, "what is not in dollars is not known");
  close_scene(&it);
}

static void test_errors(void) {
  scene it;
  open_scene(&it, NULL);
  const ck_outcome *outcome = play(&it, "refuse", NULL);
  tap_ok(outcome->status == CK_OUTCOME_ERROR, "an agent that refuses a prompt");
  tap_is_text(outcome->error, "the agent 'coder': no model today (error -32603)", "is told");
  close_scene(&it);
}

/* ---- permissions ---- */

static void permits(const char *prompt, ck_permit rule, const char *kind, const char *want) {
  scene it;
  open_scene(&it, NULL);
  it.rule = rule;
  const ck_outcome *outcome = play(&it, prompt, NULL);
  tap_is_text(result(outcome, "text"), want, "%s: what the agent hears", prompt);
  tap_is_text(it.kind, kind, "%s: the kind that the rule was asked for", prompt);
  tap_ok(strstr(it.updates.data, "{\"permission\":{\"call\":\"c") && strstr(it.updates.data, "\"by\":\"rule\""), "%s: it is told who decided", prompt);
  close_scene(&it);
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
  scene it;
  static const char *const want[] = {SELECTED("ever"), SELECTED("yes"), SELECTED("no")};
  for (int choice = 0; choice < 3; choice++) {
    begin_scene(&it, NULL);
    it.options.asker = &it.asker;
    it.rule = CK_PERMIT_ASK;
    it.choice = choice;
    open_driver(&it);
    const ck_outcome *outcome = play(&it, "edit", NULL);
    tap_is_text(result(outcome, "text"), want[choice], "a person chooses %d", choice);
    tap_is_text(it.question, "the agent 'coder' asks for permission: Change it (edit) [Always] [Yes] [No]", "the question");
    tap_ok(strstr(it.updates.data, "\"by\":\"person\"") != NULL, "it is told who decided");
    close_scene(&it);
  }
}

static void test_nobody(void) {
  static const ck_status said[] = {CK_OK, CK_E_REFUSED, CK_E_WAITING};
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    scene it;
    begin_scene(&it, NULL);
    if (i > 0) it.options.asker = &it.asker;
    it.rule = CK_PERMIT_ASK;
    it.said = said[i];
    open_driver(&it);
    const ck_outcome *outcome = play(&it, "edit", NULL);
    tap_is_text(ck_outcome_status_name(outcome->status), "failed", "nobody answers, %zu: the turn is cancelled", i);
    tap_is_int(outcome->error_status, CK_E_WAITING, "the session waits");
    tap_ok(strstr(outcome->error, "permission") != NULL, "and says for what (%s)", outcome->error);
    it.rule = CK_PERMIT_ALLOW;
    tap_ok(play(&it, "hello", NULL)->status == CK_OUTCOME_OK, "the agent is there for the next turn");
    close_scene(&it);
  }
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
  scene it;
  open_scene(&it, NULL);
  tap_ok(strstr(result(play(&it, "read /etc/hostname", NULL), "text"), "-32601") != NULL, "files are refused");
  tap_ok(strstr(result(play(&it, "write /tmp/x", NULL), "text"), "-32601") != NULL, "to be written, too");
  tap_ok(strstr(result(play(&it, "terminal", NULL), "text"), "-32601") != NULL, "so are terminals");
  close_scene(&it);
}

static void test_files(void) {
  scene it;
  char path[PATH_MAX], folder[PATH_MAX];
  tap_must(realpath(tap_tmpdir(), folder) != NULL, "there is a folder");
  snprintf(path, sizeof path, "%.3000s/inside", folder);
  tap_must(mkdir(path, 0700) == 0, "and one in it");
  put_file(tap_tmpfile("outside.txt"), "secret\n");
  put_file(tap_tmpfile("inside/a.txt"), "one\ntwo\n");
  tap_must(symlink("../outside.txt", tap_tmpfile("inside/link")) == 0 && symlink("..", tap_tmpfile("inside/up")) == 0 &&
               symlink("a.txt", tap_tmpfile("inside/friend")) == 0 && mkfifo(tap_tmpfile("inside/fifo"), 0600) == 0, "and traps");
  begin_scene(&it, NULL);
  it.options.files = true;
  it.options.service.directory = path;
  open_driver(&it);
  tap_is_text(result(play(&it, prompt_of("read", tap_tmpfile("inside/a.txt")), NULL), "text"), "{\"content\":\"one\\ntwo\\n\"}", "a file is read");
  tap_is_text(result(play(&it, prompt_of("read", tap_tmpfile("inside/friend")), NULL), "text"), "{\"content\":\"one\\ntwo\\n\"}",
              "through a link that stays inside");
  static const char *const out[] = {"outside.txt", "inside/../outside.txt", "inside/link", "inside/up/outside.txt", "inside", "inside/fifo", "inside/none",
                                    "inside/", "insider/a.txt", "inside/fifo"};
  for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
    const char *text = result(play(&it, prompt_of("read", tap_tmpfile(out[i])), NULL), "text");
    tap_ok(strstr(text, "-32602") && !strstr(text, "secret"), "%s cannot be read (%s)", out[i], text);
  }
  static const char *const in[] = {"a.txt", "/etc/passwd", "", "/proc/self/environ"};
  for (size_t i = 0; i < sizeof in / sizeof *in; i++)
    tap_ok(strstr(result(play(&it, prompt_of("read", in[i]), NULL), "text"), "-32602") != NULL, "nor '%s'", in[i]);
  tap_is_text(result(play(&it, prompt_of("write", tap_tmpfile("inside/new.txt")), NULL), "text"), "{}", "a file is written");
  tap_ok(access(tap_tmpfile("inside/new.txt"), R_OK) == 0, "it is there");
  static const char *const unwritable[] = {"outside.txt", "inside/link", "inside/up/new.txt", "inside/fifo", "inside/no/new.txt"};
  for (size_t i = 0; i < sizeof unwritable / sizeof *unwritable; i++)
    tap_ok(strstr(result(play(&it, prompt_of("write", tap_tmpfile(unwritable[i])), NULL), "text"), "-32602") != NULL, "%s cannot be written", unwritable[i]);
  tap_ok(access(tap_tmpfile("new.txt"), F_OK) != 0, "nothing is made outside");
  close_scene(&it);
}

/* ---- ends ---- */

static void test_cancel(const char *prompt, ck_outcome_status want, ck_status class) {
  scene it;
  ck_effect_run *run;
  begin_scene(&it, NULL);
  it.options.cancel_ms = SHORT_MS;
  open_driver(&it);
  set_prompt(&it, CK_EFFECT_ONCE, prompt, NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.updates.len) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  it.driver->cancel(it.driver->self, run);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_is_text(ck_outcome_status_name(it.drive.outcome->status), ck_outcome_status_name(want), "'%s', cancelled", prompt);
  if (want != CK_OUTCOME_OK) tap_is_int(it.drive.outcome->error_status, class, "its class (%s)", it.drive.outcome->error);
  tap_ok(play(&it, "hello", NULL)->status == CK_OUTCOME_OK, "the next turn is done");
  close_scene(&it);
}

static void test_cancel_at_once(void) {
  scene it;
  ck_effect_run *run;
  open_scene(&it, NULL);
  set_prompt(&it, CK_EFFECT_ONCE, "hang", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_ok(it.drive.outcome->status == CK_OUTCOME_FAILED && it.drive.outcome->error_status == CK_E_INTERRUPTED, "what was not sent did not happen");
  close_scene(&it);
}

/* Cancelled while a person thinks. */
static void test_cancel_question(void) {
  scene it;
  ck_effect_run *run;
  begin_scene(&it, NULL);
  it.options.asker = &it.asker;
  it.rule = CK_PERMIT_ASK;
  it.said = CK_E_PENDING;
  open_driver(&it);
  set_prompt(&it, CK_EFFECT_ONCE, "edit", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.asked) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  it.driver->cancel(it.driver->self, run);
  drive_wait(&it.drive);
  tap_ok(it.drive.outcome->status == CK_OUTCOME_FAILED && it.dropped == 1, "a question that is open is dropped with its turn");
  close_scene(&it);
}

static void ends(const char *mode, const char *prompt, ck_effect_class class, ck_outcome_status want, const char *say_why) {
  scene it;
  begin_scene(&it, mode);
  it.options.cancel_ms = SHORT_MS;
  if (strcmp(mode, "mute") == 0) it.options.service.start_ms = SHORT_MS;
  if (strcmp(prompt, "hang") == 0 || strcmp(prompt, "hang deaf") == 0) it.process.timeout_ms = 10 * SHORT_MS;
  open_driver(&it);
  set_prompt(&it, class, prompt, NULL);
  const ck_outcome *outcome = drive_effect(&it.drive, it.driver, &it.effect, false);
  tap_is_text(ck_outcome_status_name(outcome->status), ck_outcome_status_name(want), "%s, %s, %s", mode, prompt, ck_effect_class_name(class));
  tap_ok(strstr(outcome->error, say_why) != NULL, "it says why (%s)", outcome->error);
  close_scene(&it);
}

static void test_manners(void) {
  ends("babble", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "the agent 'coder': it wrote a line that is no JSON: \"Welcome to the agent!\"");
  ends("mute", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "it does not take part");
  ends("future", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "it speaks version 2 of the protocol; 1 is understood");
  ends("locked", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "the agent 'coder': log in first (error -32000)");
  ends("no-session", "hello", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "a session without an id");
  ends("good", "die", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "it ended with exit status 3; its last words: ");
  ends("good", "die", CK_EFFECT_PURE, CK_OUTCOME_FAILED, "out of luck");
  ends("good", "blurt", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "no JSON: \"Thinking about \\\"it\\\"...\\u001b[1m\"");
  ends("good", "blurt", CK_EFFECT_IDEMPOTENT, CK_OUTCOME_FAILED, "no JSON: \"Thinking about");
  ends("good", "flood", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "it told more than is kept of one turn");
  ends("good", "reasonless", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "the agent 'coder' ended its turn without saying why");
  ends("good", "hang", CK_EFFECT_ONCE, CK_OUTCOME_FAILED, "the agent 'coder' did not answer within");
  ends("good", "hang deaf", CK_EFFECT_ONCE, CK_OUTCOME_UNKNOWN, "the agent 'coder' did not answer within");
}

static void test_free_while_running(void) {
  scene it;
  ck_effect_run *run;
  begin_scene(&it, NULL);
  it.options.asker = &it.asker;
  it.rule = CK_PERMIT_ASK;
  it.said = CK_E_PENDING;
  open_driver(&it);
  set_prompt(&it, CK_EFFECT_ONCE, "edit", NULL);
  tap_must(drive_begin(&run, &it.drive, it.driver, &it.effect, false) == CK_OK, "it is begun");
  while (!it.asked) uv_run(ck_loop_uv(loop), UV_RUN_ONCE);
  close_scene(&it);
  tap_is_int(it.drive.delivered, 0, "a driver that is freed delivers nothing");
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(agent_path, sizeof agent_path, "%s/tests/effect/tool_acp_agent", build ? build : "build/release");
  if (access(agent_path, X_OK)) tap_skip_all("%s is not built", agent_path);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_turn();
  test_sessions();
  test_content();
  test_cost();
  test_errors();
  test_rules();
  test_person();
  test_nobody();
  test_no_files();
  test_files();
  test_cancel("hang", CK_OUTCOME_FAILED, CK_E_INTERRUPTED);
  test_cancel("hang stubborn", CK_OUTCOME_OK, CK_OK);
  test_cancel("hang deaf", CK_OUTCOME_UNKNOWN, CK_E_INTERRUPTED);
  test_cancel_at_once();
  test_cancel_question();
  test_manners();
  test_free_while_running();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
