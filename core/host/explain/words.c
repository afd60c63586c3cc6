/* words.c - what explanations in rows, in sentences and as JSON say alike. */
#include "core/host/explain/words.h"

#include "core/host/explain/not_asked.h"

#include <stdlib.h>

void ck_words_append_name(ck_buffer *out, const ck_said *said) {
  if (ck_json_type_of(said->name) == CK_JSON_STRING)
    ck_json_read_string(out, said->name);
  else
    ck_buffer_append_format(out, "policy %d", said->place + 1);
}

void ck_words_append_whose(ck_buffer *out, const ck_said *said) {
  ck_words_append_name(out, said);
  ck_said_append_list(out, said->policy, said->namesakes);
}

/* Element `at` of an array; no bytes past its end. */
static ck_bytes nth(ck_bytes array, int64_t at) {
  for (ck_json_iterator it = ck_json_iterate(array); ck_json_next(&it); at--)
    if (at == 0) return it.value;
  return (ck_bytes){0};
}

void ck_words_append_place(ck_buffer *out, ck_bytes place, ck_bytes policies) {
  int64_t at = -1;
  bool known = ck_json_read_int(&at, place) && at >= 0;
  ck_bytes name = known ? ck_json_get(nth(policies, at), "name") : (ck_bytes){0};
  if (ck_json_type_of(name) == CK_JSON_STRING)
    ck_json_read_string(out, name);
  else
    ck_buffer_append_format(out, "policy %lld", (long long)at + 1);
}

void ck_words_append_whose_place(ck_buffer *out, ck_bytes place, ck_bytes policies) {
  int64_t at = -1;
  ck_words_append_place(out, place, policies);
  if (!ck_json_read_int(&at, place) || at < 0) return;
  ck_bytes policy = nth(policies, at);
  ck_said_append_list(out, policy, ck_said_has_namesakes(policy, policies));
}

const char *ck_words_unrecorded(ck_status recorded) {
  if (recorded == CK_E_NEWER) return "not known: recorded by a later version of ckrun";
  if (recorded == CK_E_CORRUPT) return "not known: what is recorded cannot be read";
  return "not recorded";
}

/* A policy can take something out of one part of what it is shown, and leave another. */
static bool only_left(const ck_said_list *said, size_t at) {
  bool only = said->list[at].answer == CK_ANSWER_LEFT;
  for (size_t i = 0; i < said->count; i++)
    only &= i == at || said->list[i].place != said->list[at].place;
  return only;
}

void ck_words_append_left(ck_buffer *out, const ck_said_list *said) {
  for (size_t i = 0; i < said->count; i++) {
    if (!only_left(said, i)) continue;
    ck_buffer_append_text(out, "policy ");
    if (ck_json_type_of(said->list[i].name) == CK_JSON_STRING)
      ck_json_read_string(out, said->list[i].name);
    else
      ck_buffer_append_format(out, "%d", said->list[i].place + 1);
    ck_said_append_list(out, said->list[i].policy, said->list[i].namesakes);
    ck_buffer_append_text(out, " left what it was shown as it is");
    ck_buffer_append(out, "", 1);
  }
}

static ck_bytes options_of(const ck_said *said) {
  ck_bytes options = ck_json_get(said->policy, "options");
  return ck_json_count(options) > 0 ? options : (ck_bytes){0};
}

/* A policy can have given several answers. */
static bool was_told(const ck_said_list *said, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (said->list[i].place == said->list[at].place) return true;
  return false;
}

void ck_words_append_options(ck_buffer *out, const ck_said_list *said) {
  for (size_t i = 0; i < said->count; i++) {
    ck_bytes options = options_of(&said->list[i]),
             agent = ck_json_get(said->list[i].policy, "agent");
    if (!options.len || was_told(said, i)) continue;
    ck_buffer_append_text(out, "options in force of ");
    ck_words_append_name(out, &said->list[i]);
    if (!agent.len) ck_said_append_list(out, said->list[i].policy, said->list[i].namesakes);
    if (agent.len) ck_buffer_append_text(out, " for agent ");
    ck_json_read_string(out, agent);
    ck_buffer_append_text(out, ": ");
    ck_buffer_append_bytes(out, options);
    ck_buffer_append(out, "", 1);
  }
}

/* ---- as JSON ---- */

static void put_options(ck_document *document, struct cJSON *row, const ck_said *said) {
  ck_bytes options = options_of(said);
  ck_error failure = CK_ERROR_INIT;
  if (!options.len) return;
  struct cJSON *at = ck_document_put_object(document, row, "options");
  if (ck_document_put_members(document, at, options, &failure) != CK_OK) document->failed = true;
}

void ck_words_put_reason(ck_document *document, struct cJSON *at, ck_bytes reason) {
  if (ck_json_type_of(reason) == CK_JSON_STRING)
    ck_document_put_string(document, at, "reason", reason);
  else
    ck_document_put_null(document, at, "reason");
}

static void put_answer(ck_document *document, struct cJSON *list, ck_hook hook,
                       const ck_said *said) {
  struct cJSON *row = ck_document_put_object(document, list, NULL);
  ck_buffer name = {0};
  ck_words_append_name(&name, said);
  document->failed |= name.failed;
  ck_document_put_text(document, row, "policy", name.data);
  ck_buffer_clear(&name);
  if (said->version) ck_document_put_int(document, row, "version", said->version);
  ck_document_put_string(document, row, "agent", ck_json_get(said->policy, "agent"));
  const char *answer = ck_answer_name(hook, said->answer);
  ck_document_put_text(document, row, "answer", answer ? answer : "not known");
  if (hook == CK_HOOK_CHECKPOINT && ck_said_is_yes(said))
    ck_words_put_reason(document, row, said->reason);
  put_options(document, row, said);
}

/* "yes"; "no": of an earlier version; "unknown": of a later one, or not to be read. */
static const char *recorded(const ck_said_list *said) {
  if (said->recorded == CK_OK) return "yes";
  return said->recorded == CK_E_EMPTY ? "no" : "unknown";
}

void ck_words_put_said(ck_document *document, const ck_said_list *said, ck_bytes policies) {
  ck_document_put_text(document, NULL, "recorded", recorded(said));
  struct cJSON *answers = ck_document_put_array(document, NULL, "answers");
  for (size_t i = 0; i < said->count; i++)
    put_answer(document, answers, said->hook, &said->list[i]);
  if (said->recorded != CK_OK) return;
  ck_not_asked_put(document, said, policies);
  ck_document_put_duration(document, NULL, "took_ms", said->took_us);
}
