/* wire_marks.c - counts the marks of a request, part by part. */
#include "tests/effect/wire_marks.h"

#include "core/base/json.h"

enum { MARKS_MAX = 4 };

typedef struct marks {
  size_t count;
  const char *problem;
} marks;

static bool is_type(ck_bytes value, const char *type) {
  return ck_json_is_text(ck_json_get(value, "type"), type);
}

static const char *judge(ck_bytes part, ck_bytes mark) {
  ck_bytes ttl = ck_json_get(mark, "ttl");
  bool deferred;
  if (!is_type(mark, "ephemeral")) return "a mark that is not ephemeral";
  if (ttl.len > 0 && !ck_json_is_text(ttl, "5m") && !ck_json_is_text(ttl, "1h"))
    return "a mark for another time than 5m or 1h";
  if (is_type(part, "thinking") || is_type(part, "redacted_thinking"))
    return "a mark on what was thought";
  if (ck_json_is_text(ck_json_get(part, "text"), "")) return "a mark on an empty text";
  if (ck_json_read_bool(&deferred, ck_json_get(part, "defer_loading")) && deferred)
    return "a mark on a tool that is loaded later";
  return NULL;
}

static void take(marks *to, ck_bytes part) {
  ck_bytes mark = ck_json_get(part, "cache_control");
  if (mark.len == 0 || ck_json_type_of(mark) == CK_JSON_NULL) return;
  to->count++;
  if (!to->problem) to->problem = judge(part, mark);
}

static void take_each(marks *to, ck_bytes list, const char *inner) {
  if (ck_json_type_of(list) != CK_JSON_ARRAY) return;
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);) {
    take(to, it.value);
    if (inner) take_each(to, ck_json_get(it.value, inner), "content");
  }
}

const char *wire_marks_check(size_t *count, ck_bytes body) {
  marks self = {0};
  take(&self, body);
  take_each(&self, ck_json_get(body, "tools"), NULL);
  take_each(&self, ck_json_get(body, "system"), NULL);
  take_each(&self, ck_json_get(body, "messages"), "content");
  *count = self.count;
  if (!self.problem && self.count > MARKS_MAX) self.problem = "more marks than four";
  return self.problem;
}
