/* test_gate.c - who may ask the page's server: every visitor against what a person would say. */
#include <stdio.h>
#include <string.h>

#include "core/host/ui/gate.h"
#include "tests/tap.h"

#define HOST "127.0.0.1:8080"
#define ORIGIN "http://127.0.0.1:8080"

static const char *const names[] = {"enter", "welcome", "foreign", "stranger"};

static void check(ck_ui_gate *gate, ck_ui_visitor visitor, ck_ui_verdict wanted, const char *name) {
  ck_ui_verdict verdict = ck_ui_gate_check(gate, &visitor);
  tap_ok(verdict == wanted, "%s: %s", name, names[wanted]);
}

static void test_link(void) {
  ck_ui_gate gate;
  char token[CK_UI_TOKEN_SIZE], cookie[CK_UI_TOKEN_SIZE];
  ck_ui_gate_init(&gate, "127.0.0.1", 8080);
  strcpy(token, gate.token);
  strcpy(cookie, gate.session);
  tap_ok(strlen(token) >= 32 && strlen(cookie) >= 32 && strcmp(token, cookie) != 0,
         "token and cookie are 128 bits or more, and not the same");
  check(&gate, (ck_ui_visitor){.host = HOST}, CK_UI_STRANGER, "nothing shown");
  check(&gate, (ck_ui_visitor){.host = HOST, .token = ""}, CK_UI_STRANGER, "an empty token");
  check(&gate, (ck_ui_visitor){.host = HOST, .token = cookie}, CK_UI_STRANGER,
        "the cookie's value as a token");
  check(&gate, (ck_ui_visitor){.host = "evil.example", .token = token}, CK_UI_FOREIGN,
        "the token by another name");
  check(&gate, (ck_ui_visitor){.host = HOST, .token = token, .fetch_site = "cross-site"},
        CK_UI_WELCOME, "the link, pressed on another page");
  check(&gate, (ck_ui_visitor){.host = HOST, .token = token}, CK_UI_STRANGER, "the link again");
  check(&gate, (ck_ui_visitor){.host = HOST, .token = ""}, CK_UI_STRANGER,
        "an empty token when it is used");
  check(&gate, (ck_ui_visitor){.host = HOST, .session = cookie}, CK_UI_ENTER, "the cookie");
  check(&gate, (ck_ui_visitor){.host = HOST, .session = token}, CK_UI_STRANGER,
        "the token as a cookie");
  ck_ui_gate_renew(&gate);
  tap_ok(strcmp(gate.token, token) != 0 && strcmp(gate.session, cookie) == 0,
         "a new link has another token, and throws nobody out");
  check(&gate,
        (ck_ui_visitor){.host = HOST, .token = gate.token, .changes = true, .origin = ORIGIN},
        CK_UI_STRANGER, "a token that comes with an action");
}

static void test_places(void) {
  static const struct {
    const char *origin, *site;
    bool reads, changes;
  } rows[] = {
      {NULL, NULL, true, false}, /* a program with the cookie: no browser leaves out both */
      {ORIGIN, NULL, true, true},
      {ORIGIN, "same-origin", true, true},
      {"HTTP://127.0.0.1:8080", "same-origin", false, false},
      {NULL, "none", true, false},
      {NULL, "same-site", false, false},
      {NULL, "cross-site", false, false},
      {ORIGIN, "same-site", false, false},
      {ORIGIN, "none", true, false},
      {"http://localhost:8080", "same-origin", false, false},
      {"http://127.0.0.1:8081", "same-site", false, false},
      {"https://127.0.0.1:8080", NULL, false, false},
      {"http://127.0.0.1:8080.evil.example", NULL, false, false},
      {"null", NULL, false, false},
      {"", NULL, false, false},
  };
  ck_ui_gate gate;
  ck_ui_gate_init(&gate, "127.0.0.1", 8080);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char name[128];
    snprintf(name, sizeof name, "Origin %s, Sec-Fetch-Site %s",
             rows[i].origin ? rows[i].origin : "-", rows[i].site ? rows[i].site : "-");
    ck_ui_visitor visitor = {.host = HOST,
                             .origin = rows[i].origin,
                             .fetch_site = rows[i].site,
                             .session = gate.session};
    check(&gate, visitor, rows[i].reads ? CK_UI_ENTER : CK_UI_FOREIGN, name);
    visitor.changes = true;
    check(&gate, visitor, rows[i].changes ? CK_UI_ENTER : CK_UI_FOREIGN, name);
  }
}

static void test_hosts(void) {
  static const char *const foreign[] = {NULL,
                                        "",
                                        "127.0.0.1",
                                        "localhost",
                                        "127.0.0.1:8081",
                                        "127.0.0.1:80800",
                                        "evil:8080",
                                        "127.0.0.1:8080.",
                                        "[::1]",
                                        "0.0.0.0:8080",
                                        "127.0.0.1:8080 "};
  static const char *const own[] = {"127.0.0.1:8080", "localhost:8080", "LOCALHOST:8080"};
  ck_ui_gate gate;
  ck_ui_gate_init(&gate, "127.0.0.1", 8080);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    check(&gate, (ck_ui_visitor){.host = foreign[i], .session = gate.session}, CK_UI_FOREIGN,
          foreign[i] ? foreign[i] : "no Host");
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    check(&gate, (ck_ui_visitor){.host = own[i], .session = gate.session}, CK_UI_ENTER, own[i]);
}

/* Another server of this machine has been sent the cookie, which knows no ports. */
static void test_key(void) {
  ck_ui_gate gate;
  ck_ui_gate_init(&gate, "[::1]", 8080);
  ck_ui_visitor visitor = {.host = "[::1]:8080", .session = gate.session};
  check(&gate, visitor, CK_UI_ENTER, "the page's files, by the cookie");
  visitor.asks = true;
  check(&gate, visitor, CK_UI_STRANGER, "what is stored, by the cookie alone");
  visitor.key = gate.session;
  check(&gate, visitor, CK_UI_STRANGER, "by the cookie twice");
  visitor.key = gate.key;
  check(&gate, visitor, CK_UI_ENTER, "by cookie and key");
  visitor.session = NULL;
  check(&gate, visitor, CK_UI_STRANGER, "by the key alone");
}

static void test_local(void) {
  static const char *const own[] = {"localhost", "localhost:8080", "LOCALHOST:1"};
  static const char *const foreign[] = {"localhost:", "localhost:x",      "localhost.evil",
                                        "evil",       "localhostevil:80", "127.0.0.1:80 "};
  ck_ui_gate gate;
  ck_ui_gate_init(&gate, "localhost", 0);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    check(&gate, (ck_ui_visitor){.host = own[i], .session = gate.session}, CK_UI_ENTER, own[i]);
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
    check(&gate, (ck_ui_visitor){.host = foreign[i], .session = gate.session}, CK_UI_FOREIGN,
          foreign[i]);
}

int main(void) {
  test_key();
  test_local();
  test_link();
  test_places();
  test_hosts();
  return tap_done();
}
