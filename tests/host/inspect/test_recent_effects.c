/* test_recent_effects.c - the last effects of a session are looked for only behind the checkpoint
 * whose sums know of no call and no verdict, and none is missed. */
#include <stdio.h>

#include "core/host/inspect/recent_effects.h"
#include "core/host/inspect/runs.h"
#include "core/runtime/session/session_private.h"
#include "tests/tap.h"

static ck_error err;

static void append(ck_session *session, ck_event_kind kind, const char *text) {
  ck_value *body;
  tap_must(ck_value_new(&body, ck_bytes_text(text), &err) == CK_OK &&
               ck_session_append(session, kind, NULL, NULL, body, &err) == CK_OK,
           "an event: %s", err.text);
  ck_value_free(body);
}

static int64_t boundary(ck_session *session) {
  ck_saved saved;
  tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                               &err) == CK_OK,
           "a boundary: %s", err.text);
  return saved.seq;
}

#define INTENT(key) "{\"key\":\"" key "\",\"kind\":\"tool\",\"class\":\"pure\"}"
#define OUTCOME(key) "{\"key\":\"" key "\",\"kind\":\"tool\",\"status\":\"ok\",\"cost\":0}"
#define VERDICT(key) "{\"key\":\"" key "\",\"verdict\":\"retry\"}"

typedef struct before {
  const char *what; /* what there is up to the checkpoint that keeps sums */
  ck_event_kind kind;
  const char *body; /* NULL: nothing */
  int64_t effects;  /* of all */
  bool known;       /* that there is none up to there */
} before;

static const before cases[] = {
    {"nothing", CK_EVENT_NOTE, NULL, 1, true},
    {"a note", CK_EVENT_NOTE, "{}", 1, true},
    {"a call that is open", CK_EVENT_INTENT, INTENT("main/a"), 2, false},
    {"an outcome", CK_EVENT_OUTCOME, OUTCOME("main/a"), 2, false},
    {"a verdict", CK_EVENT_RESOLUTION, VERDICT("main/a"), 2, false},
};

static void live(ck_runtime *runtime, const before *of, int64_t *kept) {
  ck_session *session;
  tap_must(ck_session_start(&session, runtime, &(ck_session_options){.id = "s"}, &err) == CK_OK,
           "a session: %s", err.text);
  if (of->body) append(session, of->kind, of->body);
  runtime->sums_every = -1;
  *kept = boundary(session);
  runtime->sums_every = 0;
  append(session, CK_EVENT_INTENT, INTENT("main/b"));
  append(session, CK_EVENT_OUTCOME, OUTCOME("main/b"));
  boundary(session);
  tap_must(ck_session_pause(session, "enough", &err) == CK_OK, "a pause: %s", err.text);
  ck_session_close(session);
}

static void test_before(const before *of) {
  ck_runtime *runtime;
  ck_head head;
  ck_runs runs = {0};
  ck_recent_effects found = {0};
  int64_t kept;
  tap_must(ck_runtime_open(&runtime, "memory:", &(ck_store_options){.create = true}, NULL, &err) ==
               CK_OK,
           "a store: %s", err.text);
  live(runtime, of, &kept);
  tap_must(ck_store_get_head(&head, runtime->store, "s", &err) == CK_OK &&
               ck_runs_read(&runs, runtime->store, &head, false, NULL, &err) == CK_OK &&
               ck_recent_effects_read(&found, runtime->store, &head, runs.uncalled, false, &err) ==
                   CK_OK,
           "it is read: %s", err.text);
  tap_is_int(runs.uncalled, of->known ? kept : 0, "behind %s: from where on there are calls is %s",
             of->what, of->known ? "known" : "not known");
  tap_is_int((int64_t)found.count, of->effects, "and each of them is found");
  ck_recent_effects_clear(&found);
  ck_runs_clear(&runs);
  ck_head_clear(&head);
  ck_runtime_close(runtime);
}

int main(void) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) test_before(&cases[i]);
  return tap_done();
}
