/* problems.c - a list of problems as JSON, without those that tell of the same mistake again. */
#include "lua/policy_tool/problems.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"

enum { PLACE_SIZE = PATH_MAX + 24 };

static bool contains(ck_bytes text, ck_bytes part) {
  return text.len && memmem(text.data, text.len, part.data, part.len) != NULL;
}

static void put(policy_problems *self, const char *place, const char *text) {
  ck_json_writer w = {.out = &self->list, .comma = self->list.len > 0};
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "place", place);
  ck_json_member_text(&w, "text", text);
  ck_json_end(&w, '}');
}

void ck_policy_problems_put(policy_problems *self, const char *file, int64_t line,
                            const char *text) {
  char place[PLACE_SIZE];
  snprintf(place, sizeof place, "%s:%lld", file, (long long)line);
  put(self, place, text);
}

void ck_policy_problems_note(policy_problems *self, const char *file, int64_t line,
                             const char *needs, const char *text) {
  char place[PLACE_SIZE];
  ck_buffer made = {0};
  ck_json_writer w = {.out = &made};
  snprintf(place, sizeof place, "%s:%lld", file, (long long)line);
  ck_json_begin(&w, '{');
  ck_json_member_text(&w, "place", place);
  ck_json_member_text(&w, "text", text);
  ck_json_member_text(&w, "needs", needs);
  ck_json_end(&w, '}');
  if (!contains(ck_buffer_bytes(&self->notes), ck_buffer_bytes(&made))) {
    if (self->notes.len) ck_buffer_append_char(&self->notes, ',');
    ck_buffer_append_bytes(&self->notes, ck_buffer_bytes(&made));
  }
  self->notes.failed |= made.failed;
  ck_buffer_clear(&made);
}

/* ---- where an error is ---- */

/* Behind "FILE:LINE:" and spaces, when the text begins so; NULL: it does not. Errors show the end
 * of a long path behind three dots. */
static const char *skip_place(int *line, const char *text, const char *file) {
  size_t len = strlen(file), dots = strncmp(text, "...", 3) == 0 ? strcspn(text, ":") : 0;
  if (dots > 3 && dots - 3 <= len && strncmp(text + 3, file + len - (dots - 3), dots - 3) == 0)
    len = dots;
  else if (strncmp(text, file, len) != 0)
    return NULL;
  if (text[len] != ':') return NULL;
  char *end;
  long found = strtol(text + len + 1, &end, 10);
  if (end == text + len + 1 || *end != ':') return text + len + 1 + strspn(text + len + 1, " ");
  *line = (int)found;
  return end + 1 + strspn(end + 1, " ");
}

/* The same of the policy's own file wherever the text names it: `policy "x", hook: FILE:LINE: `. */
static const char *find_message(int *line, const char *text, const char *file) {
  const char *message = skip_place(line, text, file);
  for (const char *at = strstr(text, ": "); !message && at; at = strstr(at + 2, ": "))
    message = skip_place(line, at + 2, file);
  return message ? message : text;
}

/* ---- the same again ---- */

/* True when both have a name in single quotes in common. */
static bool share_name(ck_bytes old, const char *text) {
  for (const char *from = strchr(text, '\''), *to; from; from = strchr(to + 1, '\'')) {
    to = strchr(from + 1, '\'');
    if (!to) return false;
    if (contains(old, (ck_bytes){from, (size_t)(to - from) + 1})) return true;
  }
  return false;
}

/* What fails of nil, where the text is said to fail of it. */
static bool fails_alike(ck_bytes old, const char *text) {
  return contains(old, ck_bytes_text("fails of nil")) && strstr(text, "nil") &&
         (strstr(text, "attempt to compare") || strstr(text, "arithmetic"));
}

static bool is_told(const policy_problems *self, const char *place, const char *text) {
  bool told = false;
  ck_buffer list = {0}, old = {0};
  ck_buffer_append_format(&list, "[%s]", self->list.data ? self->list.data : "");
  ck_json_iterator it = ck_json_iterate(ck_buffer_bytes(&list));
  while (!told && !list.failed && ck_json_next(&it)) {
    if (!ck_json_is_text(ck_json_get(it.value, "place"), place)) continue;
    ck_buffer_reset(&old);
    ck_json_read_string(&old, ck_json_get(it.value, "text"));
    told = ck_bytes_equal(ck_buffer_bytes(&old), ck_bytes_text(text)) ||
           share_name(ck_buffer_bytes(&old), text) || fails_alike(ck_buffer_bytes(&old), text);
  }
  ck_buffer_clear(&list);
  ck_buffer_clear(&old);
  return told;
}

void ck_policy_problems_put_error(policy_problems *self, const char *file,
                                  const ck_scripts *scripts, int line, const char *text) {
  char place[PLACE_SIZE];
  const char *message = find_message(&line, text, file), *inner = NULL;
  for (size_t i = 0; !inner && i < scripts->count; i++) {
    const char *name = scripts->list[i].name;
    inner = skip_place(&line, message, name);
    if (inner) file = name;
  }
  snprintf(place, sizeof place, "%s:%d", file, line);
  if (inner) message = inner;
  if (!is_told(self, place, message)) put(self, place, message);
}

void ck_policy_problems_clear(policy_problems *self) {
  ck_buffer_clear(&self->list);
  ck_buffer_clear(&self->notes);
}
