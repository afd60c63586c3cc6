/* compare.c - reads two checkpoints, and the events that only one of them covers. */
#include "core/host/inspect/compare.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/host/inspect/resolve_checkpoint.h"

static void clear_side(ck_compare_side *self) {
  for (size_t i = 0; i < self->node_count; i++) {
    free(self->nodes[i].name);
    free(self->nodes[i].scope);
  }
  free(self->nodes);
  free(self->entries);
  ck_state_free(self->state);
  ck_view_clear(&self->view);
  ck_checkpoint_info_clear(&self->checkpoint);
}

void ck_compare_clear(ck_compare *self) {
  clear_side(&self->from);
  clear_side(&self->to);
  *self = (ck_compare){0};
}

/* ---- states ---- */

static ck_status put_redacted(ck_state *to, ck_redactor *redactor, const ck_state_entry *entry,
                              ck_error *err) {
  ck_value *kept = NULL;
  ck_status status =
      ck_redactor_apply(&kept, redactor, CK_SINK_EXPORT, entry->key, entry->value, err);
  if (status == CK_OK && kept) status = ck_state_put(to, entry->key, kept, err);
  ck_value_free(kept);
  return status;
}

static ck_status redact_state(ck_state **out, const ck_state *whole, ck_redactor *redactor,
                              ck_error *err) {
  ck_state_entry *entries = NULL;
  size_t count = 0;
  ck_status status = ck_state_new(out, err);
  if (status == CK_OK) status = ck_state_list(&entries, &count, whole, err);
  for (size_t i = 0; status == CK_OK && i < count; i++)
    status = put_redacted(*out, redactor, &entries[i], err);
  free(entries);
  return status;
}

static ck_status read_side(ck_compare_side *out, ck_inspection *inspection, ck_redactor *redactor,
                           const char *word, ck_error *err) {
  const ck_head *head = &inspection->head;
  ck_state *whole = NULL;
  ck_status status = ck_resolve_checkpoint(&out->checkpoint, inspection, word, err);
  if (status == CK_OK)
    status =
        ck_store_get_state(&whole, inspection->store, head->session.no, out->checkpoint.seq, err);
  if (status == CK_OK) status = redact_state(&out->state, whole, redactor, err);
  if (status == CK_OK) status = ck_state_list(&out->entries, &out->entry_count, out->state, err);
  if (status == CK_OK)
    status = ck_view_make(&out->view, head->timelines, head->timeline_count,
                          out->checkpoint.timeline, err);
  ck_state_free(whole);
  return status;
}

/* ---- events ---- */

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* Timelines are a tree: two views that have parted never meet again. */
static int64_t common_end(const ck_compare_side *a, const ck_compare_side *b) {
  int64_t end = 0;
  for (size_t i = 0; i < a->view.count && i < b->view.count; i++) {
    ck_range one = a->view.ranges[i], other = b->view.ranges[i];
    one.last = lesser(one.last, a->checkpoint.seq);
    other.last = lesser(other.last, b->checkpoint.seq);
    if (one.first != other.first || one.last < one.first || other.last < other.first) break;
    end = lesser(one.last, other.last);
    if (one.last != other.last) break;
  }
  return end;
}

static bool is_completion(ck_boundary_kind kind) {
  return kind == CK_BOUNDARY_NODE_COMPLETE || kind == CK_BOUNDARY_STEP_COMPLETE ||
         kind == CK_BOUNDARY_ROUND_COMPLETE;
}

typedef struct counting {
  ck_compare_side *side;
  ck_status status;
  ck_error *err;
} counting;

/* NULL stays NULL; false: no memory. */
static bool copy_member(char **out, ck_bytes value) {
  *out = ck_json_type_of(value) == CK_JSON_STRING ? ck_json_dup_string(value) : NULL;
  return *out || ck_json_type_of(value) != CK_JSON_STRING;
}

static ck_status add_node(ck_compare_side *self, const ck_event *event, ck_boundary_kind kind,
                          ck_error *err) {
  ck_compare_node *grown =
      ck_array_grow(self->nodes, self->node_count, &self->node_cap, sizeof *grown);
  if (!grown) return ck_error_no_memory(err);
  self->nodes = grown;
  ck_compare_node *node = &self->nodes[self->node_count++];
  *node = (ck_compare_node){.kind = kind, .seq = event->seq, .scope = strdup(event->scope)};
  bool copied = copy_member(&node->name, ck_json_get(ck_value_bytes(event->body), "node"));
  return copied && node->scope ? CK_OK : ck_error_no_memory(err);
}

static bool count_event(void *to, const ck_event *event) {
  counting *self = to;
  if ((unsigned)event->kind < CK_COMPARE_KINDS) self->side->events[event->kind]++;
  if (event->kind != CK_EVENT_BOUNDARY) return true;
  char *name = NULL;
  if (!copy_member(&name, ck_json_get(ck_value_bytes(event->body), "kind")))
    self->status = ck_error_no_memory(self->err);
  ck_boundary_kind kind = name ? ck_boundary_kind_of(name) : 0;
  free(name);
  if (self->status == CK_OK && is_completion(kind))
    self->status = add_node(self->side, event, kind, self->err);
  return self->status == CK_OK;
}

static ck_status count_events(ck_compare_side *side, const ck_inspection *inspection,
                              int64_t common, ck_error *err) {
  if (side->checkpoint.seq <= common) return CK_OK;
  counting c = {.side = side, .err = err};
  ck_event_query query = {.session = inspection->head.session.no,
                          .view = &side->view,
                          .after = common,
                          .until = side->checkpoint.seq};
  ck_status status = ck_store_read_events(inspection->store, &query, count_event, &c, err);
  return status == CK_OK ? c.status : status;
}

ck_status ck_compare_read(ck_compare *out, ck_inspection *inspection, ck_redactor *redactor,
                          const char *from, const char *to, ck_error *err) {
  *out = (ck_compare){0};
  ck_status status = read_side(&out->from, inspection, redactor, from, err);
  if (status == CK_OK) status = read_side(&out->to, inspection, redactor, to, err);
  if (status != CK_OK) return status;
  out->common = common_end(&out->from, &out->to);
  status = count_events(&out->from, inspection, out->common, err);
  return status == CK_OK ? count_events(&out->to, inspection, out->common, err) : status;
}

void ck_compare_visit_keys(const ck_compare *self, ck_compare_visit visit, void *to) {
  const ck_compare_side *a = &self->from, *b = &self->to;
  size_t i = 0, j = 0;
  while (i < a->entry_count || j < b->entry_count) {
    const ck_state_entry *old = i < a->entry_count ? &a->entries[i] : NULL;
    const ck_state_entry *now = j < b->entry_count ? &b->entries[j] : NULL;
    int order = !old ? 1 : !now ? -1 : strcmp(old->key, now->key);
    i += order <= 0;
    j += order >= 0;
    bool same =
        order == 0 && ck_bytes_equal(ck_value_bytes(old->value), ck_value_bytes(now->value));
    if (!same) visit(to, order <= 0 ? old : NULL, order >= 0 ? now : NULL);
  }
}
