/* scopes.c - finds a session's scopes by name, folded from the transcript. */
#include "core/runtime/session/scopes.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/ledger/replay_range.h"
#include "core/runtime/session/scope_events.h"
#include "core/runtime/session/session_private.h"
#include "core/runtime/session/tail/cuts.h"
#include "core/store/packer.h"

void ck_scopes_clear(ck_scopes *self) {
  for (size_t i = 0; i < self->count; i++) ck_scope_free(self->list[i]);
  free(self->list);
  ck_map_clear(&self->by_name);
  *self = (ck_scopes){0};
}

static ck_status add_scope(ck_scope **out, ck_session *self, const char *name, ck_error *err) {
  ck_scopes *scopes = &self->scopes;
  *out = NULL;
  ck_scope **list = reallocarray(scopes->list, scopes->count + 1, sizeof *list);
  if (!list) return ck_error_no_memory(err);
  scopes->list = list;
  ck_scope *made;
  ck_status status = ck_scope_new(&made, name, err);
  if (status == CK_OK)
    status = ck_map_add(&scopes->by_name, (char *)ck_scope_name(made), made, err);
  if (status != CK_OK) {
    ck_scope_free(made);
    return status;
  }
  *out = scopes->list[scopes->count++] = made;
  return CK_OK;
}

/* ---- after a resume ---- */

/* Where each scope was when it was gone on from. */
typedef struct reading {
  ck_session *session;
  ck_cuts cuts;
  ck_map untils; /* int64_t by the scopes' names: their cuts */
} reading;

/* A checkpoint holds one cut per open scope; a scope without a position of its own ends where the
 * checkpoint does. */
static int64_t until_of(void *to, const char *name) {
  const ck_session *self = to;
  return ck_replay_range_scope_cut(self->state, name, self->timeline.attempt, self->cut);
}

/* The scope of an event, and its cut, which is read once for each scope. */
static ck_status find_until(ck_scope **scope, int64_t *until, reading *self, const char *name,
                            ck_error *err) {
  int64_t *known = ck_map_get(&self->untils, name);
  ck_status status = CK_OK;
  *scope = known ? ck_map_get(&self->session->scopes.by_name, name) : NULL;
  if (!known) {
    known = malloc(sizeof *known);
    if (!known) return ck_error_no_memory(err);
    *known = until_of(self->session, name);
    status = add_scope(scope, self->session, name, err);
    if (status == CK_OK)
      status = ck_map_add(&self->untils, (char *)ck_scope_name(*scope), known, err);
    if (status != CK_OK) {
      free(known);
      return status;
    }
    ck_conversation_keep_loose(ck_scope_conversation(*scope), CK_CONVERSATION_READ);
  }
  *until = *known;
  return CK_OK;
}

static ck_status find_scope(ck_scope **out, void *to, const ck_event *event, ck_error *err) {
  reading *self = to;
  int64_t until = 0;
  ck_status status = find_until(out, &until, self, event->scope, err);
  if (status == CK_OK &&
      (event->seq > until || ck_cuts_take_back(&self->cuts, event->scope, event->seq)))
    *out = NULL;
  return status;
}

static bool knows_said(const ck_session *self) {
  return !self->sums.failed && !self->sums.untold && self->sums.until >= self->cut;
}

/* All scopes in one reading: the transcript is read once, however many there are. */
static ck_status fold_all(ck_session *self, ck_error *err) {
  reading read = {.session = self};
  ck_store *store = self->runtime->store;
  const ck_cuts_query cuts = {.session = self->record.no,
                              .view = &self->view,
                              .until = self->cut,
                              .until_of = until_of,
                              .to = self};
  const ck_scope_folding folding = {.store = store,
                                    .session = self->record.no,
                                    .view = &self->view,
                                    .until = self->cut,
                                    .within = knows_said(self) ? &self->sums.said : NULL,
                                    .find = find_scope,
                                    .to = &read,
                                    .packer = &ck_store_packer};
  ck_status status = ck_cuts_read(&read.cuts, store, &cuts, err);
  if (status == CK_OK) status = ck_scope_events_fold(&folding, err);
  for (size_t i = 0; i < read.untils.cap; i++) free(read.untils.slots[i].value);
  ck_map_clear(&read.untils);
  ck_cuts_clear(&read.cuts);
  if (status != CK_OK) ck_scopes_clear(&self->scopes);
  return status;
}

ck_status ck_session_scope(ck_scope **out, ck_session *self, const char *name, ck_error *err) {
  ck_status status = CK_OK;
  if (self->cut > 0 && !self->scopes.folded) status = fold_all(self, err);
  self->scopes.folded = status == CK_OK;
  *out = status == CK_OK ? ck_map_get(&self->scopes.by_name, name) : NULL;
  return status == CK_OK && !*out ? add_scope(out, self, name, err) : status;
}

ck_status ck_session_conversation(ck_conversation **out, ck_session *self, const char *scope,
                                  ck_error *err) {
  ck_scope *found;
  ck_status status = ck_session_scope(&found, self, scope, err);
  *out = status == CK_OK ? ck_scope_conversation(found) : NULL;
  return status;
}
