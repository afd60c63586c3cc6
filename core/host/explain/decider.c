/* decider.c - finds the policy by whose answer a run ended, or did not begin. */
#include "core/host/explain/decider.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/explain/run_policies.h"
#include "core/host/explain/said.h"

void ck_decider_clear(ck_decider *self) {
  free(self->policy);
  *self = (ck_decider){0};
}

typedef struct search {
  ck_decider *out;
  const char *text; /* what the end said */
  ck_run_policies policies;
  int64_t begin; /* of the run's timeline: nothing before it ended the run */
  ck_status status;
  ck_error *err;
} search;

static const char permit[] = "permit";

static ck_bytes member(const ck_event *event, const char *name) {
  return ck_json_get(ck_value_bytes(event->body), name);
}

/* The end tells it; an empty text tells nothing. */
static bool is_told(const search *self, ck_bytes text) {
  char *part = ck_json_type_of(text) == CK_JSON_STRING ? ck_json_dup_string(text) : NULL;
  bool told = part && *part && self->text && strstr(self->text, part);
  free(part);
  return told;
}

static void take(search *self, ck_bytes policy, const char *hook) {
  if (ck_json_type_of(policy) != CK_JSON_STRING) return;
  self->out->policy = ck_json_dup_string(policy);
  self->out->hook = hook;
  if (!self->out->policy) self->status = ck_error_no_memory(self->err);
}

static void find_said(search *self, const ck_said_list *said, bool failed) {
  for (size_t i = 0; i < said->count && !self->out->policy; i++) {
    int answer = said->list[i].answer;
    if (failed ? answer == CK_ANSWER_FAILED : answer != CK_ANSWER_NO_OPINION)
      take(self, said->list[i].name, ck_hook_name(said->hook));
  }
}

/* One that failed stops the run, whatever others say; else it is the first with an opinion. */
static void take_said(search *self, const ck_event *event, ck_hook hook) {
  ck_said_list said;
  ck_bytes list;
  self->status = ck_run_policies_get(&list, &self->policies, event->timeline, self->err);
  if (self->status != CK_OK) return;
  ck_said_read(&said, event, hook, list);
  find_said(self, &said, true);
  self->out->failed = self->out->policy != NULL;
  find_said(self, &said, false);
}

static void look_at_outcome(search *self, const ck_event *event) {
  ck_bytes denied = member(event, "denied"), error = member(event, "error");
  if (!is_told(self, error)) return;
  if (denied.len)
    take(self, ck_json_get(denied, "policies"), permit);
  else
    take_said(self, event, CK_HOOK_ON_FAILURE);
}

/* policy "NAME", HOOK: what it failed of. `hook`: NULL: the text's own. */
static void take_failed(search *self, const char *text, ck_bytes hook) {
  static const char begin[] = "policy \"";
  static const char *const hooks[] = {"checkpoint", "prune",    "redact", "resume", "tail",
                                      "on_failure", "in_doubt", "permit", "migrate"};
  const char *name = text && strncmp(text, begin, sizeof begin - 1) == 0 ? text + sizeof begin - 1
                                                                         : NULL,
             *end = name ? strstr(name, "\", ") : NULL;
  if (!end) return;
  for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
    size_t len = strlen(hooks[i]);
    bool said = strncmp(end + 3, hooks[i], len) == 0 && end[3 + len] == ':';
    if (hook.len ? ck_json_is_text(hook, hooks[i]) : said) self->out->hook = hooks[i];
  }
  self->out->failed = self->out->hook != NULL;
  self->out->policy = self->out->hook ? strndup(name, (size_t)(end - name)) : NULL;
  if (self->out->hook && !self->out->policy) self->status = ck_error_no_memory(self->err);
}

/* Its text is told without the policy's name before it. */
static void look_at_error(search *self, const ck_event *event) {
  char *text = ck_json_dup_string(member(event, "error"));
  const char *own = text ? strstr(text, "\", ") : NULL;
  own = own ? strstr(own, ": ") : NULL;
  if (own && self->text && strstr(self->text, own + 2))
    take_failed(self, text, member(event, "hook"));
  free(text);
}

static void look_at_question(search *self, const ck_event *event) {
  ck_bytes request = member(event, "request");
  if (is_told(self, ck_json_get(request, "question")))
    take(self, ck_json_get(request, "policies"), permit);
}

static bool visit(void *to, const ck_event *event) {
  search *self = to;
  if (event->seq < self->begin) return false;
  if (event->kind == CK_EVENT_OUTCOME)
    look_at_outcome(self, event);
  else if (event->kind == CK_EVENT_POLICY_ERROR)
    look_at_error(self, event);
  else if (event->kind == CK_EVENT_INTENT)
    look_at_question(self, event);
  else
    take_said(self, event, CK_HOOK_IN_DOUBT);
  return self->status == CK_OK && !self->out->policy;
}

static int64_t begin_of(const ck_head *head) {
  for (size_t i = 0; i < head->timeline_count; i++)
    if (head->timelines[i].no == head->session.timeline) return head->timelines[i].begin;
  return 0;
}

ck_status ck_decider_find(ck_decider *out, const ck_inspection *of, const char *text,
                          ck_error *err) {
  const ck_head *head = &of->head;
  search self = {
      .out = out, .text = text, .policies = {.of = of}, .begin = begin_of(head), .err = err};
  ck_event_query query = {
      .session = head->session.no,
      .backward = true,
      .kinds = UINT64_C(1) << CK_EVENT_INTENT | UINT64_C(1) << CK_EVENT_OUTCOME |
               UINT64_C(1) << CK_EVENT_POLICY_ERROR | UINT64_C(1) << CK_EVENT_SESSION_PAUSED};
  take_failed(&self, text, (ck_bytes){0});
  ck_status status = self.status;
  if (status == CK_OK && !out->policy)
    status = ck_store_read_events(of->store, &query, visit, &self, err);
  ck_run_policies_clear(&self.policies);
  return status == CK_OK ? self.status : status;
}

static bool visit_opening(void *to, const ck_event *event) {
  search *self = to;
  bool refused = event->kind == CK_EVENT_RESUME_REFUSED;
  if (is_told(self, member(event, refused ? "reason" : "question")))
    take(self, member(event, refused ? "policy" : "policies"), "resume");
  return false;
}

ck_status ck_decider_find_resume(ck_decider *out, const ck_inspection *of, const char *text,
                                 ck_error *err) {
  search self = {.out = out, .text = text, .err = err};
  ck_event_query query = {
      .session = of->head.session.no,
      .backward = true,
      .kinds = UINT64_C(1) << CK_EVENT_RESUME_REFUSED | UINT64_C(1) << CK_EVENT_RESUME_APPROVAL};
  ck_status status = ck_store_read_events(of->store, &query, visit_opening, &self, err);
  return status == CK_OK ? self.status : status;
}
