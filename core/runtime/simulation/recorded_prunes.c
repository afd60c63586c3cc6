/* recorded_prunes.c - reads what a store tells of prunes besides the events of boundaries. */
#include "core/runtime/simulation/recorded_prunes.h"

#include <string.h>

const ck_timeline *ck_recorded_timeline(const ck_head *head, int64_t no) {
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == no) return &head->timelines[i];
  return NULL;
}

ck_status ck_recorded_prune_rules(ck_prune_rules *out, ck_store *store, const ck_head *head,
                                  int64_t timeline, ck_error *err) {
  ck_value *about = NULL;
  const ck_timeline *of = ck_recorded_timeline(head, timeline);
  *out = (ck_prune_rules){0};
  if (!of) return CK_OK;
  int64_t owner = of->session ? of->session : head->session.no;
  ck_status status = ck_store_get_about(&about, store, owner, of->no, err);
  if (status == CK_OK && about) *out = ck_prune_rules_read(ck_value_bytes(about));
  ck_value_free(about);
  return status;
}

bool ck_recorded_prune_was_asked(const ck_event *event) {
  ck_answers answers;
  ck_bytes rest = event->decision;
  bool asked = false;
  while (ck_answers_decode(&answers, &rest, NULL) == CK_OK)
    for (int i = 0; answers.hook == CK_HOOK_PRUNE && i < CK_ANSWER_COUNT; i++)
      asked |= answers.policies[i] != 0;
  return asked;
}

bool ck_recorded_prune_is_own(const ck_event *event) {
  return ck_recorded_prune_was_asked(event) &&
         !ck_json_get(ck_value_bytes(event->body), "policies").len;
}

bool ck_recorded_is_edit(const ck_event *event) {
  return event->kind == CK_EVENT_SESSION_REWOUND || event->kind == CK_EVENT_SESSION_UNDONE;
}

/* ---- places ---- */

/* Whose place a run begins at that goes on from the checkpoint; SIZE_MAX: none. */
static size_t find_place(const ck_recording *self, size_t before, int64_t checkpoint) {
  for (size_t i = before; checkpoint && i-- > 0;)
    if (self->boundaries[i].at.seq == checkpoint) return self->boundaries[i].place;
  return SIZE_MAX;
}

/* One that lies at no node of its own is said to be where the main scope was last, as in
 * core/runtime/session/checkpoint.c. */
static void find_places(ck_recording *self, const ck_head *head) {
  size_t reached = SIZE_MAX;
  int64_t timeline = 0;
  for (size_t i = 0; i < self->boundary_count; i++) {
    ck_recorded_boundary *of = &self->boundaries[i];
    const ck_timeline *run = ck_recorded_timeline(head, of->timeline);
    bool always = ck_boundary_kind_always(of->at.kind);
    if (of->timeline != timeline) reached = find_place(self, i, run ? run->checkpoint : 0);
    timeline = of->timeline;
    of->place = of->at.node || !always || reached == SIZE_MAX ? i : reached;
    if (!always && (!of->at.scope || strcmp(of->at.scope, "main") == 0)) reached = i;
  }
}

ck_status ck_recorded_prunes_read(ck_recording *self, ck_store *store, const ck_head *head,
                                  ck_error *err) {
  ck_prune_rules rules = {0};
  int64_t timeline = 0;
  ck_status status = ck_protected_read(&self->protected, store, head, err);
  const ck_timeline *of = NULL;
  for (size_t i = 0; status == CK_OK && i < self->boundary_count; i++) {
    ck_recorded_boundary *boundary = &self->boundaries[i];
    if (boundary->timeline != timeline)
      status = ck_recorded_prune_rules(&rules, store, head, boundary->timeline, err);
    if (boundary->timeline != timeline) of = ck_recorded_timeline(head, boundary->timeline);
    timeline = boundary->timeline;
    boundary->inherited = of && of->session;
    boundary->prunes = rules;
  }
  find_places(self, head);
  const ck_value *input = head->session.input;
  self->imported = strcmp(head->session.profile ? head->session.profile : "", "imported") == 0 &&
                   input && ck_json_get(ck_value_bytes(input), "import").len > 0;
  return status;
}
