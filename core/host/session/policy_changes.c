/* policy_changes.c - compares recorded lists of policies, and tells the differences. */
#include "core/host/session/policy_changes.h"

#include "core/host/print/excerpt.h"
#include "lua/policy/same_text.h"

enum { VALUE_MAX = 120, DIGEST_SHOWN = 12 };

/* ---- lists ---- */

static bool is_same_entry(ck_bytes a, ck_bytes b) {
  return ck_bytes_equal(ck_json_get(a, "name"), ck_json_get(b, "name")) &&
         ck_bytes_equal(ck_json_get(a, "agent"), ck_json_get(b, "agent"));
}

ck_bytes ck_policy_list_find(ck_bytes list, ck_bytes entry) {
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it);)
    if (is_same_entry(it.value, entry)) return it.value;
  return (ck_bytes){0};
}

/* Its place among the entries; -1: none. */
static int place_of(ck_bytes list, ck_bytes entry) {
  int place = 0;
  for (ck_json_iterator it = ck_json_iterate(list); ck_json_next(&it); place++)
    if (is_same_entry(it.value, entry)) return place;
  return -1;
}

static ck_status clean_entry(ck_json_writer *w, ck_redactor *redactor, ck_bytes entry,
                             ck_error *err) {
  ck_status status = CK_OK;
  ck_json_begin(w, '{');
  for (ck_json_iterator it = ck_json_iterate(entry); status == CK_OK && ck_json_next(&it);) {
    ck_value *value = NULL, *clean = NULL;
    ck_json_raw_name(w, it.name);
    if (ck_bytes_equal(it.name, ck_bytes_text("\"options\""))) {
      status = ck_value_copy(&value, it.value, err);
      if (status == CK_OK)
        status = ck_redactor_apply(&clean, redactor, CK_SINK_REQUEST, NULL, value, err);
    }
    ck_json_put_raw(w, clean ? ck_value_bytes(clean) : it.value);
    ck_value_free(clean);
    ck_value_free(value);
  }
  ck_json_end(w, '}');
  return status;
}

ck_status ck_policy_list_clean(ck_value **out, ck_redactor *redactor, const ck_value *list,
                               ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(list));
  ck_status status = CK_OK;
  *out = NULL;
  ck_json_begin(&w, '[');
  while (status == CK_OK && ck_json_next(&it)) status = clean_entry(&w, redactor, it.value, err);
  ck_json_end(&w, ']');
  if (status == CK_OK) status = ck_value_from(out, &text, err);
  ck_buffer_clear(&text);
  return status;
}

/* ---- changes ---- */

static void begin(ck_json_writer *w, ck_bytes of, const char *what) {
  ck_bytes agent = ck_json_get(of, "agent");
  ck_json_begin(w, '{');
  ck_json_member_raw(w, "policy", ck_json_get(of, "name"));
  if (agent.len) ck_json_member_raw(w, "agent", agent);
  ck_json_member_text(w, "what", what);
}

static void end(ck_json_writer *w, ck_bytes was, ck_bytes now) {
  if (was.len) ck_json_member_raw(w, "was", was);
  if (now.len) ck_json_member_raw(w, "now", now);
  ck_json_end(w, '}');
}

/* An empty table of Lua is a list where the other value is one. */
static ck_bytes beside(ck_bytes value, ck_bytes other) {
  bool empty = ck_json_type_of(value) == CK_JSON_OBJECT && ck_json_count(value) == 0;
  return empty && ck_json_type_of(other) == CK_JSON_ARRAY ? ck_bytes_text("[]") : value;
}

static void write_option(ck_json_writer *w, ck_bytes of, ck_bytes name, ck_bytes was,
                         ck_bytes now) {
  begin(w, of, "option");
  ck_json_member_raw(w, "option", name);
  end(w, beside(was, now), beside(now, was));
}

/* The value behind a name as it was read. */
static ck_bytes get_raw(ck_bytes object, ck_bytes name) {
  for (ck_json_iterator it = ck_json_iterate(object); ck_json_next(&it);)
    if (ck_bytes_equal(it.name, name)) return it.value;
  return (ck_bytes){0};
}

/* How many differ. */
static size_t write_options(ck_json_writer *w, ck_bytes then, ck_bytes now) {
  ck_bytes before = ck_json_get(then, "options"), after = ck_json_get(now, "options");
  size_t count = 0;
  for (ck_json_iterator it = ck_json_iterate(before); ck_json_next(&it);) {
    ck_bytes is = get_raw(after, it.name);
    if (ck_bytes_equal(is, it.value)) continue;
    write_option(w, now, it.name, it.value, is);
    count++;
  }
  for (ck_json_iterator it = ck_json_iterate(after); ck_json_next(&it);) {
    if (get_raw(before, it.name).len) continue;
    write_option(w, now, it.name, (ck_bytes){0}, it.value);
    count++;
  }
  return count;
}

static bool has_same_options(ck_bytes then, ck_bytes now) {
  ck_bytes before = ck_json_get(then, "options_digest");
  return before.len == 0 || ck_bytes_equal(before, ck_json_get(now, "options_digest"));
}

static bool tells_options(ck_bytes entry) {
  return ck_json_type_of(ck_json_get(entry, "options")) == CK_JSON_OBJECT;
}

static void write_entry(ck_json_writer *w, ck_bytes then, ck_bytes now) {
  ck_bytes was = ck_json_get(then, "digest"), is = ck_json_get(now, "digest");
  ck_bytes file = ck_json_get(now, "file"), before = ck_json_get(then, "version"),
           version = ck_json_get(now, "version");
  bool same_version = ck_bytes_equal(before, version);
  if (!ck_policy_is_same_text(was, is)) {
    begin(w, now, "text");
    if (file.len) ck_json_member_raw(w, "file", file);
    if (same_version && version.len) ck_json_member_raw(w, "version", version);
    end(w, was, is);
  }
  if (!same_version) {
    begin(w, now, "version");
    end(w, before, version);
  }
  if (has_same_options(then, now)) return;
  if (tells_options(then) && tells_options(now) && write_options(w, then, now)) return;
  begin(w, now, "options");
  end(w, (ck_bytes){0}, (ck_bytes){0});
}

/* What both have stands in another order. */
static bool is_moved(ck_bytes then, ck_bytes now) {
  int last = -1;
  bool moved = false;
  for (ck_json_iterator it = ck_json_iterate(then); ck_json_next(&it);) {
    int place = place_of(now, it.value);
    moved |= place >= 0 && place < last;
    if (place >= 0) last = place;
  }
  return moved;
}

void ck_policy_changes_write(ck_json_writer *w, ck_bytes then, ck_bytes now) {
  for (ck_json_iterator it = ck_json_iterate(then); ck_json_next(&it);) {
    ck_bytes found = ck_policy_list_find(now, it.value);
    if (found.len) {
      write_entry(w, it.value, found);
      continue;
    }
    begin(w, it.value, "removed");
    end(w, ck_json_get(it.value, "digest"), (ck_bytes){0});
  }
  for (ck_json_iterator it = ck_json_iterate(now); ck_json_next(&it);) {
    if (ck_policy_list_find(then, it.value).len) continue;
    begin(w, it.value, "added");
    end(w, (ck_bytes){0}, ck_json_get(it.value, "digest"));
  }
  if (!is_moved(then, now)) return;
  ck_json_begin(w, '{');
  ck_json_member_text(w, "what", "order");
  ck_json_end(w, '}');
}

bool ck_policy_changes_name(ck_bytes changes, ck_bytes entry) {
  ck_bytes name = ck_json_get(entry, "name"), agent = ck_json_get(entry, "agent");
  for (ck_json_iterator it = ck_json_iterate(changes); ck_json_next(&it);)
    if (ck_bytes_equal(ck_json_get(it.value, "policy"), name) &&
        ck_bytes_equal(ck_json_get(it.value, "agent"), agent))
      return true;
  return false;
}

static bool guards(ck_bytes entry) {
  return ck_json_type_of(ck_json_get(entry, "guards")) == CK_JSON_TRUE;
}

void ck_policy_changes_write_guards(ck_json_writer *w, ck_bytes then, ck_bytes now) {
  for (ck_json_iterator it = ck_json_iterate(now); ck_json_next(&it);) {
    ck_bytes before = ck_policy_list_find(then, it.value);
    bool known = before.len && tells_options(before) && tells_options(it.value);
    bool own =
        ck_policy_is_same_text(ck_json_get(before, "digest"), ck_json_get(it.value, "digest")) &&
        has_same_options(before, it.value);
    if (known && own && guards(it.value)) write_options(w, before, it.value);
  }
}

/* ---- in words ---- */

static void append_text(ck_buffer *out, ck_bytes change, const char *name) {
  ck_json_read_string(out, ck_json_get(change, name));
}

static void append_whose(ck_buffer *out, ck_bytes change) {
  append_text(out, change, "policy");
  if (!ck_json_get(change, "agent").len) return;
  ck_buffer_append_text(out, " for agent ");
  append_text(out, change, "agent");
}

static void append_value(ck_buffer *out, ck_bytes value, ck_bytes other, const char *none) {
  if (value.len)
    ck_excerpt_append(out, value, other, VALUE_MAX);
  else
    ck_buffer_append_text(out, none);
}

static void append_digest(ck_buffer *out, ck_bytes digest) {
  if (digest.len > DIGEST_SHOWN) ck_buffer_append(out, digest.data + 1, DIGEST_SHOWN);
}

static void append_text_change(ck_buffer *out, ck_bytes change) {
  ck_buffer_append_text(out, "the text of ");
  append_whose(out, change);
  ck_buffer_append_text(out, " was ");
  append_digest(out, ck_json_get(change, "was"));
  ck_buffer_append_text(out, " and is ");
  append_digest(out, ck_json_get(change, "now"));
  ck_bytes file = ck_json_get(change, "file"), version = ck_json_get(change, "version");
  if (!file.len && !version.len) return;
  ck_buffer_append_text(out, " (");
  append_text(out, change, "file");
  if (file.len && version.len) ck_buffer_append_text(out, ", ");
  if (version.len) ck_buffer_append_text(out, "still version ");
  ck_buffer_append_bytes(out, version);
  ck_buffer_append_char(out, ')');
}

static void append_value_change(ck_buffer *out, ck_bytes change, bool option) {
  ck_bytes was = ck_json_get(change, "was"), now = ck_json_get(change, "now");
  ck_buffer_append_text(out, option ? "option " : "the version");
  if (option) append_text(out, change, "option");
  ck_buffer_append_text(out, " of ");
  append_whose(out, change);
  ck_buffer_append_text(out, " was ");
  append_value(out, was, now, "not set");
  ck_buffer_append_text(out, " and is ");
  append_value(out, now, was, "not set");
}

/* "memory.card, which keys masked, is masked by no policy any more". Whether ckrun's own rules mask
 * it depends on the value, too. */
static void append_unmasked(ck_buffer *out, ck_bytes change) {
  bool certain = ck_json_type_of(ck_json_get(change, "certain")) == CK_JSON_TRUE;
  ck_bytes where = ck_json_get(change, "where");
  const char *before = "", *verb = ck_json_count(where) > 1 ? "are" : "is";
  if (!certain) {
    ck_buffer_append_text(out, "what ");
    append_whose(out, change);
    ck_buffer_append_text(out, " masked in ");
  }
  for (ck_json_iterator it = ck_json_iterate(where); ck_json_next(&it); before = ", ") {
    ck_buffer_append_text(out, before);
    ck_json_read_string(out, it.value);
  }
  if (certain) {
    ck_buffer_append_text(out, ", which ");
    append_whose(out, change);
    ck_buffer_append_text(out, " masked,");
  }
  ck_buffer_append_format(out, " %s masked by no policy any more", certain ? verb : "may be");
}

void ck_policy_change_append(ck_buffer *out, ck_bytes change) {
  ck_bytes what = ck_json_get(change, "what");
  if (ck_json_is_text(what, "text")) {
    append_text_change(out, change);
  } else if (ck_json_is_text(what, "option") || ck_json_is_text(what, "version")) {
    append_value_change(out, change, ck_json_is_text(what, "option"));
  } else if (ck_json_is_text(what, "unmasked")) {
    append_unmasked(out, change);
  } else if (ck_json_is_text(what, "order")) {
    ck_buffer_append_text(out, "their order is another");
  } else if (ck_json_is_text(what, "options")) {
    ck_buffer_append_text(out, "the options of ");
    append_whose(out, change);
    ck_buffer_append_text(out, " are others, and what they were is not recorded");
  } else {
    append_whose(out, change);
    ck_buffer_append_text(out,
                          ck_json_is_text(what, "removed") ? " is not there any more" : " is new");
  }
}

void ck_policy_changes_append(ck_buffer *out, ck_bytes changes, size_t limit) {
  size_t begun = out->len, left = ck_json_count(changes);
  for (ck_json_iterator it = ck_json_iterate(changes); ck_json_next(&it); left--) {
    if (out->len > begun) ck_buffer_append_text(out, "; ");
    if (out->len - begun > limit) {
      ck_buffer_append_format(out, "and %zu more", left);
      return;
    }
    ck_policy_change_append(out, it.value);
  }
}
