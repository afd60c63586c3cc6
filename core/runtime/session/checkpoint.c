/* checkpoint.c - gathers a checkpoint from a session's changed keys, and what has happened since.
 */
#include "core/runtime/session/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/session_private.h"

/* ---- since the last one ---- */

void ck_session_follow_checkpoint(ck_session *self, int64_t seq) { self->since.checkpoint = seq; }
void ck_session_mark_unclean(ck_session *self) { self->since.clean = false; }
void ck_session_mark_pruned(ck_session *self) { self->since.unpruned = 0; }

void ck_session_count_events_from(ck_session *self, int64_t seq) { self->since.seq = seq; }

void ck_session_count_from(ck_session *self, int64_t seq) {
  ck_since *since = &self->since;
  since->begun_us = self->runtime->clock.mono_us(self->runtime->clock.self);
  since->seq = seq;
  since->totals = self->spent.totals;
  since->clean = true;
}

void ck_session_mark_checkpoint(ck_session *self, int64_t seq) {
  self->since.checkpoint = seq;
  self->since.unpruned++;
  ck_session_count_from(self, seq);
}

/* ---- the checkpoint ---- */

static void write_reached(ck_json_writer *w, const ck_boundary *at, const ck_value *reached) {
  static const char *const members[] = {"node", "next", "agent"};
  const char *const own[] = {at->node, at->next.node, at->agent};
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ck_bytes before = reached ? ck_json_get(ck_value_bytes(reached), members[i]) : (ck_bytes){0};
    if (!reached)
      ck_json_member_text(w, members[i], own[i]);
    else if (ck_json_type_of(before) == CK_JSON_STRING)
      ck_json_member_raw(w, members[i], before);
  }
}

ck_status ck_checkpoint_write_info(ck_value **out, const ck_boundary *at, const ck_value *reached,
                                   ck_error *err) {
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  write_reached(&w, at, reached);
  if (at->kind == CK_BOUNDARY_FAILURE) ck_json_member_text(&w, "description", at->last_error);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

/* Shares every changed value: this is all that a checkpoint costs the flow. */
static ck_status take_changes(ck_checkpoint *to, ck_session *self, ck_error *err) {
  ck_state_entry *entries;
  size_t count;
  ck_status status = ck_state_list(&entries, &count, self->changes.keys, err);
  if (status != CK_OK) return status;
  to->changes = calloc(count ? count : 1, sizeof *to->changes);
  for (size_t i = 0; to->changes && i < count; i++) {
    to->changes[i].key = strdup(entries[i].key);
    if (!to->changes[i].key) break;
    to->changes[i].value =
        entries[i].value == self->changes.removed ? NULL : ck_value_share(entries[i].value);
    to->change_count++;
  }
  free(entries);
  return to->changes && to->change_count == count ? CK_OK : ck_error_no_memory(err);
}

ck_status ck_session_make_checkpoint(ck_checkpoint **out, ck_session *self, const ck_boundary *at,
                                     ck_error *err) {
  *out = NULL;
  ck_checkpoint *made = calloc(1, sizeof *made);
  if (!made) return ck_error_no_memory(err);
  ck_session_update_active(self);
  *made = (ck_checkpoint){.seq = at->seq,
                          .parent = self->since.checkpoint,
                          .kind = at->kind,
                          .created_ms = at->now_ms,
                          .clean = at->clean,
                          .resumable = true,
                          .totals = self->spent.totals};
  ck_id_make_checkpoint(made->id, at->now_ms);
  /* Where a session fails, the flow is at the node that it reached last. */
  const ck_value *reached = at->kind == CK_BOUNDARY_FAILURE ? self->boundaries.reached : NULL;
  ck_status status = ck_checkpoint_write_info(&made->info, at, reached, err);
  if (status == CK_OK) status = take_changes(made, self, err);
  if (status != CK_OK) {
    ck_checkpoint_free(made);
    return status;
  }
  *out = made;
  return CK_OK;
}
