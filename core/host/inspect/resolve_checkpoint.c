/* resolve_checkpoint.c - resolves a word on the command line to a checkpoint. */
#include "core/host/inspect/resolve_checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/session/short_id.h"
#include "core/store/checkpoint_list.h"

typedef struct search {
  const char *prefix;
  const ck_view *view;
  int64_t found;
  size_t count;
  ck_candidates fit;
  int64_t back; /* "@{N}": how many more of the live timeline lie behind it */
} search;

static bool look_at(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  self->count++;
  if (strncmp(checkpoint->id, self->prefix, strlen(self->prefix)) != 0 &&
      !ck_short_id_fits(checkpoint->id, self->prefix))
    return true;
  ck_candidates_add(&self->fit, checkpoint->id);
  self->found = checkpoint->seq;
  return true;
}

static bool count_down(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  if (!ck_view_contains(self->view, checkpoint->seq) || self->back-- > 0) return true;
  self->found = checkpoint->seq;
  return false;
}

/* The one so many before the latest that the live timeline sees; 0: there are fewer. */
static ck_status find_back(int64_t *seq, const ck_inspection *inspection, int64_t back,
                           ck_error *err) {
  const ck_head *head = &inspection->head;
  ck_view view;
  search s = {.view = &view, .back = back};
  int64_t session = head->session.no;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  if (status == CK_OK)
    status = ck_store_list_checkpoints_backward(inspection->store, session, 0, count_down, &s, err);
  *seq = s.found;
  ck_view_clear(&view);
  return status;
}

static bool is_seq(const char *word) {
  size_t digits = strspn(word, "0123456789");
  return digits > 0 && digits <= 18 && !word[digits];
}

static ck_status report_none(const search *self, const ck_inspection *inspection, const char *word,
                             ck_error *err) {
  const char *id = inspection->head.session.id;
  if (self->count == 0)
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s has no checkpoint", id);
  return ck_error_set(err, CK_E_NOT_FOUND,
                      "session %s has no checkpoint '%s'; " CK_RESOLVE_CHECKPOINT_HELP
                      " names one, and `ckrun sessions checkpoints %s` lists them",
                      id, word, id);
}

/* Pruned checkpoints are not listed; the whole id of one is still found. */
static bool is_pruned(const ck_inspection *inspection, const char *word) {
  ck_checkpoint_info info;
  ck_error ignored = CK_ERROR_INIT;
  if (!*word || ck_store_get_checkpoint(&info, inspection->store, inspection->head.session.no, word,
                                        0, &ignored) != CK_OK)
    return false;
  bool pruned = info.pruned;
  ck_checkpoint_info_clear(&info);
  return pruned;
}

/* No checkpoint has that seq: digits can be a part of an id, too. */
static bool is_unknown(const ck_inspection *inspection, const char *digits) {
  ck_checkpoint_info info;
  ck_error ignored = CK_ERROR_INIT;
  if (ck_store_get_checkpoint(&info, inspection->store, inspection->head.session.no, NULL,
                              strtoll(digits, NULL, 10), &ignored) != CK_OK)
    return true;
  ck_checkpoint_info_clear(&info);
  return false;
}

static bool take_first(void *to, const ck_checkpoint_info *checkpoint) {
  *(int64_t *)to = checkpoint->seq;
  return false;
}

/* Words that say which one it is: the others are not read. 0: the word is no such one. */
static ck_status find_said(int64_t *out, const ck_inspection *inspection, const char *word,
                           ck_error *err) {
  int64_t back = ck_short_id_back(word), session = inspection->head.session.no;
  *out = is_seq(word) && !is_unknown(inspection, word) ? strtoll(word, NULL, 10) : 0;
  if (back >= 0) return find_back(out, inspection, back, err);
  if (strcmp(word, "first") != 0) return CK_OK;
  return ck_store_list_checkpoints(inspection->store, session, take_first, out, err);
}

static ck_status find_begun(int64_t *out, const ck_inspection *inspection, const char *word,
                            ck_error *err) {
  const ck_session_record *session = &inspection->head.session;
  search s = {.prefix = word};
  ck_status status = ck_store_list_checkpoints(inspection->store, session->no, look_at, &s, err);
  *out = *word && s.fit.count == 1 ? s.found : 0;
  if (status != CK_OK || *out) return status;
  if (s.fit.count == 0 && is_pruned(inspection, word))
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s, checkpoint %s: it was pruned",
                        session->id, word);
  if (!*word || s.fit.count == 0) return report_none(&s, inspection, word, err);
  return ck_candidates_refuse(&s.fit, "checkpoints", word, err);
}

ck_status ck_resolve_checkpoint(ck_checkpoint_info *out, const ck_inspection *inspection,
                                const char *word, ck_error *err) {
  int64_t seq;
  *out = (ck_checkpoint_info){0};
  ck_status status = find_said(&seq, inspection, word, err);
  if (status == CK_OK && seq == 0) status = find_begun(&seq, inspection, word, err);
  if (status != CK_OK) return status;
  return ck_store_get_checkpoint(out, inspection->store, inspection->head.session.no, NULL, seq,
                                 err);
}
