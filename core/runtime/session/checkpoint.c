/* checkpoint.c - gathers a checkpoint from a session's changed keys, and what has happened since.
 */
#include "core/runtime/session/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/description.h"
#include "core/runtime/session/session_private.h"

/* ---- since the last one ---- */

void ck_session_follow_checkpoint(ck_session *self, int64_t seq) { self->since.checkpoint = seq; }
void ck_session_mark_pruned(ck_session *self) { self->since.unpruned = 0; }

void ck_session_count_events_from(ck_session *self, int64_t seq) { self->since.seq = seq; }

void ck_session_count_from(ck_session *self, int64_t seq) {
  ck_since *since = &self->since;
  since->begun_us = self->runtime->clock.mono_us(self->runtime->clock.self);
  since->seq = seq;
  since->totals = self->spent.totals;
  since->boundaries = since->iterations = 0;
}

void ck_session_count_boundary(ck_session *self, ck_boundary_kind kind) {
  ck_boundary_count counted = ck_boundary_kind_counted(kind);
  self->since.boundaries += counted != CK_COUNT_NONE;
  self->since.iterations += counted == CK_COUNT_ITERATION;
}

void ck_session_mark_checkpoint(ck_session *self, int64_t seq) {
  self->since.checkpoint = seq;
  self->since.unpruned++;
  ck_session_count_from(self, seq);
}

/* ---- the checkpoint ---- */

/* A boundary that lies at no node of its own is described by where the main scope was last. */
typedef struct place {
  char *texts[3]; /* node, next, agent; NULL: none; owned */
} place;

static const char *const place_members[] = {"node", "next", "agent"};
enum { PLACE_NODE, PLACE_NEXT, PLACE_AGENT, PLACE_MEMBERS };

static void clear_place(place *self) {
  for (size_t i = 0; i < PLACE_MEMBERS; i++) free(self->texts[i]);
}

static ck_status read_place(place *out, const ck_session *self, const ck_boundary *at,
                            ck_error *err) {
  bool always = ck_boundary_kind_always(at->kind), failed = false;
  const char *const own[] = {at->node, at->next.node, at->agent};
  const ck_value *reached = self->boundaries.reached;
  bool placed = at->node || !always || !reached;
  *out = (place){0};
  for (size_t i = 0; i < PLACE_MEMBERS; i++) {
    ck_bytes before =
        placed ? (ck_bytes){0} : ck_json_get(ck_value_bytes(reached), place_members[i]);
    bool is_text = ck_json_type_of(before) == CK_JSON_STRING;
    const char *text = placed ? own[i] : NULL;
    if (text) out->texts[i] = strdup(text);
    if (is_text) out->texts[i] = ck_json_dup_string(before);
    failed |= (text || is_text) && !out->texts[i];
  }
  if (failed) clear_place(out);
  return failed ? ck_error_no_memory(err) : CK_OK;
}

static void write_members(ck_json_writer *w, const char *const texts[]) {
  for (size_t i = 0; i < PLACE_MEMBERS; i++) ck_json_member_text(w, place_members[i], texts[i]);
}

ck_status ck_checkpoint_write_place(ck_value **out, const ck_boundary *at, ck_error *err) {
  const char *const own[] = {at->node, at->next.node, at->agent};
  ck_buffer buffer = {0};
  ck_json_writer w = {.out = &buffer};
  ck_json_begin(&w, '{');
  write_members(&w, own);
  ck_json_end(&w, '}');
  ck_status status = ck_value_from(out, &buffer, err);
  ck_buffer_clear(&buffer);
  return status;
}

static void describe(ck_buffer *out, const ck_boundary *at, const place *where) {
  const ck_described what = {.kind = at->kind,
                             .node = where->texts[PLACE_NODE],
                             .next = where->texts[PLACE_NEXT],
                             .tool = at->next.tool,
                             .agent = where->texts[PLACE_AGENT],
                             .error = at->last_error,
                             .reason = at->reason,
                             .number = at->number,
                             .of = at->of};
  if (at->description)
    ck_buffer_append_text(out, at->description);
  else
    ck_description_append(out, &what);
}

static ck_status write_info(ck_value **out, ck_session *self, const ck_boundary *at,
                            const ck_value *reasons, ck_error *err) {
  place where;
  ck_buffer text = {0}, words = {0};
  ck_json_writer w = {.out = &text};
  ck_status status = read_place(&where, self, at, err);
  if (status != CK_OK) return status;
  describe(&words, at, &where);
  ck_json_begin(&w, '{');
  write_members(&w, (const char *const *)where.texts);
  ck_json_member_text(&w, "tool", at->next.tool);
  ck_json_member_string(&w, "description", ck_buffer_bytes(&words));
  if (reasons) ck_json_member_raw(&w, "reasons", ck_value_bytes(reasons));
  ck_incidents_write(&self->incidents, &w);
  ck_json_end(&w, '}');
  ck_value *info = NULL;
  status = ck_buffer_check(&words, err);
  if (status == CK_OK) status = ck_value_from(&info, &text, err);
  if (status == CK_OK)
    status = ck_session_redact(out, self, CK_EVENT_BOUNDARY, at->agent, info, err);
  ck_value_free(info);
  ck_buffer_clear(&words);
  ck_buffer_clear(&text);
  clear_place(&where);
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
                                     const ck_value *reasons, ck_error *err) {
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
  ck_status status = write_info(&made->info, self, at, reasons, err);
  if (status == CK_OK) status = ck_session_put_sums(&made->info, self, at->seq, err);
  if (status == CK_OK) status = take_changes(made, self, err);
  if (status != CK_OK) {
    ck_checkpoint_free(made);
    return status;
  }
  *out = made;
  return CK_OK;
}
