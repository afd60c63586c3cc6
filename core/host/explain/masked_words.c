/* masked_words.c - tells what policies took out of one event and of keys. */
#include "core/host/explain/masked_words.h"

#include "core/host/explain/words.h"
#include "core/host/print/format.h"

/* One policy's answer to one item. */
typedef struct finding {
  ck_bytes entry; /* what is recorded of the item */
  int answer;     /* of the hook's */
  int64_t place;  /* of the policy; -1: behind those of whom answers are kept */
  ck_bytes policies;
} finding;

typedef void (*visit_finding)(void *to, const finding *found);

static void visit_entry(ck_bytes entry, ck_bytes policies, visit_finding visit, void *to) {
  for (int answer = CK_REDACT_DROP; answer <= CK_REDACT_REPLACE; answer++) {
    ck_bytes list = ck_json_get(entry, ck_answer_name(CK_HOOK_REDACT, answer));
    finding found = {.entry = entry, .answer = answer, .place = -1, .policies = policies};
    if (ck_json_type_of(list) != CK_JSON_ARRAY) continue;
    if (ck_json_count(list) == 0) visit(to, &found);
    for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
      if (!ck_json_read_int(&found.place, it.value)) found.place = -1;
      visit(to, &found);
    }
  }
}

static ck_bytes keys_of(const ck_event *event) {
  ck_bytes keys = ck_json_get(ck_value_bytes(event->body), "redacted_keys");
  bool known = event->kind == CK_EVENT_BOUNDARY && ck_json_type_of(keys) == CK_JSON_ARRAY;
  return known ? keys : (ck_bytes){0};
}

/* Keys first: they were asked about first. A note's body is its writer's. */
static void visit_all(const ck_event *event, ck_bytes policies, visit_finding visit, void *to) {
  ck_bytes own = ck_json_get(ck_value_bytes(event->body), "redacted");
  for (ck_json_iterator it = ck_json_iterate(keys_of(event)); ck_json_next(&it);)
    visit_entry(it.value, policies, visit, to);
  if (event->decision.len && ck_json_type_of(own) == CK_JSON_OBJECT)
    visit_entry(own, policies, visit, to);
}

static void note_any(void *to, const finding *found) {
  (void)found;
  *(bool *)to = true;
}

bool ck_masked_words_any(const ck_event *event) {
  bool any = false;
  visit_all(event, (ck_bytes){0}, note_any, &any);
  return any;
}

/* ---- in words ---- */

static ck_bytes policy_of(const finding *found) {
  ck_json_iterator it = ck_json_iterate(found->policies);
  bool known = found->place >= 0;
  for (int64_t i = 0; known && i <= found->place; i++) known = ck_json_next(&it);
  return known ? it.value : (ck_bytes){0};
}

/* "names"; "policy 3" where the names are not known, or with `noun`. */
static void append_policy(ck_buffer *out, const finding *found, bool noun) {
  ck_bytes name = ck_json_get(policy_of(found), "name");
  bool named = ck_json_type_of(name) == CK_JSON_STRING;
  if (noun || !named) ck_buffer_append_text(out, "policy ");
  if (named)
    ck_json_read_string(out, name);
  else if (found->place >= 0)
    ck_buffer_append_format(out, "%lld", (long long)found->place + 1);
  else
    ck_buffer_append_format(out, "behind the first %d", CK_ANSWERS_POLICIES);
}

static void append_whose(ck_buffer *out, const finding *found, bool noun) {
  ck_bytes policy = policy_of(found);
  append_policy(out, found, noun);
  ck_said_append_list(out, policy, ck_said_has_namesakes(policy, found->policies));
}

static void append_paths(ck_buffer *out, ck_bytes entry) {
  ck_bytes paths = ck_json_get(entry, "paths");
  int64_t more = 0;
  const char *before = ": ";
  for (ck_json_iterator it = ck_json_iterate(paths); ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    ck_json_read_string(out, it.value);
  }
  if (ck_json_read_int(&more, ck_json_get(entry, "more")))
    ck_buffer_append_format(out, " and %lld more", (long long)more);
}

/* "masked the texts of content", "rewrote texts of memory.who: list[0], name". */
static void append_deed(ck_buffer *out, const finding *found) {
  static const char *const whole[] = {[CK_REDACT_DROP] = "dropped ",
                                      [CK_REDACT_MASK] = "masked ",
                                      [CK_REDACT_REF] = "put a reference in the place of ",
                                      [CK_REDACT_REPLACE] = "masked texts of "};
  ck_bytes key = ck_json_get(found->entry, "key");
  if (key.len == 0 && found->answer != CK_REDACT_REPLACE)
    ck_buffer_append_text(out, "masked all texts of ");
  else
    ck_buffer_append_text(out, whole[found->answer]);
  if (key.len)
    ck_json_read_string(out, key);
  else
    ck_buffer_append_text(out, "content");
  if (found->answer == CK_REDACT_REPLACE) append_paths(out, found->entry);
}

typedef struct telling {
  ck_buffer *out;
  size_t begun;
} telling;

static void tell(void *to, const finding *found) {
  telling *self = to;
  if (self->out->len > self->begun) ck_buffer_append_text(self->out, "; ");
  append_whose(self->out, found, false);
  ck_buffer_append_char(self->out, ' ');
  append_deed(self->out, found);
}

void ck_masked_words_append(ck_buffer *out, const ck_event *event, ck_bytes policies) {
  visit_all(event, policies, tell, &(telling){.out = out, .begun = out->len});
}

static void say(void *to, const finding *found) {
  ck_buffer *out = to;
  append_whose(out, found, true);
  ck_buffer_append_char(out, ' ');
  append_deed(out, found);
  ck_buffer_append(out, "", 1);
}

void ck_masked_words_append_sentences(ck_buffer *out, const ck_event *event, ck_bytes policies) {
  visit_all(event, policies, say, out);
}

/* ---- as JSON ---- */

typedef struct listing {
  ck_document *document;
  struct cJSON *list;
} listing;

static void put_finding(void *to, const finding *found) {
  listing *self = to;
  ck_document *document = self->document;
  struct cJSON *row = ck_document_put_object(document, self->list, NULL);
  ck_buffer name = {0};
  append_policy(&name, found, false);
  document->failed |= name.failed;
  ck_document_put_text(document, row, "policy", name.data);
  ck_document_put_string(document, row, "agent", ck_json_get(policy_of(found), "agent"));
  ck_buffer_clear(&name);
  ck_document_put_text(document, row, "rule", ck_answer_name(CK_HOOK_REDACT, found->answer));
  ck_document_put_string(document, row, "key", ck_json_get(found->entry, "key"));
  ck_bytes paths = ck_json_get(found->entry, "paths");
  int64_t more;
  if (found->answer != CK_REDACT_REPLACE || paths.len == 0) return;
  struct cJSON *list = ck_document_put_array(document, row, "paths");
  for (ck_json_iterator it = ck_json_iterate(paths); ck_json_next(&it);)
    ck_document_put_string(document, list, NULL, it.value);
  if (ck_json_read_int(&more, ck_json_get(found->entry, "more")))
    ck_document_put_int(document, row, "more", more);
}

void ck_masked_words_put(ck_document *document, const ck_event *event, ck_bytes policies) {
  if (!ck_masked_words_any(event)) return;
  listing self = {document, ck_document_put_array(document, NULL, "redacted")};
  visit_all(event, policies, put_finding, &self);
}
