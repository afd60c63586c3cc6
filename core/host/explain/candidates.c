/* candidates.c - reads and tells what policies said of each checkpoint at a prune. */
#include "core/host/explain/candidates.h"

#include "core/host/explain/words.h"
#include "core/host/print/format.h"

static const char *const said[] = {"drop", "keep"};
enum { SAID = sizeof said / sizeof *said };

static void write_names(ck_json_writer *w, ck_bytes places, ck_bytes policies) {
  ck_json_begin(w, '[');
  for (ck_json_iterator it = ck_json_iterate(places); ck_json_next(&it);) {
    ck_buffer name = {0};
    ck_words_append_place(&name, it.value, policies);
    w->out->failed |= name.failed;
    ck_json_put_string(w, ck_buffer_bytes(&name));
    ck_buffer_clear(&name);
  }
  ck_json_end(w, ']');
}

static void write_more(ck_json_writer *w, ck_bytes more) {
  int64_t count;
  if (!ck_json_read_int(&count, more)) return;
  ck_json_begin(w, '{');
  ck_json_member_int(w, "more", count);
  ck_json_end(w, '}');
}

static void write_element(ck_json_writer *w, ck_bytes from, ck_bytes policies) {
  int64_t first = 0, last = 0;
  write_more(w, ck_json_get(from, "more"));
  if (!ck_json_read_int(&first, ck_json_get(from, "from"))) return;
  if (!ck_json_read_int(&last, ck_json_get(from, "to"))) last = first;
  ck_json_begin(w, '{');
  ck_json_member_int(w, "from", first);
  ck_json_member_int(w, "to", last);
  for (int i = 0; i < SAID; i++) {
    ck_bytes places = ck_json_get(from, said[i]);
    if (ck_json_type_of(places) != CK_JSON_ARRAY) continue;
    ck_json_name(w, said[i]);
    write_names(w, places, policies);
  }
  ck_json_end(w, '}');
}

ck_status ck_candidates_name(ck_value **out, const ck_event *pruned, ck_bytes policies,
                             ck_error *err) {
  ck_bytes list = ck_json_get(ck_value_bytes(pruned->body), "candidates");
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  *out = NULL;
  if (ck_json_type_of(list) != CK_JSON_ARRAY) return CK_OK;
  ck_json_begin(&w, '[');
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);)
    write_element(&w, it.value, policies);
  ck_json_end(&w, ']');
  ck_status status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

static ck_bytes bytes_of(const ck_value *self) {
  return self ? ck_value_bytes(self) : (ck_bytes){0};
}

static int64_t number(ck_bytes element, const char *name) {
  int64_t read = 0;
  (void)!ck_json_read_int(&read, ck_json_get(element, name));
  return read;
}

ck_bytes ck_candidates_find(const ck_value *self, int64_t seq) {
  if (!self) return (ck_bytes){0};
  for (ck_json_iterator it = ck_json_iterate(bytes_of(self)); ck_json_next(&it);)
    if (number(it.value, "from") <= seq && seq <= number(it.value, "to")) return it.value;
  return (ck_bytes){0};
}

void ck_candidates_append_names(ck_buffer *out, ck_bytes names) {
  const char *before = "";
  for (ck_json_iterator it = ck_json_iterate(names); ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    ck_json_read_string(out, it.value);
  }
}

static void say_more(ck_buffer *out, int64_t count) {
  ck_buffer_append_text(out, "what was said of ");
  ck_format_of(out, count, "more checkpoint");
  ck_buffer_append_text(out, " is not recorded");
  ck_buffer_append(out, "", 1);
}

static void say(ck_buffer *out, ck_bytes element) {
  int64_t from = number(element, "from"), to = number(element, "to");
  if (number(element, "more")) {
    say_more(out, number(element, "more"));
    return;
  }
  if (from == to)
    ck_buffer_append_format(out, "the checkpoint at seq %lld", (long long)from);
  else
    ck_buffer_append_format(out, "checkpoints from seq %lld to %lld", (long long)from,
                            (long long)to);
  const char *before = ": ";
  for (int i = 0; i < SAID; i++) {
    ck_bytes names = ck_json_get(element, said[i]);
    if (!names.len) continue;
    ck_buffer_append_format(out, "%s%s: ", before, said[i]);
    ck_candidates_append_names(out, names);
    before = "; ";
  }
  ck_buffer_append(out, "", 1);
}

void ck_candidates_append_sentences(ck_buffer *out, const ck_value *self) {
  if (!self) return;
  for (ck_json_iterator it = ck_json_iterate(bytes_of(self)); ck_json_next(&it);)
    say(out, it.value);
}

void ck_candidates_put(ck_document *document, const ck_value *self) {
  ck_error failure = CK_ERROR_INIT;
  if (!self) return;
  struct cJSON *list = ck_document_put_array(document, NULL, "candidates");
  for (ck_json_iterator it = ck_json_iterate(bytes_of(self)); ck_json_next(&it);) {
    int64_t more = number(it.value, "more");
    if (more) ck_document_put_int(document, NULL, "candidates_more", more);
    if (more) continue;
    struct cJSON *row = ck_document_put_object(document, list, NULL);
    if (ck_document_put_members(document, row, it.value, &failure) != CK_OK)
      document->failed = true;
  }
}
