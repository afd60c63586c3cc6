/* difference.c - compares two JSON values, level by level. */
#include "core/model/difference.h"

#include <stdlib.h>
#include <string.h>

const char *ck_difference_name(ck_difference_kind kind) {
  static const char *const names[] = {"add", "remove", "replace"};
  return names[kind];
}

typedef struct finding {
  ck_buffer path;
  ck_difference_visit visit;
  void *visitor;
  bool stopped;
  ck_status status;
  ck_error *err;
} finding;

static bool continues(const finding *self) { return self->status == CK_OK && !self->stopped; }

static void fail(finding *self) { self->status = ck_error_no_memory(self->err); }

/* ---- containers as lists ---- */

typedef struct part {
  size_t offset, len; /* of the decoded name, in `names` */
  const char *name;
  ck_bytes value;
} part;

typedef struct parts {
  part *list;
  size_t count;
  ck_buffer names;
} parts;

static void clear(parts *self) {
  free(self->list);
  ck_buffer_clear(&self->names);
}

static int compare_names(const part *a, const part *b) {
  size_t len = a->len < b->len ? a->len : b->len;
  int order = len ? memcmp(a->name, b->name, len) : 0;
  return order ? order : (a->len > b->len) - (a->len < b->len);
}

static int compare_parts(const void *a, const void *b) { return compare_names(a, b); }

/* The elements of an array in order, or the members of an object by name. */
static void collect(parts *out, finding *self, ck_bytes container) {
  size_t count = ck_json_count(container);
  *out = (parts){.list = calloc(count + 1, sizeof *out->list)};
  if (!out->list) {
    fail(self);
    return;
  }
  ck_json_iterator it = ck_json_iterate(container);
  while (out->count < count && ck_json_next(&it)) {
    part *one = &out->list[out->count++];
    *one = (part){.offset = out->names.len, .value = it.value};
    if (it.object) ck_json_read_string(&out->names, it.name);
    one->len = out->names.len - one->offset;
  }
  if (out->names.failed) fail(self);
  if (self->status != CK_OK || !it.object) return;
  for (size_t i = 0; i < out->count; i++) out->list[i].name = out->names.data + out->list[i].offset;
  qsort(out->list, out->count, sizeof *out->list, compare_parts);
}

/* ---- the same ---- */

static bool same(finding *self, ck_bytes a, ck_bytes b);

static bool same_text(finding *self, ck_bytes a, ck_bytes b) {
  ck_buffer one = {0}, other = {0};
  bool equal = ck_json_read_string(&one, a) && ck_json_read_string(&other, b) &&
               ck_bytes_equal(ck_buffer_bytes(&one), ck_buffer_bytes(&other));
  if (one.failed || other.failed) fail(self);
  ck_buffer_clear(&one);
  ck_buffer_clear(&other);
  return equal;
}

static bool same_parts(finding *self, ck_bytes a, ck_bytes b) {
  parts one, other = {0};
  collect(&one, self, a);
  if (self->status == CK_OK) collect(&other, self, b);
  bool equal = self->status == CK_OK && one.count == other.count;
  for (size_t i = 0; equal && i < one.count; i++) {
    const part *p = &one.list[i], *q = &other.list[i];
    equal = compare_names(p, q) == 0 && same(self, p->value, q->value);
  }
  clear(&one);
  clear(&other);
  return equal;
}

static bool same(finding *self, ck_bytes a, ck_bytes b) {
  if (ck_bytes_equal(a, b)) return true;
  ck_json_type type = ck_json_type_of(a);
  if (type != ck_json_type_of(b)) return false;
  if (type == CK_JSON_STRING) return same_text(self, a, b);
  if (type == CK_JSON_ARRAY || type == CK_JSON_OBJECT) return same_parts(self, a, b);
  return type != CK_JSON_NUMBER;
}

/* ---- what differs ---- */

static void find(finding *self, ck_bytes from, ck_bytes to);

static void tell(finding *self, ck_difference_kind kind, ck_bytes old, ck_bytes now) {
  if (self->path.failed) fail(self);
  if (!continues(self)) return;
  ck_difference one = {kind, ck_buffer_bytes(&self->path), old, now};
  self->stopped = !self->visit(self->visitor, &one);
}

static size_t enter_name(finding *self, const part *member) {
  size_t before = self->path.len;
  ck_buffer_append_char(&self->path, '/');
  for (size_t i = 0; i < member->len; i++) {
    char c = member->name[i];
    if (c == '~')
      ck_buffer_append_text(&self->path, "~0");
    else if (c == '/')
      ck_buffer_append_text(&self->path, "~1");
    else
      ck_buffer_append_char(&self->path, c);
  }
  return before;
}

static size_t enter_index(finding *self, size_t index) {
  size_t before = self->path.len;
  ck_buffer_append_format(&self->path, "/%zu", index);
  return before;
}

static void leave(finding *self, size_t before) {
  if (before < self->path.len) self->path.len = before;
}

/* One step of a merge of both lists, which are sorted by name. */
static void find_member(finding *self, const part *old, const part *now) {
  size_t before = enter_name(self, old ? old : now);
  if (!now)
    tell(self, CK_DIFFERENCE_REMOVE, old->value, (ck_bytes){0});
  else if (!old)
    tell(self, CK_DIFFERENCE_ADD, (ck_bytes){0}, now->value);
  else
    find(self, old->value, now->value);
  leave(self, before);
}

static void find_in_objects(finding *self, const parts *from, const parts *to) {
  size_t i = 0, j = 0;
  while (continues(self) && (i < from->count || j < to->count)) {
    const part *old = i < from->count ? &from->list[i] : NULL,
               *now = j < to->count ? &to->list[j] : NULL;
    int order = !old ? 1 : !now ? -1 : compare_names(old, now);
    find_member(self, order <= 0 ? old : NULL, order >= 0 ? now : NULL);
    i += order <= 0;
    j += order >= 0;
  }
}

static void find_in_middle(finding *self, const parts *from, const parts *to, size_t begin,
                           size_t end) {
  size_t old_end = from->count - end, now_end = to->count - end,
         both = old_end < now_end ? old_end : now_end;
  for (size_t i = begin; continues(self) && i < both; i++) {
    size_t before = enter_index(self, i);
    find(self, from->list[i].value, to->list[i].value);
    leave(self, before);
  }
  for (size_t i = old_end;
       continues(self) && i-- > both;) { /* backward, so that the indexes in the paths stay valid */
    size_t before = enter_index(self, i);
    tell(self, CK_DIFFERENCE_REMOVE, from->list[i].value, (ck_bytes){0});
    leave(self, before);
  }
  for (size_t i = both; continues(self) && i < now_end; i++) {
    size_t before = enter_index(self, i);
    tell(self, CK_DIFFERENCE_ADD, (ck_bytes){0}, to->list[i].value);
    leave(self, before);
  }
}

static void find_in_arrays(finding *self, const parts *from, const parts *to) {
  size_t shorter = from->count < to->count ? from->count : to->count, begin = 0, end = 0;
  while (continues(self) && begin < shorter &&
         same(self, from->list[begin].value, to->list[begin].value))
    begin++;
  while (continues(self) && end < shorter - begin &&
         same(self, from->list[from->count - 1 - end].value, to->list[to->count - 1 - end].value))
    end++;
  find_in_middle(self, from, to, begin, end);
}

static void find_in_containers(finding *self, ck_bytes from, ck_bytes to, bool objects) {
  parts old, now = {0};
  collect(&old, self, from);
  if (self->status == CK_OK) collect(&now, self, to);
  if (continues(self) && objects)
    find_in_objects(self, &old, &now);
  else if (continues(self))
    find_in_arrays(self, &old, &now);
  clear(&old);
  clear(&now);
}

static void find(finding *self, ck_bytes from, ck_bytes to) {
  if (ck_bytes_equal(from, to)) return;
  ck_json_type type = ck_json_type_of(from);
  bool containers =
      type == ck_json_type_of(to) && (type == CK_JSON_ARRAY || type == CK_JSON_OBJECT);
  if (containers)
    find_in_containers(self, from, to, type == CK_JSON_OBJECT);
  else if (!same(self, from, to))
    tell(self, CK_DIFFERENCE_REPLACE, from, to);
}

ck_status ck_difference_find(ck_bytes from, ck_bytes to, ck_difference_visit visit, void *visitor,
                             ck_error *err) {
  finding self = {.visit = visit, .visitor = visitor, .err = err};
  find(&self, from, to);
  ck_buffer_clear(&self.path);
  return self.status;
}
