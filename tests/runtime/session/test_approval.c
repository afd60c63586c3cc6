/* test_approval.c - the approval that counts is the last one since a run has executed, whatever
 * lies behind it: random histories of runs, additions at rest, questions, answers, refusals and
 * rewinds, against what each of them means. */
#include <stdio.h>
#include <stdlib.h>

#include "core/runtime/session/opening/approval.h"
#include "core/runtime/session/session.h"
#include "tests/dice.h"
#include "tests/tap.h"

enum { HISTORIES = 300, STEPS = 14, MANY = 80 };

static ck_error err;
static test_dice dice = {20};

static int roll(uint64_t sides) { return (int)dice_pick(&dice, sides); }

typedef struct history {
  ck_runtime *runtime;
  ck_value *about, *asks, *allows, *nothing;
  char id[16];
  int64_t expected; /* the seq of the approval that counts; 0: none */
  ck_approval_answer answer;
} history;

static ck_value *value(const char *text) {
  ck_value *made;
  tap_must(ck_value_new(&made, ck_bytes_text(text), &err) == CK_OK, "a value");
  return made;
}

static void work(ck_session *session, int boundaries) {
  ck_saved saved;
  for (int i = 0; i < boundaries; i++)
    tap_must(ck_session_boundary(&saved, session, &(ck_boundary){.kind = CK_BOUNDARY_TOOL_ROUND},
                                 &err) == CK_OK,
             "a boundary");
}

/* Without `about` it is a program that keeps nothing of its runs, or an acquisition that adds an
 * event: the session goes on to ask what it asked. */
static void run(history *self, bool executes) {
  ck_session *session;
  int boundaries = roll(4) ? roll(3) : MANY;
  ck_resume_options options = {.about = executes ? self->about : NULL};
  tap_must(ck_session_resume(&session, self->runtime, self->id, &options, &err) == CK_OK,
           "a resume: %s", err.text);
  work(session, boundaries);
  if (roll(3))
    tap_must(ck_session_pause(session, "enough", &err) == CK_OK, "a pause: %s", err.text);
  ck_session_close(session);
  if (executes) self->expected = 0;
}

static void record(history *self, ck_event_kind kind, ck_value *body) {
  ck_head head;
  tap_must(ck_store_get_head(&head, self->runtime->store, self->id, &err) == CK_OK, "its head");
  tap_must(ck_opening_record(self->runtime, &head, kind, body, &err) == CK_OK, "recorded: %s",
           err.text);
  bool counts = kind == CK_EVENT_RESUME_APPROVAL;
  self->expected = counts ? head.last_seq + 1 : 0;
  self->answer = body == self->allows ? CK_APPROVAL_ALLOW : CK_APPROVAL_NONE;
  ck_head_clear(&head);
}

static void step(history *self) {
  switch (roll(7)) {
    case 0:
      run(self, true);
      break;
    case 1:
    case 2:
      run(self, false);
      break;
    case 3:
      record(self, CK_EVENT_RESUME_REFUSED, self->nothing);
      break;
    case 4:
      record(self, CK_EVENT_SESSION_REWOUND, self->nothing);
      break;
    default:
      record(self, CK_EVENT_RESUME_APPROVAL, roll(2) ? self->asks : self->allows);
      break;
  }
}

static bool agrees(history *self) {
  ck_head head;
  ck_approval found;
  tap_must(ck_store_get_head(&head, self->runtime->store, self->id, &err) == CK_OK, "its head");
  tap_must(ck_approval_read(&found, self->runtime->store, &head, &err) == CK_OK, "%s", err.text);
  bool same = found.seq == self->expected && (found.body != NULL) == (self->expected > 0) &&
              (!self->expected || found.answer == self->answer);
  if (!same)
    tap_diag("%s: of %lld events the one at %lld counts, not that at %lld", self->id,
             (long long)head.last_seq, (long long)self->expected, (long long)found.seq);
  ck_approval_clear(&found);
  ck_head_clear(&head);
  return same;
}

static bool try_history(history *self, int number) {
  ck_session *session;
  bool same = true;
  snprintf(self->id, sizeof self->id, "h%d", number);
  self->expected = 0;
  ck_session_options options = {.id = self->id, .about = roll(2) ? self->about : NULL};
  tap_must(ck_session_start(&session, self->runtime, &options, &err) == CK_OK, "a session");
  work(session, roll(3));
  tap_must(ck_session_pause(session, "enough", &err) == CK_OK, "a pause");
  ck_session_close(session);
  for (int i = 0; i < STEPS && same; i++) {
    step(self);
    same = agrees(self);
  }
  return same;
}

int main(void) {
  history self = {.about = value("{\"directory\":\"/\"}"),
                  .asks = value("{\"question\":\"Go on?\"}"),
                  .allows = value("{\"question\":\"Go on?\",\"answer\":\"allow\"}"),
                  .nothing = value("{}")};
  int right = 0;
  tap_must(ck_runtime_open(&self.runtime, "memory:", &(ck_store_options){.create = true}, NULL,
                           &err) == CK_OK,
           "a store: %s", err.text);
  for (int i = 0; i < HISTORIES; i++) right += try_history(&self, i);
  tap_is_int(right, HISTORIES,
             "at each point of random histories the approval that counts is the "
             "last since a run has executed");
  ck_runtime_close(self.runtime);
  ck_value_free(self.about);
  ck_value_free(self.asks);
  ck_value_free(self.allows);
  ck_value_free(self.nothing);
  return tap_done();
}
