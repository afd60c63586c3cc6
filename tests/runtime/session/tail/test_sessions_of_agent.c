/* test_sessions_of_agent.c - the store leaves out no session in which an agent took part, however
 * its name is written, and no other is read for what it says of others. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/session.h"
#include "core/runtime/session/tail/tail.h"
#include "core/store/session_query.h"
#include "tests/tap.h"

/* What the only event of a session says, and whether "kid" took part in it. */
static const struct {
  const char *id, *agent, *body;
  ck_event_kind kind;
  bool has, visited; /* by a store that looks into plain bodies */
} cases[] = {
    {"own", "kid", "{}", CK_EVENT_NOTE, true, true},
    {"child", "ann", "{\"childAgentId\":\"kid\"}", CK_EVENT_NOTE, true, true},
    {"escaped", "ann", "{\"childAgentId\":\"\\u006bid\"}", CK_EVENT_UPDATE, true, true},
    {"escaped_name", "ann", "{\"childAgent\\u0049d\":\"kid\"}", CK_EVENT_UPDATE, true, true},
    {"target", "ann", "{\"targets\":[{\"agent\":\"kid\"}]}", CK_EVENT_DELEGATION, true, true},
    {"quoted", "ann", "{\"childAgentId\":\"k\\\"id\"}", CK_EVENT_NOTE, false, false},
    {"another", "ann", "{\"childAgentId\":\"bob\",\"n\":1}", CK_EVENT_NOTE, false, false},
    {"nobody", "ann", "{\"n\":1}", CK_EVENT_NOTE, false, false},
    {"said", "ann", "{\"message\":{\"role\":\"user\",\"content\":\"kid\"}}", CK_EVENT_MESSAGE,
     false, false},
    {"mentioned", "ann", "{\"text\":\"kid\"}", CK_EVENT_NOTE, false, true},
};
enum { CASES = sizeof cases / sizeof *cases, NEWER = 140 };

static void must(ck_status status, const ck_error *err) {
  tap_must(status == CK_OK, "the session is made: %s", err->text);
}

/* Letters without a pattern, so that a packed body has no byte of it as it was. */
static void fill(char *text, size_t len) {
  uint32_t random = 1;
  for (size_t i = 0; i < len; i++) {
    random = random * 1664525u + 1013904223u;
    text[i] = (char)('a' + (random >> 16) % 26);
  }
  text[len] = '\0';
}

/* `filler`: characters that are put into each body, so that it is packed. */
static void make(ck_runtime *runtime, size_t at, size_t filler) {
  ck_session *session;
  ck_value *body;
  ck_error err = CK_ERROR_INIT;
  char letters[1024], text[2048];
  const char *body_text = cases[at].body;
  fill(letters, filler);
  snprintf(text, sizeof text, "{\"filler\":\"%s\"%s%s", letters, body_text[1] == '}' ? "" : ",",
           body_text + 1);
  must(ck_session_start(&session, runtime, &(ck_session_options){.id = cases[at].id}, &err), &err);
  must(ck_value_new(&body, ck_bytes_text(filler ? text : body_text), &err), &err);
  must(ck_session_append(session, cases[at].kind, NULL, cases[at].agent, body, &err), &err);
  must(ck_session_end(session, CK_SESSION_COMPLETED, NULL, NULL, &err), &err);
  ck_value_free(body);
  ck_session_close(session);
}

typedef struct seen {
  bool visited[CASES], found[CASES];
  ck_store *store;
  const char *agent;
} seen;

static bool see(void *to, const ck_session_record *record) {
  seen *self = to;
  ck_error err = CK_ERROR_INIT;
  for (size_t i = 0; i < CASES; i++) {
    if (strcmp(cases[i].id, record->id) != 0) continue;
    self->visited[i] = true;
    must(ck_tail_find_agent(&self->found[i], self->store, record->no, self->agent, &err), &err);
  }
  return true;
}

static seen look(ck_store *store, const char *agent) {
  seen all = {.store = store, .agent = agent};
  ck_error err = CK_ERROR_INIT;
  const ck_session_query query = {.agent = agent, .others = ck_tail_naming_kinds};
  must(ck_store_find_sessions(store, &query, see, &all, &err), &err);
  return all;
}

/* More sessions, of others: so many that a store looks through the older ones in another way. */
static void make_newer(ck_runtime *runtime) {
  ck_session *session;
  ck_error err = CK_ERROR_INIT;
  for (int i = 0; i < NEWER; i++) {
    must(ck_session_start(&session, runtime, &(ck_session_options){0}, &err), &err);
    must(ck_session_end(session, CK_SESSION_COMPLETED, NULL, NULL, &err), &err);
    ck_session_close(session);
  }
}

static void compare(ck_runtime *runtime, const char *name, bool looks) {
  seen all = look(ck_runtime_store(runtime), "kid");
  int wrong = 0, more = 0;
  for (size_t i = 0; i < CASES; i++) {
    wrong += all.found[i] != cases[i].has;
    more += all.visited[i] != cases[i].visited;
  }
  tap_is_int(wrong, 0, "%s: the sessions of an agent are those in which it took part", name);
  if (looks) tap_is_int(more, 0, "%s: no other is read, but where it may be named", name);
  all = look(ck_runtime_store(runtime), "k\"id");
  int found = 0;
  for (size_t i = 0; i < CASES; i++) found += all.found[i];
  tap_ok(found == 1 && all.found[5], "%s: also one whose name JSON escapes", name);
}

static void test(const char *url, const char *name, bool looks, size_t filler) {
  ck_runtime *runtime;
  char newer[64];
  ck_error err = CK_ERROR_INIT;
  must(ck_runtime_open(&runtime, url, &(ck_store_options){.create = true}, NULL, &err), &err);
  for (size_t i = 0; i < CASES; i++) make(runtime, i, filler);
  compare(runtime, name, looks);
  make_newer(runtime);
  snprintf(newer, sizeof newer, "%s, behind %d newer ones", name, NEWER);
  compare(runtime, newer, looks);
  ck_runtime_close(runtime);
}

int main(void) {
  char plain[600], packed[600];
  snprintf(plain, sizeof plain, "sqlite:%s", tap_tmpfile("plain.db"));
  snprintf(packed, sizeof packed, "sqlite:%s", tap_tmpfile("packed.db"));
  test("memory:sessions_of_agent", "memory", false, 0);
  test(plain, "sqlite", true, 0);
  test(packed, "sqlite, packed", false, 900);
  return tap_done();
}
