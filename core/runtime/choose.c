/* choose.c - the given checkpoint, or the latest resumable one in view. */
#include "core/runtime/choose.h"

typedef struct search {
  const ck_view *view;
  int64_t found;
} search;

static bool find_resumable(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  if (checkpoint->resumable && ck_view_contains(self->view, checkpoint->seq)) self->found = checkpoint->seq;
  return true;
}

/* The latest resumable one that the live timeline sees; 0 when there is none. */
static ck_status find_latest(int64_t *out, ck_store *store, const ck_head *head, ck_error *err) {
  *out = 0;
  if (!head->has_checkpoint) return CK_OK;
  *out = head->checkpoint.seq;
  if (head->checkpoint.resumable) return CK_OK;
  ck_view view;
  ck_status status = ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  if (status != CK_OK) return status;
  search s = {.view = &view};
  status = ck_store_list_checkpoints(store, head->session.no, find_resumable, &s, err);
  ck_view_clear(&view);
  *out = s.found;
  return status;
}

ck_status ck_choose_checkpoint(ck_checkpoint_info *out, ck_store *store, const ck_head *head, const char *id, ck_error *err) {
  int64_t seq = 0;
  *out = (ck_checkpoint_info){0};
  ck_status status = id ? CK_OK : find_latest(&seq, store, head, err);
  if (status != CK_OK || (!id && seq == 0)) return status;
  return ck_store_get_checkpoint(out, store, head->session.no, id, seq, err);
}
