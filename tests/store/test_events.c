/* test_events.c - a query of events gives exactly the rows that match, in the order asked for. */
#include <string.h>

#include "tests/store/victim.h"
#include "tests/tap.h"

typedef struct seen {
  int64_t seqs[4 * VICTIM_STEPS];
  size_t count, stop_after;
} seen;

static bool see(void *to, const ck_event *event) {
  seen *self = to;
  self->seqs[self->count++] = event->seq;
  return self->count != self->stop_after;
}

static bool wanted(const ck_event_query *query, const ck_event_row *row) {
  if (query->view && !ck_view_contains(query->view, row->seq)) return false;
  if (row->seq <= query->after || (query->until && row->seq > query->until)) return false;
  if (query->kinds && !(query->kinds >> row->kind & 1)) return false;
  if (query->scope && strcmp(query->scope, row->scope) != 0) return false;
  return !query->agent || (row->agent && strcmp(row->agent, query->agent) == 0);
}

/* The answer of a reader that filters all rows. */
static seen expect(victim *self, const ck_event_query *query) {
  seen all = {0}, want = {0};
  for (size_t i = 0; i < self->session->events.count; i++) {
    const ck_event_row *row = self->session->events.rows[i];
    if (wanted(query, row)) all.seqs[all.count++] = row->seq;
  }
  size_t begin = query->last && query->last < all.count ? all.count - query->last : 0;
  for (size_t i = begin; i < all.count; i++)
    want.seqs[want.count++] = all.seqs[query->backward ? all.count - 1 - (i - begin) : i];
  return want;
}

static void test_events(void) {
  ck_error err = CK_ERROR_INIT;
  victim it;
  ck_view view;
  test_dice dice = {99};
  int wrong = 0;
  victim_open(&it);
  history_must(ck_view_make(&view, it.session->timelines, 2, 2, &err), &err, "make a view");
  for (int i = 0; i < 4000; i++) {
    int64_t most = (int64_t)it.session->events.count + 3;
    ck_event_query query = {
        .session = 1,
        .view = dice_pick(&dice, 2) ? &view : NULL,
        .after = dice_pick(&dice, 2) ? (int64_t)dice_pick(&dice, (uint64_t)most) : 0,
        .until = dice_pick(&dice, 2) ? (int64_t)dice_pick(&dice, (uint64_t)most) : 0,
        .kinds = dice_pick(&dice, 2) ? 1u << CK_EVENT_MESSAGE : 0,
        .scope = dice_pick(&dice, 3)   ? NULL
                 : dice_pick(&dice, 4) ? "main"
                                       : "none",
        .agent = dice_pick(&dice, 3) ? NULL : "agent",
        .last = dice_pick(&dice, 2) ? dice_pick(&dice, 30) : 0,
        .backward = dice_pick(&dice, 2)};
    seen got = {0}, want = expect(&it, &query);
    history_must(ck_store_read_events(it.store, &query, see, &got, &err), &err, "read events");
    wrong +=
        got.count != want.count || memcmp(got.seqs, want.seqs, got.count * sizeof *got.seqs) != 0;
  }
  tap_is_int(wrong, 0, "4,000 random queries give what a reader of all rows would give");
  seen got = {.stop_after = 3};
  history_must(
      ck_store_read_events(it.store, &(ck_event_query){.session = 1, .last = 50}, see, &got, &err),
      &err, "read");
  tap_is_int((int64_t)got.count, 3, "a visitor that has enough is not called again");
  victim_event(&it, 5)->plain_len++;
  got = (seen){0};
  ck_status status =
      ck_store_read_events(it.store, &(ck_event_query){.session = 1}, see, &got, &err);
  tap_is_status(status, CK_E_TRUNCATED, &err, "a damaged body is an error");
  tap_ok(strstr(err.text, "victim") && strstr(err.text, "event 5"),
         "which names session and event: %s", err.text);
  ck_view_clear(&view);
  victim_close(&it);
}

int main(void) {
  test_events();
  return tap_done();
}
