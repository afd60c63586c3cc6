/* incidents.c - counts retries and failures, and carries them from checkpoint to checkpoint. */
#include "core/runtime/session/incidents.h"

#include <stdlib.h>
#include <string.h>

#include "core/model/description.h"
#include "core/runtime/session/checkpoint.h"
#include "core/runtime/session/session_private.h"

void ck_incidents_clear(ck_incidents *self) {
  for (size_t i = 0; i < self->node_count; i++) free(self->nodes[i]);
  free(self->nodes);
  *self = (ck_incidents){0};
}

static ck_status add_node(ck_incidents *self, const char *node, ck_error *err) {
  for (size_t i = 0; i < self->node_count; i++)
    if (strcmp(self->nodes[i], node) == 0) return CK_OK;
  if (self->node_count == CK_INCIDENT_NODES_MAX) return CK_OK;
  char **nodes = realloc(self->nodes, (self->node_count + 1) * sizeof *nodes);
  if (!nodes) return ck_error_no_memory(err);
  self->nodes = nodes;
  nodes[self->node_count] = strdup(node);
  if (!nodes[self->node_count]) return ck_error_no_memory(err);
  self->node_count++;
  return CK_OK;
}

void ck_session_mark_unclean(ck_session *self) { self->incidents.happened = true; }

ck_status ck_session_count_failure(ck_session *self, const char *node, ck_error *err) {
  self->incidents.happened = true;
  return node ? add_node(&self->incidents, node, err) : CK_OK;
}

void ck_session_count_retry(ck_session *self) {
  self->incidents.happened = true;
  self->incidents.retries++;
}

void ck_incidents_write(const ck_incidents *self, ck_json_writer *w) {
  if (self->retries) ck_json_member_int(w, "retries", self->retries);
  if (self->node_count == 0) return;
  ck_json_name(w, "failed");
  ck_json_begin(w, '[');
  for (size_t i = 0; i < self->node_count; i++) ck_json_put_text(w, self->nodes[i]);
  ck_json_end(w, ']');
}

/* ---- after a resume ---- */

static ck_status read_nodes(ck_incidents *self, ck_bytes failed, ck_error *err) {
  ck_status status = CK_OK;
  if (ck_json_type_of(failed) != CK_JSON_ARRAY) return CK_OK;
  for (ck_json_iterator it = ck_json_iterate(failed); status == CK_OK && ck_json_next(&it);) {
    if (ck_json_type_of(it.value) != CK_JSON_STRING) continue;
    char *node = ck_json_dup_string(it.value);
    status = node ? add_node(self, node, err) : ck_error_no_memory(err);
    free(node);
  }
  return status;
}

typedef struct search {
  const ck_view *view;
  int64_t until;
  bool found;
} search;

static bool find_unclean(void *to, const ck_checkpoint_info *checkpoint) {
  search *self = to;
  bool before = checkpoint->seq < self->until && ck_view_contains(self->view, checkpoint->seq);
  self->found |= before && !checkpoint->clean;
  return !self->found && checkpoint->seq < self->until;
}

/* Versions that described no checkpoint marked one as unclean for what had happened since the one
 * before it. */
static ck_status find_earlier(ck_session *self, const ck_head *head, int64_t until, ck_error *err) {
  search s = {.view = &self->view, .until = until};
  ck_status status =
      ck_store_list_checkpoints(self->runtime->store, head->session.no, find_unclean, &s, err);
  self->incidents.happened |= s.found;
  return status;
}

ck_status ck_session_load_incidents(ck_session *self, const ck_head *head,
                                    const ck_checkpoint_info *from, ck_error *err) {
  ck_incidents_clear(&self->incidents);
  if (!from->seq) return CK_OK;
  ck_bytes info = from->info ? ck_value_bytes(from->info) : (ck_bytes){0};
  self->incidents.happened = !from->clean;
  ck_json_read_int(&self->incidents.retries, ck_json_get(info, "retries"));
  ck_status status = read_nodes(&self->incidents, ck_json_get(info, "failed"), err);
  return status == CK_OK && from->clean && !ck_description_is_stored(from->info)
             ? find_earlier(self, head, from->seq, err)
             : status;
}
