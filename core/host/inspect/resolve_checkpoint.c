/* resolve_checkpoint.c - resolves a word on the command line to a checkpoint. */
#include "core/host/inspect/resolve_checkpoint.h"

#include <stdlib.h>
#include <string.h>

/* The number of matches; the ids of two are kept for the message about an ambiguous word. */
typedef struct search {
  const char *prefix;
  int64_t first, found;
  size_t matches, count;
  char ids[2][CK_ID_SIZE];
} search;

static bool look_at(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  if (self->count++ == 0) self->first = checkpoint->seq;
  if (strncmp(checkpoint->id, self->prefix, strlen(self->prefix)) != 0) return true;
  if (self->matches < 2) memcpy(self->ids[self->matches], checkpoint->id, CK_ID_SIZE);
  self->matches++;
  self->found = checkpoint->seq;
  return true;
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

static ck_status refuse_ambiguous(const search *self, const char *word, ck_error *err) {
  return ck_error_set(
      err, CK_E_USAGE,
      "%zu checkpoints begin with '%s', such as %s and %s: a few more characters tell them apart",
      self->matches, word, self->ids[0], self->ids[1]);
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

ck_status ck_resolve_checkpoint(ck_checkpoint_info *out, const ck_inspection *inspection,
                                const char *word, ck_error *err) {
  *out = (ck_checkpoint_info){0};
  search s = {.prefix = word};
  ck_status status =
      ck_store_list_checkpoints(inspection->store, inspection->head.session.no, look_at, &s, err);
  if (status != CK_OK) return status;
  int64_t seq = s.matches == 1 ? s.found : 0;
  if (strcmp(word, "latest") == 0 && inspection->head.has_checkpoint)
    seq = inspection->head.checkpoint.seq;
  if (strcmp(word, "first") == 0) seq = s.first;
  if (is_seq(word)) seq = strtoll(word, NULL, 10);
  if (seq == 0 && s.matches == 0 && is_pruned(inspection, word))
    return ck_error_set(err, CK_E_NOT_FOUND, "session %s, checkpoint %s: it was pruned",
                        inspection->head.session.id, word);
  if (!*word || (seq == 0 && s.matches == 0)) return report_none(&s, inspection, word, err);
  if (seq == 0) return refuse_ambiguous(&s, word, err);
  ck_error absent = CK_ERROR_INIT;
  status = ck_store_get_checkpoint(out, inspection->store, inspection->head.session.no, NULL, seq,
                                   &absent);
  if (status == CK_E_NOT_FOUND) return report_none(&s, inspection, word, err);
  return status == CK_OK ? CK_OK : ck_error_set(err, status, "%s", absent.text);
}
