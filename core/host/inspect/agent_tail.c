/* agent_tail.c - reads the tail of one agent of a stored session, as a resume would give it. */
#include "core/host/inspect/agent_tail.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/inspect/snapshot.h"
#include "core/base/suggest.h"
#include "core/host/session/profile_secrets.h"
#include "core/host/session/fields.h"
#include "core/runtime/session/opening/select.h"

enum { DEPTH_DEFAULT = 50, NAMES_MAX = 8, LOOK_BACK = 2000 };

void ck_agent_tail_clear(ck_agent_tail *self) { ck_tail_clear(&self->tail); }

static int64_t depth_of(const ck_profile *profile, const ck_agent_tail_options *options) {
  const ck_profile_agent *agent = profile ? ck_profile_get_agent(profile, options->agent) : NULL;
  if (options->last >= 0) return options->last;
  if (agent && agent->replay_depth >= 0) return agent->replay_depth;
  return profile ? profile->replay_depth : DEPTH_DEFAULT;
}

/* A stopped session resumes from a checkpoint, or its flow begins anew when there is none: events
 * behind that point are in the tail only as far as they are not repeated. */
static ck_status find_cut(ck_tail_query *query, ck_state **state, const ck_inspection *inspection,
                          ck_error *err) {
  const ck_head *head = &inspection->head;
  *state = NULL;
  if (inspection->live || !ck_session_status_resumable(head->session.status)) return CK_OK;
  ck_checkpoint_info from;
  ck_status status = ck_select_checkpoint(&from, inspection->store, head, &(ck_choice){0}, err);
  query->cut = from.seq ? from.seq : head->session.flow ? 1 : 0;
  query->attempt = ck_next_attempt(head, from.seq, false);
  ck_error unreadable = CK_ERROR_INIT; /* a damaged one keeps nobody from the transcript */
  if (status == CK_OK && from.seq &&
      ck_store_get_state(state, inspection->store, head->session.no, from.seq, &unreadable) !=
          CK_OK)
    *state = NULL;
  ck_checkpoint_info_clear(&from);
  return status;
}

static ck_status read_tail(ck_agent_tail *out, const ck_inspection *inspection,
                           const ck_policy_engine *policies, ck_error *err) {
  const ck_head *head = &inspection->head;
  ck_view view;
  ck_state *state = NULL;
  ck_status status =
      ck_view_make(&view, head->timelines, head->timeline_count, head->session.timeline, err);
  ck_tail_query query = {.session = head->session.no,
                         .view = &view,
                         .agent = out->agent,
                         .policies = policies,
                         .n = out->depth > 0 ? (size_t)out->depth : 0};
  if (status == CK_OK) status = find_cut(&query, &state, inspection, err);
  query.state = state;
  if (status == CK_OK) status = ck_tail_read(&out->tail, inspection->store, &query, err);
  ck_view_clear(&view);
  ck_state_free(state);
  return status;
}

ck_status ck_agent_tail_read(ck_agent_tail *out, const ck_inspection *inspection, ck_output *output,
                             const ck_agent_tail_options *options, ck_error *err) {
  const ck_session_record *session = &inspection->head.session;
  ck_profile *profile = NULL;
  ck_policy_engine policies = {0};
  *out = (ck_agent_tail){.session = session->id, .agent = options->agent};
  ck_status status = ck_profile_secrets_hide(output, inspection->store, session->id, err);
  if (status == CK_OK)
    status = ck_snapshot_load_profile(&profile, &policies, inspection, options->profile, err);
  out->depth = depth_of(profile, options);
  if (status == CK_OK) status = read_tail(out, inspection, profile ? &policies : NULL, err);
  if (policies.free) policies.free(policies.self);
  ck_profile_free(profile);
  return status;
}

ck_status ck_agent_tail_put(ck_document *document, struct cJSON *at, const ck_agent_tail *self,
                            ck_bytes section, ck_error *err) {
  ck_value *text = NULL;
  ck_status status = ck_value_text(&text, section, err);
  if (status != CK_OK) return status;
  ck_document_put_text(document, at, "session", self->session);
  ck_document_put_text(document, at, "agent", self->agent);
  ck_document_put_int(document, at, "depth", self->depth);
  ck_document_put_value(document, at, "section", text);
  struct cJSON *events = ck_document_put_array(document, at, "events");
  for (size_t i = 0; i < self->tail.count; i++)
    ck_fields_put_event(document, ck_document_put_object(document, events, NULL),
                        self->tail.events[i]);
  ck_value_free(text);
  return CK_OK;
}

/* ---- an agent that took part in nothing ---- */

typedef struct names {
  char *list[NAMES_MAX];
  size_t count, seen;
} names;

static bool take_name(void *to, const ck_event *event) {
  names *self = to;
  bool known = !event->agent;
  for (size_t i = 0; i < self->count && !known; i++)
    known = strcmp(self->list[i], event->agent) == 0;
  if (!known && (self->list[self->count] = strdup(event->agent))) self->count++;
  return self->count < NAMES_MAX && ++self->seen < LOOK_BACK;
}

static ck_status refuse(const ck_inspection *inspection, const char *agent, ck_error *err) {
  names near = {0};
  ck_buffer list = {0};
  ck_suggestion meant = {.typed = agent};
  const char *id = inspection->head.session.id;
  ck_event_query newest = {.session = inspection->head.session.no, .backward = true};
  ck_status status = ck_store_read_events(inspection->store, &newest, take_name, &near, err);
  for (size_t i = 0; i < near.count; i++) {
    ck_buffer_append_format(&list, "%s%s", i ? ", " : "; its agents: ", near.list[i]);
    ck_suggestion_check(&meant, near.list[i]);
  }
  if (status == CK_OK) status = ck_buffer_check(&list, err);
  if (status == CK_OK)
    status = ck_error_set(err, CK_E_NOT_FOUND, "session %s has no agent '%s'%s%s%s%s", id, agent,
                          meant.best ? "; did you mean '" : "", meant.best ? meant.best : "",
                          meant.best ? "'?" : "", list.data ? list.data : "");
  for (size_t i = 0; i < near.count; i++) free(near.list[i]);
  ck_buffer_clear(&list);
  return status;
}

ck_status ck_agent_tail_check_agent(const ck_inspection *inspection, const char *agent,
                                    ck_error *err) {
  bool involved;
  ck_status status =
      ck_tail_find_agent(&involved, inspection->store, inspection->head.session.no, agent, err);
  return status == CK_OK && !involved ? refuse(inspection, agent, err) : status;
}
