/* test_find_sessions.c - which sessions of a store may have an agent is told of any of them, the
 * newest and the older ones, those of few events and of many: none that has it is left out, and
 * none is given that has no event by which it could; by one who reads every event. */
#include <stdio.h>
#include <string.h>

#include "core/runtime/session/tail/tail.h"
#include "core/store/session_query.h"
#include "tests/dice.h"
#include "tests/store/fixture.h"
#include "tests/tap.h"

enum { SESSIONS = 200, AGENTS = 6, EVENTS_MAX = 9 };

static const char *const agents[AGENTS] = {"ann", "bob", "cid", "dora", "eve", "nobody"};
static ck_error err;

static void must(ck_status status) { tap_must(status == CK_OK, "%s", err.text); }

/* ---- the store ---- */

/* The last agent acts nowhere; "eve" in a few sessions. */
static const char *pick_agent(test_dice *dice, int session) {
  if (session % 40 == 12 && dice_pick(dice, 2)) return agents[4];
  return dice_pick(dice, 4) ? agents[dice_pick(dice, 4) * (uint64_t)(session % 3 != 0)] : NULL;
}

static void fill_event(ck_event *out, test_dice *dice, int session, int64_t seq) {
  static const ck_event_kind kinds[] = {CK_EVENT_MESSAGE, CK_EVENT_INTENT, CK_EVENT_OUTCOME,
                                        CK_EVENT_DELEGATION, CK_EVENT_NOTE};
  char text[128];
  const char *named = pick_agent(dice, session), *agent = pick_agent(dice, session);
  ck_event_kind kind = seq == 1 ? CK_EVENT_SESSION_STARTED : kinds[dice_pick(dice, 5)];
  snprintf(text, sizeof text, "{\"target\":\"%s\"}", named ? named : "a person");
  *out = (ck_event){.seq = seq,
                    .timeline = 1,
                    .kind = kind,
                    .at_ms = 1000 + seq,
                    .scope = (char *)"main",
                    .agent = (char *)(seq == 1 ? NULL : agent)};
  must(ck_value_new(&out->body, ck_bytes_text(text), &err));
}

static void make_session(ck_store *store, test_dice *dice, int number, int most) {
  ck_event all[EVENTS_MAX * 100], *list[EVENTS_MAX * 100];
  ck_session_record record = {.run = "run_1", .created_ms = 1000};
  ck_timeline timeline = {.no = 1, .begin = 1, .attempt = 1, .run = "run_1"};
  const ck_session_update end = {.status = CK_SESSION_PAUSED, .reason = "user_requested"};
  size_t count = 1 + dice_pick(dice, (uint64_t)most);
  ck_opening opening = {
      .timeline = &timeline, .events = list, .event_count = count, .update = &end};
  ck_lease lease;
  snprintf(record.id, sizeof record.id, "session_%d", number);
  for (size_t i = 0; i < count; i++) {
    fill_event(&all[i], dice, number, (int64_t)i + 1);
    list[i] = &all[i];
  }
  must(ck_store_create_session(&lease, store, &record, &opening, &err));
  ck_store_release(store, lease);
  for (size_t i = 0; i < count; i++) ck_value_free(all[i].body);
}

/* ---- who reads every event ---- */

typedef struct reading {
  const char *agent;
  bool took_part, may;
} reading;

/* May: it is the event's agent, or the event is of a kind that names others, and has its letters.
 */
static bool read_event(void *to, const ck_event *event) {
  reading *self = to;
  ck_bytes body = ck_value_bytes(event->body);
  bool own = event->agent && strcmp(event->agent, self->agent) == 0;
  bool named = ck_tail_naming_kinds >> event->kind & 1 &&
               memmem(body.data, body.len, self->agent, strlen(self->agent));
  self->took_part |= ck_tail_involves(event, self->agent);
  self->may |= own || named;
  return true;
}

typedef struct finding {
  int found[SESSIONS];
  size_t count;
} finding;

static bool find(void *to, const ck_session_record *record) {
  finding *self = to;
  int number;
  tap_must(sscanf(record->id, "session_%d", &number) == 1 && number < SESSIONS, "an id");
  self->found[self->count++] = number;
  return true;
}

static bool visits(const finding *self, int number) {
  for (size_t i = 0; i < self->count; i++)
    if (self->found[i] == number) return true;
  return false;
}

static void test_agent(ck_store *store, const char *kind, const char *agent) {
  finding all = {.count = 0};
  int missing = 0, more = 0, has = 0, disorder = 0;
  must(ck_store_find_sessions(store,
                              &(ck_session_query){.agent = agent, .others = ck_tail_naming_kinds},
                              find, &all, &err));
  for (size_t i = 1; i < all.count; i++) disorder += all.found[i] >= all.found[i - 1];
  for (int i = 0; i < SESSIONS; i++) {
    reading at = {.agent = agent};
    must(ck_store_read_events(store, &(ck_event_query){.session = i + 1}, read_event, &at, &err));
    missing += at.took_part && !visits(&all, i);
    more += !at.may && visits(&all, i);
    has += at.took_part;
  }
  tap_ok(!missing && !disorder, "%s: none of the %d sessions of %s is left out, newest first", kind,
         has, agent);
  tap_is_int(more, 0, "%s: no other is given", kind);
}

static void test_store(const char *name, int most) {
  char url[600], file[32];
  test_dice dice = {dice_number("FIND_SEED", 7)};
  snprintf(file, sizeof file, "find-%d.db", most);
  snprintf(url, sizeof url, "sqlite:%s", tap_tmpfile(file));
  ck_store *store = fixture_open(url);
  for (int i = 0; i < SESSIONS; i++) make_session(store, &dice, i, i % 50 ? most : most * 7);
  for (size_t i = 0; i < AGENTS; i++) test_agent(store, name, agents[i]);
  ck_store_close(store);
}

int main(void) {
  test_store("few events", EVENTS_MAX);
  test_store("many events", EVENTS_MAX * 14);
  return tap_done();
}
