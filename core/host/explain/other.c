/* other.c - explains what policies have decided besides checkpoints. */
#include "core/host/explain/other.h"

#include <string.h>

#include "core/host/explain/candidates.h"
#include "core/host/explain/masked_words.h"
#include "core/host/explain/not_asked.h"
#include "core/host/explain/permit_words.h"
#include "core/host/inspect/questions.h"
#include "core/model/dropped_answer.h"
#include "core/host/explain/resume_answers.h"
#include "core/host/explain/tail_words.h"
#include "core/host/explain/words.h"
#include "core/base/person.h"
#include "core/host/print/format.h"
#include "core/host/session/accepted.h"
#include "lua/policy/hooks.h"

static ck_bytes member(const ck_other *self, const char *name) {
  return ck_json_get(ck_value_bytes(self->event->body), name);
}

/* The hooks whose answers an event of the kind can have, the first that was asked counts; REDACT,
 * which any can have, is the last. */
static const ck_hook *hooks_of(ck_event_kind kind) {
  static const ck_hook none[] = {CK_HOOK_REDACT}, prune[] = {CK_HOOK_PRUNE, CK_HOOK_REDACT},
                       intent[] = {CK_HOOK_PERMIT, CK_HOOK_REDACT},
                       outcome[] = {CK_HOOK_ON_FAILURE, CK_HOOK_PERMIT, CK_HOOK_IN_DOUBT,
                                    CK_HOOK_TAIL, CK_HOOK_REDACT},
                       doubt[] = {CK_HOOK_IN_DOUBT, CK_HOOK_REDACT};
  switch (kind) {
    case CK_EVENT_PRUNE:
      return prune;
    case CK_EVENT_INTENT:
      return intent;
    case CK_EVENT_OUTCOME:
      return outcome;
    case CK_EVENT_RESOLUTION:
    case CK_EVENT_SESSION_PAUSED:
      return doubt;
    default:
      return none;
  }
}

bool ck_other_is_decision(ck_event_kind kind) {
  return kind == CK_EVENT_PRUNE || kind == CK_EVENT_RESOLUTION || kind == CK_EVENT_POLICY_ERROR ||
         kind == CK_EVENT_RESUME_REFUSED || kind == CK_EVENT_RESUME_APPROVAL;
}

/* What nobody objects to is no decision to tell of. */
static bool objects(const ck_said_list *said) {
  bool any = false;
  for (size_t i = 0; i < said->count; i++) any |= said->list[i].answer != CK_ANSWER_ALLOW;
  return any;
}

/* Of a kind that policies decide about, besides what they take out of it. */
static bool is_decision(const ck_other *self) {
  bool asked = self->said.recorded != CK_E_EMPTY && self->said.hook != CK_HOOK_REDACT;
  if (ck_permit_words_is_answer(self->event)) return true;
  switch (self->event->kind) {
    case CK_EVENT_INTENT:
    case CK_EVENT_OUTCOME:
    case CK_EVENT_SESSION_PAUSED:
      return asked;
    case CK_EVENT_SESSION_RESUMED:
      return ck_resume_answers_of(self->event).len > 0 || ck_accepted_of(self->event).len > 0;
    case CK_EVENT_RESOLUTION:
      return ck_json_type_of(member(self, "policy")) == CK_JSON_STRING;
    default:
      return ck_other_is_decision(self->event->kind);
  }
}

void ck_other_read(ck_other *out, const ck_event *event, ck_bytes policies) {
  const ck_hook *hook = hooks_of(event->kind);
  out->event = event;
  ck_bytes own = event->kind == CK_EVENT_PRUNE ? member(out, "policies") : (ck_bytes){0};
  if (ck_json_type_of(own) == CK_JSON_ARRAY) policies = own; /* of a prune at rest */
  out->policies = policies;
  do ck_said_read(&out->said, event, *hook, policies);
  while (out->said.recorded == CK_E_EMPTY && *hook++ != CK_HOOK_REDACT);
  out->masked = ck_masked_words_any(event);
  out->own = is_decision(out);
  out->unasked = !out->own && out->said.recorded == CK_E_EMPTY && ck_not_asked_is(event);
  bool quiet = out->said.hook == CK_HOOK_PERMIT && !objects(&out->said);
  quiet |= event->kind == CK_EVENT_SESSION_RESUMED && !ck_accepted_of(event).len &&
           !ck_resume_answers_any(ck_resume_answers_of(event));
  out->decided = (out->own && !quiet) || out->masked;
}

/* ---- in short ---- */

/* "drop: tools; no opinion: keep_recent". */
static void append_answers(ck_buffer *out, const ck_said_list *said) {
  static const int order[] = {1, 2, 3, 4, 5, 6, CK_ANSWER_FAILED, CK_ANSWER_NO_OPINION};
  const char *group = "";
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    const char *name = ck_answer_name(said->hook, order[k]), *before = NULL;
    for (size_t i = 0; i < said->count; i++) {
      if (said->list[i].answer != order[k]) continue;
      if (!before) ck_buffer_append_format(out, "%s%s: ", group, name ? name : "not known");
      if (before) ck_buffer_append_text(out, before);
      ck_words_append_whose(out, &said->list[i]);
      before = ", ";
      group = "; ";
    }
  }
}

static void append_pruned(ck_buffer *out, const ck_other *self) {
  ck_format_of(out, (int64_t)ck_json_count(member(self, "ids")), "checkpoint");
  ck_buffer_append_text(out, "; ");
  if (self->said.recorded != CK_OK)
    ck_buffer_append_format(out, "who dropped them is %s",
                            ck_words_unrecorded(self->said.recorded));
  else if (!self->said.count)
    ck_buffer_append_text(out, "no policy was asked: a person or the profile said how many stay");
  else
    append_answers(out, &self->said);
}

static void append_text(ck_buffer *out, const ck_other *self, const char *name) {
  ck_bytes value = member(self, name);
  if (ck_json_type_of(value) == CK_JSON_STRING) ck_json_read_string(out, value);
}

/* What happened to the effect that the policies were asked about. */
static const char *fate_of(const ck_other *self) {
  bool question = ck_permit_words_is_question(self->event);
  switch (self->said.hook) {
    case CK_HOOK_PERMIT:
      return question                               ? " is put to a person; "
             : self->event->kind == CK_EVENT_INTENT ? " was begun; "
             : member(self, "denied").len           ? " was denied; "
                                                    : " was called; ";
    case CK_HOOK_IN_DOUBT:
      return " was in doubt; ";
    default:
      return " failed; ";
  }
}

/* Of a call of a tool, whose request is there: of one that began or was denied. */
static ck_bytes tool_of(const ck_other *self) {
  ck_bytes request = member(self, "request"), denied = member(self, "denied");
  if (denied.len) request = ck_json_get(denied, "request");
  bool call = ck_json_is_text(member(self, "kind"), "tool");
  return call ? ck_json_get(request, "name") : (ck_bytes){0};
}

static void append_tool(ck_buffer *out, const ck_other *self) {
  ck_bytes tool = tool_of(self);
  if (ck_json_type_of(tool) != CK_JSON_STRING) return;
  ck_buffer_append_text(out, " (");
  ck_json_read_string(out, tool);
  ck_buffer_append_text(out, ")");
}

/* What became of the policies' "retry": theirs is the first answer, nobody else has one. */
static void append_retry(ck_buffer *out, const ck_other *self) {
  ck_bytes failure = member(self, "failure");
  int64_t tried, wait = 0;
  bool retry = false, failed = false;
  for (size_t i = 0; i < self->said.count; i++) {
    retry |= self->said.list[i].answer == CK_FAILURE_RETRY + 1;
    failed |= self->said.list[i].answer == CK_ANSWER_FAILED;
  }
  if (self->said.hook != CK_HOOK_ON_FAILURE || !retry || failed) return;
  if (!ck_json_read_int(&tried, ck_json_get(failure, "try"))) return;
  if (!ck_json_read_int(&wait, ck_json_get(failure, "wait"))) wait = 0;
  if (tried >= CK_EFFECT_TRIES)
    ck_buffer_append_format(out, "; it was tried %lld times, which is all", (long long)tried);
  else if (wait == 0)
    ck_buffer_append_text(out, "; to be tried again at once");
  else
    ck_buffer_append_text(out, "; to be tried again after ");
  if (tried < CK_EFFECT_TRIES && wait > 0) ck_format_duration(out, wait * 1000);
}

static void append_effect(ck_buffer *out, const ck_other *self) {
  if (ck_tail_words_is(self->event)) {
    ck_tail_words_append(out, self->event);
    ck_buffer_append_text(out, "; ");
    append_answers(out, &self->said);
    return;
  }
  append_text(out, self, "key");
  append_tool(out, self);
  ck_buffer_append_text(out, fate_of(self));
  if (self->said.recorded != CK_OK)
    ck_buffer_append_text(out, ck_words_unrecorded(self->said.recorded));
  else
    append_answers(out, &self->said);
  append_retry(out, self);
  ck_permit_words_append_dropped(out, self->event);
}

/* Without a policy it was a rule of the profile. */
static void append_refusal(ck_buffer *out, const ck_other *self) {
  append_text(out, self, "policy");
  bool named = ck_json_type_of(member(self, "policy")) == CK_JSON_STRING;
  ck_buffer_append_text(out, named ? ": " : "the profile: ");
  append_text(out, self, "reason");
}

/* "spender: Go on above $3? A person: allow". */
static void append_approval(ck_buffer *out, const ck_other *self) {
  append_text(out, self, "policies");
  ck_buffer_append_text(out, ": ");
  append_text(out, self, "question");
  if (member(self, "answer").len) ck_buffer_append_text(out, " A person: ");
  append_text(out, self, "answer");
  ck_bytes by = member(self, "by");
  if (by.len) ck_buffer_append_text(out, ", ");
  if (by.len) ck_person_append(out, by);
  ck_permit_words_append_dropped(out, self->event);
}

static void append_resumed(ck_buffer *out, const ck_other *self) {
  ck_bytes answers = ck_resume_answers_of(self->event), accepted = ck_accepted_of(self->event);
  ck_resume_answers_append(out, answers);
  if (!accepted.len) return;
  if (answers.len) ck_buffer_append_text(out, "; ");
  ck_buffer_append_text(out, "what has changed was accepted by ");
  ck_accepted_append_person(out, accepted);
}

static void append_own(ck_buffer *out, const ck_other *self) {
  if (ck_permit_words_is_answer(self->event)) {
    ck_permit_words_append(out, self->event);
    return;
  }
  if (self->event->kind == CK_EVENT_RESUME_APPROVAL) {
    append_approval(out, self);
    return;
  }
  if (self->event->kind == CK_EVENT_PRUNE) {
    append_pruned(out, self);
    return;
  }
  if (self->event->kind == CK_EVENT_OUTCOME || self->event->kind == CK_EVENT_INTENT) {
    append_effect(out, self);
    return;
  }
  if (self->event->kind == CK_EVENT_SESSION_PAUSED) {
    ck_buffer_append_text(out, "in doubt; ");
    append_answers(out, &self->said);
    return;
  }
  if (self->event->kind == CK_EVENT_RESUME_REFUSED) {
    append_refusal(out, self);
    return;
  }
  if (self->event->kind == CK_EVENT_SESSION_RESUMED) {
    append_resumed(out, self);
    return;
  }
  bool failed = self->event->kind == CK_EVENT_POLICY_ERROR;
  append_text(out, self, failed ? "hook" : "key");
  ck_buffer_append_text(out, failed ? " failed: " : ", in doubt: ");
  append_text(out, self, failed ? "error" : "policy");
  if (failed) return;
  ck_buffer_append_text(out, " said ");
  append_text(out, self, "verdict");
  if (self->said.hook != CK_HOOK_IN_DOUBT || self->said.recorded != CK_OK) return;
  ck_buffer_append_text(out, "; ");
  append_answers(out, &self->said);
}

void ck_other_append_why(ck_buffer *out, const ck_other *self) {
  if (self->own) append_own(out, self);
  if (self->own && self->masked) ck_buffer_append_text(out, "; ");
  if (self->masked) ck_masked_words_append(out, self->event, self->policies);
}

/* ---- in sentences ---- */

static void end(ck_buffer *out) { ck_buffer_append(out, "", 1); }

/* NULL: none are kept. Without memory they are not told. */
static ck_value *name_candidates(const ck_other *self) {
  ck_value *named;
  ck_error ignored = CK_ERROR_INIT;
  return ck_candidates_name(&named, self->event, self->policies, &ignored) == CK_OK ? named : NULL;
}

static void say_dropped(ck_buffer *out, const ck_other *self) {
  for (ck_json_iterator it = ck_json_iterate(member(self, "ids")); ck_json_next(&it);) {
    ck_json_read_string(out, it.value);
    ck_buffer_append_text(out, " was dropped");
    end(out);
  }
  ck_value *named = name_candidates(self);
  ck_candidates_append_sentences(out, named);
  ck_value_free(named);
}

/* What follows where a hook fails, in the words of its table. */
static void say_failure(ck_buffer *out, const ck_other *self) {
  if (self->failure) {
    ck_buffer_append_format(out, "the first error: %s", self->failure);
    end(out);
  }
  if (self->event->kind != CK_EVENT_POLICY_ERROR) return;
  for (int i = 0; i < POLICY_HOOK_COUNT; i++) {
    if (!ck_json_is_text(member(self, "hook"), ck_policy_hooks[i].name)) continue;
    ck_buffer_append_format(out, "where this hook fails, %s", ck_policy_hooks[i].failure);
    end(out);
  }
}

static void say_reason(ck_buffer *out, const ck_other *self) {
  ck_bytes reason = ck_json_get(member(self, "denied"), "reason");
  if (ck_json_type_of(reason) != CK_JSON_STRING) return;
  ck_buffer_append_text(out, "the reason: ");
  ck_json_read_string(out, reason);
  end(out);
}

static void say_leave(ck_buffer *out, const ck_event *leave) {
  ck_permit_words_append(out, leave);
  ck_buffer_append_format(out, " (event %lld)", (long long)leave->seq);
  end(out);
}

void ck_other_append_sentences(ck_buffer *out, const ck_other *self) {
  const char *kind = ck_event_kind_name(self->event->kind);
  ck_buffer_append_format(out, "event %lld, %s", (long long)self->event->seq,
                          kind ? kind : "of a later version");
  if (self->own) {
    ck_buffer_append_text(out, ": ");
    append_own(out, self);
  }
  if (self->unasked) {
    ck_buffer_append_text(out, ": ");
    ck_not_asked_append_why(out, self->event, self->policies);
  }
  end(out);
  say_reason(out, self);
  if (self->event->kind == CK_EVENT_RESUME_REFUSED)
    ck_resume_answers_append_sentences(out, ck_resume_answers_of(self->event));
  ck_accepted_append_sentences(out, ck_accepted_of(self->event));
  if (ck_permit_words_is_question(self->event)) ck_permit_words_append_sentences(out, self->event);
  if (self->leave) say_leave(out, self->leave);
  ck_masked_words_append_sentences(out, self->event, self->policies);
  if (self->said.hook == CK_HOOK_REDACT) ck_words_append_left(out, &self->said);
  if (self->abandoned) {
    ck_buffer_append_text(out, CK_WORDS_ABANDONED);
    end(out);
  }
  say_failure(out, self);
  if (self->event->kind == CK_EVENT_PRUNE) say_dropped(out, self);
  ck_tail_words_append_sentences(out, self->event, self->policies);
  if (self->said.recorded != CK_OK || !self->said.count) return;
  if (self->said.hook != CK_HOOK_REDACT) ck_words_append_options(out, &self->said);
  ck_buffer_append_text(
      out, self->said.hook == CK_HOOK_REDACT ? "looking through it took " : "the question took ");
  ck_format_duration(out, self->said.took_us);
  end(out);
}

/* ---- as JSON ---- */

static void put(ck_document *document, const ck_other *self, const char *name, const char *from) {
  ck_document_put_string(document, NULL, name, member(self, from));
}

static void put_pruned(ck_document *document, const ck_other *self) {
  struct cJSON *ids = ck_document_put_array(document, NULL, "dropped");
  for (ck_json_iterator it = ck_json_iterate(member(self, "ids")); ck_json_next(&it);)
    ck_document_put_string(document, ids, NULL, it.value);
  ck_value *named = name_candidates(self);
  ck_candidates_put(document, named);
  ck_value_free(named);
  ck_words_put_said(document, &self->said, self->policies);
}

static void put_object(ck_document *document, const char *name, ck_bytes object) {
  ck_error failure = CK_ERROR_INIT;
  if (!object.len) return;
  struct cJSON *at = ck_document_put_object(document, NULL, name);
  if (ck_document_put_members(document, at, object, &failure) != CK_OK) document->failed = true;
}

void ck_other_put(ck_document *document, const ck_other *self) {
  const ck_event *event = self->event;
  ck_document_put_int(document, NULL, "seq", event->seq);
  ck_document_put_int(document, NULL, "timeline", event->timeline);
  ck_document_put_text(document, NULL, "kind", ck_event_kind_name(event->kind));
  ck_document_put_text(document, NULL, "scope", event->scope);
  ck_document_put_text(document, NULL, "agent", event->agent);
  ck_document_put_bool(document, NULL, "abandoned", self->abandoned);
  ck_masked_words_put(document, event, self->policies);
  if (event->kind == CK_EVENT_PRUNE) {
    put_pruned(document, self);
    return;
  }
  bool errs = event->kind == CK_EVENT_POLICY_ERROR;
  if (ck_tail_words_is(event)) ck_tail_words_put(document, event, self->policies);
  if (self->said.recorded == CK_OK && !errs)
    ck_document_put_text(document, NULL, "hook", ck_hook_name(self->said.hook));
  ck_document_put_string(document, NULL, "tool", tool_of(self));
  ck_document_put_string(document, NULL, "reason", ck_json_get(member(self, "denied"), "reason"));
  if (self->said.recorded == CK_OK || event->kind == CK_EVENT_OUTCOME || self->unasked)
    ck_words_put_said(document, &self->said, self->policies);
  ck_document_put_text(document, NULL, "failure", self->failure);
  ck_bytes answers = ck_resume_answers_of(event);
  if (answers.len) ck_resume_answers_put(document, answers);
  put_object(document, "accepted", ck_accepted_of(event));
  if (ck_permit_words_is_question(event)) ck_permit_words_put(document, event);
  if (self->leave) ck_document_put_int(document, NULL, "answered_at_seq", self->leave->seq);
  if (self->unasked) put(document, self, "effect", "key");
  if (!self->own) return;
  if (errs) put(document, self, "hook", "hook");
  put(document, self, "error", "error");
  put(document, self, "effect", "key");
  put(document, self, "verdict", "verdict");
  put(document, self, "policy", "policy");
  put(document, self, "reason", "reason");
  put(document, self, "policy", "policies");
  if (event->kind != CK_EVENT_RESUME_APPROVAL) return;
  put(document, self, "question", "question");
  ck_questions_put_dropped(document, NULL, member(self, CK_DROPPED_ANSWER));
  put(document, self, "answer", "answer");
  if (member(self, "answer").len) put_object(document, "by", member(self, "by"));
}
