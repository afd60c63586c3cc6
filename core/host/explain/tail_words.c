/* tail_words.c - what policies said of events in tails, in words and as JSON. */
#include "core/host/explain/tail_words.h"

#include "core/host/explain/words.h"
#include "core/host/print/format.h"

static const char *const answers[] = {"in", "out", "failed"};
enum { ANSWERS = sizeof answers / sizeof *answers };

static ck_bytes tail_of(const ck_event *event) {
  return ck_json_get(ck_value_bytes(event->body), "tail");
}

static ck_bytes groups_of(const ck_event *event) {
  return event->kind == CK_EVENT_OUTCOME ? ck_json_get(tail_of(event), "said") : (ck_bytes){0};
}

bool ck_tail_words_is(const ck_event *event) {
  return ck_json_type_of(groups_of(event)) == CK_JSON_ARRAY;
}

static int64_t more_of(const ck_event *event) {
  int64_t more = 0;
  (void)!ck_json_read_int(&more, ck_json_get(tail_of(event), "more"));
  return more;
}

/* Somebody left it out, or failed, which does. */
static bool leaves_out(ck_bytes group) {
  return ck_json_get(group, "out").len || ck_json_get(group, "failed").len;
}

void ck_tail_words_append(ck_buffer *out, const ck_event *event) {
  int64_t all = 0, left = 0;
  for (ck_json_iterator it = ck_json_iterate(groups_of(event)); ck_json_next(&it);) {
    int64_t count = (int64_t)ck_json_count(ck_json_get(it.value, "events"));
    all += count;
    if (leaves_out(it.value)) left += count;
  }
  ck_buffer_append_text(out, "agent ");
  ck_json_read_string(out, ck_json_get(tail_of(event), "agent"));
  bool none = ck_json_is_text(ck_json_get(ck_value_bytes(event->body), "result"), "");
  ck_buffer_append_format(out, " is told %s tail; of ", none ? "no" : "its");
  ck_format_of(out, all, "event");
  ck_buffer_append_format(out, " %lld left out", (long long)left);
}

/* ---- in sentences ---- */

static void end(ck_buffer *out) { ck_buffer_append(out, "", 1); }

static void append_names(ck_buffer *out, ck_bytes places, ck_bytes policies) {
  const char *before = "";
  for (ck_json_iterator it = ck_json_iterate(places); ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    ck_words_append_whose_place(out, it.value, policies);
  }
}

/* "in: brief; out: short". */
static void append_group(ck_buffer *out, ck_bytes group, ck_bytes policies) {
  const char *before = "";
  for (int i = 0; i < ANSWERS; i++) {
    ck_bytes places = ck_json_get(group, answers[i]);
    if (!places.len) continue;
    ck_buffer_append_format(out, "%s%s: ", before, answers[i]);
    append_names(out, places, policies);
    before = "; ";
  }
}

void ck_tail_words_append_sentences(ck_buffer *out, const ck_event *event, ck_bytes policies) {
  for (ck_json_iterator it = ck_json_iterate(groups_of(event)); ck_json_next(&it);) {
    ck_bytes seqs = ck_json_get(it.value, "events");
    const char *before = ck_json_count(seqs) == 1 ? "event " : "events ";
    for (ck_json_iterator at = ck_json_iterate(seqs); ck_json_next(&at); before = ", ") {
      ck_buffer_append_text(out, before);
      ck_buffer_append_bytes(out, at.value);
    }
    ck_buffer_append_text(out, ": ");
    append_group(out, it.value, policies);
    end(out);
  }
  if (!more_of(event)) return;
  ck_buffer_append_text(out, "what was said of ");
  ck_format_of(out, more_of(event), "older event");
  ck_buffer_append_text(out, " is not recorded");
  end(out);
}

/* ---- as JSON ---- */

static void put_names(ck_document *document, struct cJSON *row, ck_bytes group, ck_bytes policies) {
  for (int i = 0; i < ANSWERS; i++) {
    ck_bytes places = ck_json_get(group, answers[i]);
    if (!places.len) continue;
    struct cJSON *list = ck_document_put_array(document, row, answers[i]);
    for (ck_json_iterator it = ck_json_iterate(places); ck_json_next(&it);) {
      ck_buffer name = {0};
      ck_words_append_place(&name, it.value, policies);
      ck_buffer_append(&name, "", 1);
      document->failed |= name.failed;
      if (!name.failed) ck_document_put_text(document, list, NULL, name.data);
      ck_buffer_clear(&name);
    }
  }
}

void ck_tail_words_put(ck_document *document, const ck_event *event, ck_bytes policies) {
  ck_document_put_string(document, NULL, "told", ck_json_get(tail_of(event), "agent"));
  struct cJSON *list = ck_document_put_array(document, NULL, "events");
  for (ck_json_iterator it = ck_json_iterate(groups_of(event)); ck_json_next(&it);) {
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    struct cJSON *seqs = ck_document_put_array(document, row, "seqs");
    int64_t seq;
    for (ck_json_iterator at = ck_json_iterate(ck_json_get(it.value, "events")); ck_json_next(&at);)
      if (ck_json_read_int(&seq, at.value)) ck_document_put_int(document, seqs, NULL, seq);
    put_names(document, row, it.value, policies);
  }
  if (more_of(event)) ck_document_put_int(document, NULL, "events_more", more_of(event));
}

/* ---- of one event, in every tail ---- */

typedef struct telling {
  ck_output *output;
  ck_run_policies policies;
  int64_t seq;
  size_t shown;
  ck_status status;
  ck_error *err;
} telling;

static bool has(ck_bytes group, int64_t seq) {
  int64_t read;
  for (ck_json_iterator it = ck_json_iterate(ck_json_get(group, "events")); ck_json_next(&it);)
    if (ck_json_read_int(&read, it.value) && read == seq) return true;
  return false;
}

static ck_status print_object(telling *self, const ck_event *event, ck_bytes group,
                              ck_bytes policies) {
  ck_document document;
  ck_document_init(&document, self->output);
  ck_document_put_int(&document, NULL, "seq", self->seq);
  ck_document_put_text(&document, NULL, "kind", "tail");
  ck_document_put_int(&document, NULL, "told_at", event->seq);
  ck_document_put_string(&document, NULL, "told", ck_json_get(tail_of(event), "agent"));
  put_names(&document, NULL, group, policies);
  ck_status status = ck_document_print(&document, self->err);
  ck_document_clear(&document);
  return status;
}

static ck_status print_sentence(telling *self, const ck_event *event, ck_bytes group,
                                ck_bytes policies) {
  ck_buffer text = {0}, safe = {0};
  ck_buffer_append_format(&text, "event %lld was %s the tail that agent ", (long long)self->seq,
                          leaves_out(group) ? "left out of" : "kept in");
  ck_json_read_string(&text, ck_json_get(tail_of(event), "agent"));
  ck_buffer_append_format(&text, " was told at event %lld; ", (long long)event->seq);
  append_group(&text, group, policies);
  ck_output_append_safe(self->output, &safe, ck_buffer_bytes(&text));
  ck_buffer_append_char(&safe, '\n');
  ck_status status = ck_buffer_check(&text, self->err);
  if (status == CK_OK) status = ck_buffer_check(&safe, self->err);
  if (status == CK_OK) ck_output_write(self->output, ck_buffer_bytes(&safe));
  ck_buffer_clear(&text);
  ck_buffer_clear(&safe);
  return status;
}

static bool visit(void *to, const ck_event *event) {
  telling *self = to;
  ck_bytes policies;
  for (ck_json_iterator it = ck_json_iterate(groups_of(event)); ck_json_next(&it);) {
    if (self->status != CK_OK || !has(it.value, self->seq)) continue;
    self->status = ck_run_policies_get(&policies, &self->policies, event->timeline, self->err);
    if (self->status != CK_OK) continue;
    self->status = self->output->json ? print_object(self, event, it.value, policies)
                                      : print_sentence(self, event, it.value, policies);
    self->shown++;
  }
  return self->status == CK_OK;
}

ck_status ck_tail_words_tell(size_t *shown, ck_output *output, const ck_inspection *of, int64_t seq,
                             ck_error *err) {
  telling self = {.output = output, .policies = {.of = of}, .seq = seq, .err = err};
  ck_event_query query = {
      .session = of->head.session.no, .after = seq, .kinds = UINT64_C(1) << CK_EVENT_OUTCOME};
  ck_status status = ck_store_read_events(of->store, &query, visit, &self, err);
  ck_run_policies_clear(&self.policies);
  *shown += self.shown;
  return status == CK_OK ? self.status : status;
}
