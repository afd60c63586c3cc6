/* rewind.c - goes back to a checkpoint with a report for the conversations that are cut, and undoes
 * such a step. */
#include "core/runtime/history/rewind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/history/history_edit_private.h"

static bool is_blank(const char *text) { return text[strspn(text, " \t\r\n")] == '\0'; }

ck_status ck_session_rewind(ck_history_edit_result *out, ck_runtime *runtime, const char *id,
                            const ck_history_edit_options *options, ck_error *err) {
  *out = (ck_history_edit_result){0};
  ck_history_edit_result made = {0};
  ck_history_edit self = {0};
  if (!options->report || is_blank(options->report))
    return ck_error_set(err, CK_E_USAGE, "Report cannot be empty.");
  ck_status status = ck_history_edit_open(&self, runtime, id, "rewound", err);
  if (status == CK_OK) status = ck_history_edit_begin(&self, options, err);
  if (status == CK_OK) status = ck_history_edit_announce(&self, CK_EVENT_SESSION_REWOUND, 0, err);
  if (status == CK_OK) status = ck_history_edit_add_report(&made, &self, options, err);
  if (status == CK_OK) status = ck_history_edit_commit(out, &self, NULL, "rewound", err);
  if (status == CK_OK) memcpy(out->reported, made.reported, sizeof out->reported);
  ck_history_edit_close(&self);
  return status;
}

/* ---- undo ---- */

typedef struct search {
  const ck_view *view;
  int64_t until; /* only below this seq */
  int64_t found;
  char id[CK_ID_SIZE];
} search;

static bool find_tip(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  if (checkpoint->seq >= self->until) return false;
  if (!checkpoint->resumable || !ck_view_contains(self->view, checkpoint->seq)) return true;
  self->found = checkpoint->seq;
  memcpy(self->id, checkpoint->id, sizeof self->id);
  return true;
}

/* The last checkpoint that the timeline before saw when this one began. Only one timeline is live
 * at a time: the one before has the number before. */
static ck_status find_left(search *out, const ck_history_edit *self, const ck_timeline *timeline,
                           ck_error *err) {
  ck_view view;
  const ck_head *head = &self->head;
  *out = (search){.until = timeline->begin};
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, timeline->no - 1, err);
  if (status != CK_OK) return status;
  out->view = &view;
  status = ck_store_list_checkpoints(self->runtime->store, head->session.no, find_tip, out, err);
  ck_view_clear(&view);
  out->view = NULL;
  return status;
}

static bool read_kind(void *to, const ck_event *event) {
  *(ck_event_kind *)to = event->kind;
  return false;
}

/* Whether a person began the timeline: a history edit can go back to the last checkpoint, too. */
static ck_status is_by_person(bool *out, const ck_history_edit *self, const ck_timeline *timeline,
                              ck_error *err) {
  ck_event_kind kind = 0;
  ck_event_query query = {
      .session = self->head.session.no, .after = timeline->begin - 1, .until = timeline->begin};
  ck_status status = ck_store_read_events(self->runtime->store, &query, read_kind, &kind, err);
  *out = kind == CK_EVENT_SESSION_REWOUND || kind == CK_EVENT_SESSION_UNDONE;
  return status;
}

/* From the live timeline back: the first one that went on from another checkpoint than the last one
 * there was, or that a person began. */
static ck_status find_undoable(search *out, int64_t *undone, const ck_history_edit *self,
                               ck_error *err) {
  const ck_head *head = &self->head;
  *undone = 0;
  for (size_t i = head->timeline_count; i-- > 1;) {
    const ck_timeline *timeline = &head->timelines[i];
    if (timeline->session || head->timelines[i - 1].session)
      break; /* where a fork begins, or before it */
    bool by_person;
    ck_status status = find_left(out, self, timeline, err);
    if (status == CK_OK) status = is_by_person(&by_person, self, timeline, err);
    if (status != CK_OK) return status;
    if (out->found == 0 || (out->found == timeline->checkpoint && !by_person)) continue;
    *undone = timeline->no;
    return CK_OK;
  }
  return ck_error_set(
      err, CK_E_REFUSED,
      "session %s has nothing to undo: it was neither rewound nor resumed from an older checkpoint",
      head->session.id);
}

ck_status ck_session_undo(ck_history_edit_result *out, ck_runtime *runtime, const char *id,
                          ck_error *err) {
  *out = (ck_history_edit_result){0};
  ck_history_edit self = {0};
  search tip;
  int64_t undone;
  ck_status status = ck_history_edit_open(&self, runtime, id, "set back", err);
  if (status == CK_OK) status = find_undoable(&tip, &undone, &self, err);
  if (status == CK_OK)
    status = ck_history_edit_begin(&self, &(ck_history_edit_options){.checkpoint = tip.id}, err);
  if (status == CK_OK)
    status = ck_history_edit_announce(&self, CK_EVENT_SESSION_UNDONE, undone, err);
  if (status == CK_OK) status = ck_history_edit_commit(out, &self, NULL, "undone", err);
  ck_history_edit_close(&self);
  return status;
}
