/* not_asked.c - says who was not asked at an event: without such a hook, in a list that does not
 * count there, or because there are no policies at all. */
#include "core/host/explain/not_asked.h"

#include "core/runtime/ledger/ledger_body.h"

static void end(ck_buffer *out) { ck_buffer_append(out, "", 1); }

/* One of the same name was asked, of another list. */
static const ck_said *namesake(const ck_said_list *said, ck_bytes policy) {
  ck_bytes name = ck_json_get(policy, "name");
  for (size_t i = 0; i < said->count; i++)
    if (said->list[i].name.len && ck_bytes_equal(said->list[i].name, name)) return &said->list[i];
  return NULL;
}

static void append_agent(ck_buffer *out, const char *before, ck_bytes policy) {
  ck_bytes agent = ck_json_get(policy, "agent");
  if (ck_json_type_of(agent) != CK_JSON_STRING) return;
  ck_buffer_append_text(out, before);
  ck_json_read_string(out, agent);
}

/* ---- in sentences ---- */

/* "tool_rounds of the profile: agent airline has its own", "quiet of agent airline, who does not
 * act here". */
static void append_namesake(ck_buffer *out, const ck_said *asked, ck_bytes policy) {
  ck_json_read_string(out, ck_json_get(policy, "name"));
  if (ck_json_type_of(ck_json_get(policy, "agent")) == CK_JSON_STRING) {
    append_agent(out, " of agent ", policy);
    ck_buffer_append_text(out, ", who does not act here");
    return;
  }
  ck_buffer_append_text(out, " of the profile");
  append_agent(out, ", as that of agent ", asked->policy);
  ck_buffer_append_text(out, " stands in its place");
}

/* Those with a namesake, or those without. */
static void say_those(ck_buffer *out, const ck_said_list *said, ck_bytes policies, bool namesakes) {
  const char *before = "also in another list, and not asked: ";
  int place = 0;
  bool any = false;
  for (ck_json_iterator it = ck_json_iterate(policies);
       place < CK_ANSWERS_POLICIES && ck_json_next(&it); place++) {
    const ck_said *asked = namesake(said, it.value);
    if (said->asked >> place & 1 || (asked != NULL) != namesakes) continue;
    if (!any && !namesakes)
      ck_buffer_append_format(out, "not asked, having no %s hook or none for who acts here: ",
                              ck_hook_name(said->hook));
    else
      ck_buffer_append_text(out, any ? namesakes ? "; " : ", " : before);
    any = true;
    if (asked)
      append_namesake(out, asked, it.value);
    else
      ck_json_read_string(out, ck_json_get(it.value, "name"));
    if (!asked) append_agent(out, " of agent ", it.value);
  }
  if (any) end(out);
}

void ck_not_asked_append_sentences(ck_buffer *out, const ck_said_list *said, ck_bytes policies) {
  bool known = ck_json_type_of(policies) == CK_JSON_ARRAY;
  if (!said->count) {
    ck_buffer_append_text(out, "no policy was asked");
    if (known && ck_json_count(policies) == 0) ck_buffer_append_text(out, ": the run had none");
    if (known && ck_json_count(policies) > 0)
      ck_buffer_append_format(out, ": none of the run's has the hook %s for who acts here",
                              ck_hook_name(said->hook));
    end(out);
  }
  say_those(out, said, policies, false);
  say_those(out, said, policies, true);
}

/* ---- as JSON ---- */

static void put_namesake(ck_document *document, struct cJSON **list, ck_bytes policy) {
  if (!*list) *list = ck_document_put_array(document, NULL, "namesakes");
  struct cJSON *row = ck_document_put_object(document, *list, NULL);
  ck_document_put_string(document, row, "policy", ck_json_get(policy, "name"));
  ck_document_put_string(document, row, "agent", ck_json_get(policy, "agent"));
}

void ck_not_asked_put(ck_document *document, const ck_said_list *said, ck_bytes policies) {
  struct cJSON *list = ck_document_put_array(document, NULL, "not_asked"), *namesakes = NULL;
  int place = 0;
  for (ck_json_iterator it = ck_json_iterate(policies);
       place < CK_ANSWERS_POLICIES && ck_json_next(&it); place++) {
    if (said->asked >> place & 1) continue;
    if (namesake(said, it.value))
      put_namesake(document, &namesakes, it.value);
    else
      ck_document_put_string(document, list, NULL, ck_json_get(it.value, "name"));
  }
}

/* ---- where nothing is recorded ---- */

/* NULL: none is asked there. */
static const char *hook_of(const ck_event *event) {
  switch (event->kind) {
    case CK_EVENT_INTENT:
      return "permit";
    case CK_EVENT_OUTCOME:
      return ck_ledger_is_failure(ck_value_bytes(event->body)) ? "on_failure" : NULL;
    case CK_EVENT_SESSION_RESUMED:
      return "resume";
    default:
      return NULL;
  }
}

bool ck_not_asked_is(const ck_event *event) { return hook_of(event) != NULL; }

void ck_not_asked_append_why(ck_buffer *out, const ck_event *event, ck_bytes policies) {
  const char *before = "none of ";
  if (ck_json_type_of(policies) != CK_JSON_ARRAY) {
    ck_buffer_append_text(out, "no answer of a policy is recorded, nor which there were");
    return;
  }
  ck_buffer_append_text(out, "no policy was asked: ");
  if (ck_json_count(policies) == 0) {
    ck_buffer_append_text(out, "the run had none");
    return;
  }
  for (ck_json_iterator it = ck_json_iterate(policies); ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    ck_json_read_string(out, ck_json_get(it.value, "name"));
    ck_said_append_list(out, it.value, ck_said_has_namesakes(it.value, policies));
  }
  ck_buffer_append_format(out, " has the hook %s for it, or an earlier ckrun wrote it",
                          hook_of(event));
}
