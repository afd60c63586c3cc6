/* test_peer.c - a peer process: every request is answered once, by the peer, by the clock or by its
 * end; its end always comes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/effect/jsonrpc/peer.h"
#include "tests/tap.h"

enum { SHORT_MS = 100 };

static ck_loop *loop;
static char path[1024];

typedef struct call {
  ck_peer_call call;
  int answers;
  ck_peer_outcome outcome;
  char text[512];
} call;

typedef struct fixture {
  const char *argv[3];
  ck_peer *peer;
  int ended, received;
  char why[1024];
} fixture;

static void on_answered(void *to, const ck_peer_answer *answer) {
  call *self = to;
  self->answers++;
  self->outcome = answer->outcome;
  snprintf(self->text, sizeof self->text, "%s", answer->text ? answer->text : "");
  ck_loop_stop(loop);
}

static void on_received(void *to, const ck_rpc_message *message) {
  fixture *self = to;
  (void)message;
  self->received++;
}

static void on_ended(void *to, const char *why) {
  fixture *self = to;
  self->ended++;
  self->peer = NULL;
  snprintf(self->why, sizeof self->why, "%s", why);
  ck_loop_stop(loop);
}

static void open_fixture(fixture *self, const char *mode) {
  char *environment[] = {NULL};
  *self = (fixture){.argv = {path, mode}};
  const ck_peer_options options = {.loop = loop,
                                   .name = "it",
                                   .argv = (char *const *)self->argv,
                                   .environment = environment,
                                   .kill_ms = SHORT_MS,
                                   .received = on_received,
                                   .ended = on_ended,
                                   .to = self};
  tap_must(ck_peer_open(&self->peer, &options, NULL) == CK_OK, "there is a peer");
}

static void ask(fixture *self, call *it, const char *method) {
  static const char params[] = "{\"protocolVersion\":\"2025-11-25\"}";
  it->call.answered = on_answered;
  it->call.to = it;
  tap_must(ck_peer_request(self->peer, &it->call, method, ck_bytes_text(params), NULL) == CK_OK,
           "%s is asked", method);
}

static void wait_for_answer(call *it) {
  int before = it->answers;
  while (it->answers == before) ck_loop_run(loop);
}

static void wait_for_end(fixture *self) {
  while (!self->ended) ck_loop_run(loop);
}

static void test_answers(void) {
  fixture it;
  call handshake = {0}, other = {0};
  open_fixture(&it, "unknown");
  ask(&it, &handshake, "initialize");
  wait_for_answer(&handshake);
  tap_ok(handshake.outcome == CK_PEER_RESULT && handshake.call.id == 0,
         "a request is answered; answers to others are not mistaken for it");
  ck_peer_notify(it.peer, "notifications/initialized", (ck_bytes){0});
  ask(&it, &other, "no/such");
  wait_for_answer(&other);
  tap_ok(other.outcome == CK_PEER_ERROR &&
             strcmp(other.text, "it: no such method (error -32601)") == 0,
         "or refused (%s)", other.text);
  ck_peer_end(it.peer, "no more is wanted of it");
  tap_ok(ck_peer_is_ending(it.peer), "it ends when it is told to");
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_peer_request(it.peer, &other.call, "x", (ck_bytes){0}, &err), CK_E_UNAVAILABLE,
                NULL, "then it is not asked any more");
  tap_is_text(err.text, "it: no more is wanted of it", "and that is told");
  wait_for_end(&it);
  tap_ok(it.ended == 1 && strcmp(it.why, "it: no more is wanted of it") == 0,
         "its end is told once (%s)", it.why);
  tap_ok(handshake.answers == 1 && other.answers == 1, "each request had one answer");
}

/* Reads that are full to the last byte, and then none: that is not the end of it. */
static void test_full_pipe(void) {
  fixture it;
  call handshake = {0}, other = {0};
  open_fixture(&it, "full");
  ask(&it, &handshake, "initialize");
  wait_for_answer(&handshake);
  tap_ok(handshake.outcome == CK_PEER_RESULT && !ck_peer_is_ending(it.peer),
         "a message that fills the pipe ends nothing");
  ck_peer_notify(it.peer, "notifications/initialized", (ck_bytes){0});
  ask(&it, &other, "no/such");
  wait_for_answer(&other);
  tap_is_int(other.outcome, CK_PEER_ERROR, "what is asked next is heard and answered");
  ck_peer_stop(it.peer, "enough");
  wait_for_end(&it);
}

static void test_lost(void) {
  fixture it;
  call calls[3] = {0};
  open_fixture(&it, "mute");
  for (int i = 0; i < 3; i++) ask(&it, &calls[i], "initialize");
  ck_peer_forget(it.peer, &calls[1].call);
  ck_peer_forget(it.peer, &calls[1].call);
  ck_peer_stop(it.peer, "enough");
  wait_for_end(&it);
  tap_ok(
      calls[0].outcome == CK_PEER_LOST && calls[2].outcome == CK_PEER_LOST && calls[0].answers == 1,
      "what was asked is answered by its end");
  tap_is_text(calls[2].text, "it: enough", "with the reason");
  tap_is_int(calls[1].answers, 0, "what was forgotten is not");
}

static void test_clock(void) {
  fixture it;
  call late = {0};
  open_fixture(&it, "mute");
  late.call.silence_ms = SHORT_MS;
  ask(&it, &late, "initialize");
  wait_for_answer(&late);
  tap_ok(late.outcome == CK_PEER_LATE && strncmp(late.text, "it did not answer within", 24) == 0,
         "what takes too long is late (%s)", late.text);
  tap_is_int(it.ended, 0, "it lives on");
  ck_peer_renew(it.peer, &late.call);
  wait_for_answer(&late);
  tap_ok(late.outcome == CK_PEER_LATE && late.answers == 2, "it can be waited for once more");
  late.call.deadline_ms = 1;
  ck_error err = CK_ERROR_INIT;
  tap_is_status(ck_peer_request(it.peer, &late.call, "x", (ck_bytes){0}, &err), CK_E_UNAVAILABLE,
                NULL, "what is too late is not asked");
  ck_peer_free(it.peer);
  tap_is_int(it.ended, 0, "a peer that is freed tells nothing");
}

/* For any treatment of its input, output and signals. */
static void test_ends(void) {
  static const struct {
    const char *mode, *why;
  } cases[] = {{"exit", "it: it ended with exit status 7; its last words: \"no licence\""},
               {"line", "it: it wrote a line of more than 8388608 bytes"},
               {"deep", "no JSON: \"[[["},
               {"babble", "it: it wrote a line that is no JSON: \"hello, I am a server\""},
               {"close", "it: it closed its standard output, and was ended"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture it;
    open_fixture(&it, cases[i].mode);
    wait_for_end(&it);
    tap_ok(strstr(it.why, cases[i].why) != NULL, "%s: %s", cases[i].mode, it.why);
  }
}

static void test_deaf(void) {
  fixture it;
  open_fixture(&it, "deaf");
  ck_peer_end(it.peer, "enough");
  wait_for_end(&it);
  tap_is_text(it.why, "it: enough",
              "one that is deaf to its input's end and to SIGTERM ends all the same");
}

int main(void) {
  const char *build = getenv("CKRUN_BUILD");
  snprintf(path, sizeof path, "%s/tests/effect/mcp/tool_mcp_server",
           build ? build : "build/release");
  if (access(path, X_OK)) tap_skip_all("%s is not built", path);
  tap_must(ck_loop_new(&loop, NULL) == CK_OK, "there is a loop");
  test_answers();
  test_full_pipe();
  test_lost();
  test_clock();
  test_ends();
  test_deaf();
  tap_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no child is left, dead or alive");
  ck_loop_free(loop);
  return tap_done();
}
