/* said.c - puts together who said what: the bits of the event's decision, the list of the run's
 * policies, and the reasons in the event's body. */
#include "core/host/explain/said.h"

bool ck_said_is_yes(const ck_said *self) {
  return self->answer == CK_ANSWER_YES || self->answer == CK_ANSWER_SYNC;
}

bool ck_said_has_namesakes(ck_bytes policy, ck_bytes policies) {
  int count = 0;
  ck_bytes name = ck_json_get(policy, "name");
  if (ck_json_type_of(policies) != CK_JSON_ARRAY || !name.len) return false;
  for (ck_json_iterator it = ck_json_iterate(policies); ck_json_next(&it);)
    count += ck_bytes_equal(ck_json_get(it.value, "name"), name);
  return count > 1;
}

static void take_name(ck_said *self, ck_bytes object, ck_bytes name) {
  self->name = name;
  if (!ck_json_read_int(&self->version, ck_json_get(object, "version"))) self->version = 0;
}

static ck_said *add(ck_said_list *self, int place, ck_bytes policy, int answer) {
  ck_said *made = &self->list[self->count++];
  *made = (ck_said){.place = place, .policy = policy, .answer = answer};
  take_name(made, policy, ck_json_get(policy, "name"));
  return made;
}

/* An event can have the answers to several hooks. */
static ck_status find(ck_answers *out, const ck_event *event, ck_hook hook) {
  ck_bytes rest = event->decision;
  ck_status status;
  while ((status = ck_answers_decode(out, &rest, NULL)) == CK_OK && out->hook != hook) continue;
  return status;
}

static ck_bytes element(ck_json_iterator *list) {
  return ck_json_next(list) ? list->value : (ck_bytes){0};
}

static void read_answers(ck_said_list *self, const ck_answers *answers, ck_bytes policies) {
  ck_json_iterator list = ck_json_iterate(policies);
  for (int place = 0; place < CK_ANSWERS_POLICIES; place++) {
    ck_bytes policy = element(&list);
    bool namesakes = ck_said_has_namesakes(policy, policies);
    for (int answer = 0; answer < CK_ANSWER_COUNT; answer++) {
      if (!(answers->policies[answer] >> place & 1)) continue;
      add(self, place, policy, answer)->namesakes = namesakes;
      self->asked |= UINT64_C(1) << place;
    }
  }
}

/* The first of that name which has said yes and has no reason yet: reasons are those of who said
 * yes, each once. */
static ck_said *whose(ck_said_list *self, ck_bytes name) {
  for (size_t i = 0; i < self->count; i++) {
    ck_said *said = &self->list[i];
    bool same = !said->policy.len || ck_bytes_equal(said->name, name);
    if (same && ck_said_is_yes(said) && !said->reason.len) return said;
  }
  return NULL;
}

static void read_reasons(ck_said_list *self, ck_bytes reasons) {
  if (ck_json_type_of(reasons) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(reasons); ck_json_next(&it);) {
    ck_bytes name = ck_json_get(it.value, "policy");
    ck_said *said = self->recorded == CK_OK ? whose(self, name) : NULL;
    if (!said && self->count < CK_SAID_MAX) said = add(self, -1, (ck_bytes){0}, CK_ANSWER_YES);
    if (said && !said->policy.len) take_name(said, it.value, name);
    if (said) said->reason = ck_json_get(it.value, "reason");
  }
}

void ck_said_read(ck_said_list *out, const ck_event *event, ck_hook hook, ck_bytes policies) {
  ck_answers answers;
  out->hook = hook;
  out->count = 0;
  out->asked = 0;
  out->recorded = find(&answers, event, hook);
  out->took_us = answers.took_us;
  if (ck_json_type_of(policies) != CK_JSON_ARRAY) policies = (ck_bytes){0};
  if (out->recorded == CK_OK) read_answers(out, &answers, policies);
  if (hook == CK_HOOK_CHECKPOINT)
    read_reasons(out, ck_json_get(ck_value_bytes(event->body), "reasons"));
}

void ck_said_append_list(ck_buffer *out, ck_bytes policy, bool namesakes) {
  ck_bytes agent = ck_json_get(policy, "agent");
  bool of_agent = ck_json_type_of(agent) == CK_JSON_STRING;
  if (!namesakes) return;
  ck_buffer_append_text(out, of_agent ? " of agent " : " of the profile");
  if (of_agent) ck_json_read_string(out, agent);
}
