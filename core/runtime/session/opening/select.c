/* select.c - finds the checkpoint of an id, or the latest in view that is fit. */
#include "core/runtime/session/opening/select.h"

#include "core/model/description.h"

typedef struct search {
  const ck_view *view;
  const ck_choice *choice;
  bool unclean; /* one before was: in sessions of earlier versions the next can say otherwise */
  int64_t found;
} search;

static bool is_fit(const ck_choice *choice, const ck_checkpoint_info *checkpoint) {
  bool early = !choice->before || checkpoint->seq < choice->before;
  return early && checkpoint->resumable && (checkpoint->clean || !choice->clean);
}

static bool take_fit(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  if (!ck_view_contains(self->view, checkpoint->seq)) return true;
  self->unclean |= !checkpoint->clean;
  if (is_fit(self->choice, checkpoint)) self->found = checkpoint->seq;
  return !self->choice->clean || !self->unclean;
}

/* 0 when there is none. Nearly always it is the head's. */
static ck_status find_latest(int64_t *out, ck_store *store, const ck_head *head,
                             const ck_choice *choice, ck_error *err) {
  *out = 0;
  if (!head->has_checkpoint) return CK_OK;
  *out = head->checkpoint.seq;
  bool told = !choice->clean || ck_description_is_stored(head->checkpoint.info);
  if (told && is_fit(choice, &head->checkpoint)) return CK_OK;
  ck_view view;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  if (status != CK_OK) return status;
  search s = {.view = &view, .choice = choice};
  status = ck_store_list_checkpoints(store, head->session.no, take_fit, &s, err);
  ck_view_clear(&view);
  *out = s.found;
  return status;
}

ck_status ck_select_checkpoint(ck_checkpoint_info *out, ck_store *store, const ck_head *head,
                               const ck_choice *choice, ck_error *err) {
  int64_t seq = 0;
  *out = (ck_checkpoint_info){0};
  ck_status status = choice->id ? CK_OK : find_latest(&seq, store, head, choice, err);
  if (status != CK_OK || (!choice->id && seq == 0)) return status;
  return ck_store_get_checkpoint(out, store, head->session.no, choice->id, seq, err);
}

static const ck_timeline *find_timeline(const ck_head *head, int64_t no) {
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == no) return &head->timelines[i];
  return NULL;
}

static uint32_t highest_attempt(const ck_head *head) {
  uint32_t highest = 1;
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].attempt > highest) highest = head->timelines[i].attempt;
  return highest;
}

uint32_t ck_next_attempt(const ck_head *head, int64_t from, bool edited) {
  int64_t latest = head->has_checkpoint ? head->checkpoint.seq : 0;
  bool rises = head->session.status == CK_SESSION_FAILED || from != latest || edited;
  const ck_timeline *live = find_timeline(head, head->session.timeline);
  if (rises) return highest_attempt(head) + 1;
  return live ? live->attempt : 1;
}
