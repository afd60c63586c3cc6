/* policy_changes.c - compares recorded lists of policies, and tells the differences. */
#include "core/host/session/policy_changes.h"

#include <stdio.h>
#include <string.h>

#include "core/base/placeholder.h"
#include "core/host/print/excerpt.h"
#include "core/redact/options.h"
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

static ck_status ask(ck_redact_answer *out, void *to, const char *key, const ck_value *value,
                     ck_error *err) {
  const ck_policy_cleaning *self = to;
  ck_redaction redaction = {0};
  ck_fingerprint_key fingerprint;
  if (self->key) memcpy(fingerprint.bytes, self->key, sizeof fingerprint.bytes);
  ck_item item = {.key = key, .value = value, .fingerprint = self->key ? &fingerprint : NULL};
  ck_status status = self->policies->redact(&redaction, self->policies->self, &item, err);
  *out = (ck_redact_answer){status == CK_OK ? redaction.verdict : CK_REDACT_DROP, redaction.ref,
                            redaction.value};
  return status;
}

void ck_policy_cleaning_begin(const ck_policy_cleaning *self) {
  if (self->policies && self->policies->redact)
    ck_redactor_set_hook(self->redactor, ask, (void *)self);
}

void ck_policy_cleaning_end(const ck_policy_cleaning *self) {
  ck_redactor_set_hook(self->redactor, NULL, NULL);
}

/* Of options of which something is masked: nothing in the store can be tried against it. */
static void write_digest(ck_json_writer *w, const ck_policy_cleaning *with, ck_bytes plain,
                         ck_bytes kept) {
  char hex[CK_DIGEST_HEX_SIZE], id[CK_FINGERPRINT_SIZE] = "", text[100];
  ck_fingerprint_key key;
  ck_digester digester;
  ck_digester_init(&digester);
  if (with->key) {
    memcpy(key.bytes, with->key, sizeof key.bytes);
    ck_fingerprint_write(id, &key, ck_bytes_text("options"));
    ck_digester_update(&digester, key.bytes, sizeof key.bytes);
    ck_digester_update_field(&digester, plain);
  } else {
    ck_placeholder_digest_field(&digester, kept);
  }
  ck_digest digest = ck_digester_final(&digester);
  ck_digest_hex(hex, &digest);
  snprintf(text, sizeof text, "%c%s%s", with->key ? 'k' : 'm', id, hex);
  ck_json_put_text(w, text);
}

/* The member of that name, cleaned; NULL: there is none. `*masked`: it is not as it was. */
static ck_status clean_member(ck_value **out, bool *masked, const ck_policy_cleaning *with,
                              ck_bytes entry, const char *name, ck_error *err) {
  ck_value *value;
  ck_bytes given = ck_json_get(entry, name);
  *out = NULL;
  *masked = false;
  if (!given.len) return CK_OK;
  ck_status status = ck_value_copy(&value, given, err);
  if (status == CK_OK) status = ck_redactor_apply_options(out, with->redactor, value, err);
  *masked = *out && !ck_bytes_equal(ck_value_bytes(*out), given);
  ck_value_free(value);
  return status;
}

/* `set` is there for the digest alone, where `options` are those in force. */
static void write_entry_clean(ck_json_writer *w, const ck_policy_cleaning *with, ck_bytes entry,
                              const ck_value *options, const ck_value *digested) {
  for (ck_json_iterator it = ck_json_iterate(entry); ck_json_next(&it);) {
    if (ck_bytes_equal(it.name, ck_bytes_text("\"set\""))) continue;
    bool these = ck_bytes_equal(it.name, ck_bytes_text("\"options\""));
    bool digest = ck_bytes_equal(it.name, ck_bytes_text("\"options_digest\"")) &&
                  ck_json_type_of(it.value) == CK_JSON_STRING;
    ck_json_raw_name(w, it.name);
    if (digest && digested)
      write_digest(w, with, it.value, ck_value_bytes(digested));
    else
      ck_json_put_raw(w, these && options ? ck_value_bytes(options) : it.value);
  }
}

static ck_status clean_entry(ck_json_writer *w, const ck_policy_cleaning *with, ck_bytes entry,
                             ck_error *err) {
  ck_value *options, *set = NULL;
  bool masked, set_masked = false, own = !ck_json_get(entry, "set").len;
  ck_status status = clean_member(&options, &masked, with, entry, "options", err);
  if (status == CK_OK && !own) status = clean_member(&set, &set_masked, with, entry, "set", err);
  const ck_value *digested = own && masked ? options : set_masked ? set : NULL;
  ck_json_begin(w, '{');
  if (status == CK_OK) write_entry_clean(w, with, entry, options, digested);
  ck_json_end(w, '}');
  ck_value_free(options);
  ck_value_free(set);
  return status;
}

ck_status ck_policy_list_clean(ck_value **out, const ck_policy_cleaning *with, const ck_value *list,
                               ck_error *err) {
  ck_buffer text = {0};
  ck_json_writer w = {.out = &text};
  ck_json_iterator it = ck_json_iterate(ck_value_bytes(list));
  ck_status status = CK_OK;
  *out = NULL;
  ck_policy_cleaning_begin(with);
  ck_json_begin(&w, '[');
  while (status == CK_OK && ck_json_next(&it)) status = clean_entry(&w, with, it.value, err);
  ck_json_end(&w, ']');
  ck_policy_cleaning_end(with);
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

/* How many differ. `loose`: what is masked was so under another key, and stands for anything. */
static size_t write_options(ck_json_writer *w, ck_bytes then, ck_bytes now, bool loose) {
  ck_bytes before = ck_json_get(then, "options"), after = ck_json_get(now, "options");
  size_t count = 0;
  for (ck_json_iterator it = ck_json_iterate(before); ck_json_next(&it);) {
    ck_bytes is = get_raw(after, it.name);
    if (loose ? ck_placeholder_equal(is, it.value) : ck_bytes_equal(is, it.value)) continue;
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
  if (ck_policy_has_same_options(then, now)) return;
  if (tells_options(then) && tells_options(now) && write_options(w, then, now, false)) return;
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

bool ck_policy_changes_write_masked(ck_json_writer *w, ck_bytes then, ck_bytes now) {
  bool any = false;
  for (ck_json_iterator it = ck_json_iterate(then); ck_json_next(&it);) {
    ck_bytes found = ck_policy_list_find(now, it.value);
    if (!found.len || !ck_policy_is_same(it.value, found)) continue;
    if (!ck_policy_hides_options(it.value) && !ck_policy_hides_options(found)) continue;
    begin(w, found, "options");
    ck_json_member_bool(w, "certain", false);
    end(w, (ck_bytes){0}, (ck_bytes){0});
    any = true;
  }
  return any;
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
        ck_policy_has_same_options(before, it.value);
    bool loose = ck_policy_is_of_other_key(before, it.value);
    if (known && own && guards(it.value)) write_options(w, before, it.value, loose);
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
    bool certain = ck_json_type_of(ck_json_get(change, "certain")) != CK_JSON_FALSE;
    ck_buffer_append_text(out, certain ? "the options of " : "whether the options of ");
    append_whose(out, change);
    ck_buffer_append_text(out, certain ? " are others, and what they were is not recorded"
                                       : " are the same cannot be told, for they are masked, the "
                                         "store has no key, and the profile's text is another");
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
