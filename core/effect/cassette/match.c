/* match.c - compares an effect with its record, and shows both when they differ. */
#include <string.h>

#include "core/base/placeholder.h"
#include "core/base/utf8.h"
#include "core/effect/cassette/record.h"
#include "core/redact/redact.h"

enum {
  SHOWN = 200,
  SHOWN_BEFORE = 60
}; /* bytes shown of each side; bytes of them before the first difference */

/* One side of a comparison: the flow's effect, or the cassette's record. */
typedef struct side {
  ck_buffer label, body;
  bool is_message; /* of both conversations, at the same place */
} side;

/* The record at the cursor, as messages name it. */
typedef struct where {
  const ck_cassette *cassette;
  const char *scope;
  size_t number;   /* from 1, within the scope */
  size_t position; /* in the file; SIZE_MAX behind the end */
} where;

/* Where two texts first differ, in each of them. What a placeholder stands for is no difference:
 * they go on where the text behind it, up to the next one, is found again. */
typedef struct difference {
  size_t a, b;
} difference;

/* Bytes behind a placeholder, by which the other text is found again: the more the surer. */
enum { FOLLOWS = 16, FOLLOWS_LEAST = 4 };

static bool skip_placeholder(size_t *masked_at, ck_bytes masked, size_t *at, ck_bytes text) {
  size_t passed =
      ck_placeholder_measure((ck_bytes){masked.data + *masked_at, masked.len - *masked_at});
  if (!passed) return false;
  ck_bytes rest = {masked.data + *masked_at + passed, masked.len - *masked_at - passed}, next;
  if (ck_placeholder_find(&next, NULL, rest)) rest.len = (size_t)(next.data - rest.data);
  if (rest.len > FOLLOWS) rest.len = FOLLOWS;
  const char *found = NULL;
  for (; !found; rest.len /= 2) {
    found = memmem(text.data + *at, text.len - *at, rest.data, rest.len);
    if (!found && rest.len <= FOLLOWS_LEAST) return false;
  }
  *masked_at += passed;
  *at = (size_t)(found - text.data);
  return true;
}

static size_t placeholder_at(ck_bytes text, size_t at) {
  return ck_placeholder_measure((ck_bytes){text.data + at, text.len - at});
}

static difference first_difference(ck_bytes a, ck_bytes b) {
  difference at = {0, 0};
  while (at.a < a.len && at.b < b.len) {
    size_t in_a = placeholder_at(a, at.a), in_b = placeholder_at(b, at.b);
    bool passed = !(in_a && in_b) &&
                  (skip_placeholder(&at.a, a, &at.b, b) || skip_placeholder(&at.b, b, &at.a, a));
    bool same = (in_a && in_b) || a.data[at.a] == b.data[at.b];
    if (!passed && !same) break;
    if (passed) continue;
    at.a += in_a && in_b ? in_a : 1;
    at.b += in_a && in_b ? in_b : 1;
  }
  return at;
}

/* The part of `text` around byte `center`, cut at characters. */
static void append_part(ck_buffer *out, ck_bytes text, size_t center) {
  size_t begin =
      text.len > SHOWN && center > SHOWN_BEFORE ? ck_utf8_cut(text.data, center - SHOWN_BEFORE) : 0;
  size_t rest = text.len - begin;
  size_t length = rest <= SHOWN ? rest : ck_utf8_cut(text.data + begin, SHOWN);
  if (begin) ck_buffer_append_text(out, "…");
  ck_buffer_append(out, text.data + begin, length);
  if (length < rest) ck_buffer_append_text(out, "…");
}

static void append_side(ck_buffer *out, const side *it, size_t center) {
  ck_buffer_append_bytes(out, ck_buffer_bytes(&it->label));
  if (it->body.len) ck_buffer_append_char(out, ' ');
  append_part(out, ck_buffer_bytes(&it->body), center);
}

static void append_where(ck_buffer *out, const where *at) {
  ck_buffer_append_format(out, "record %zu of scope %.64s", at->number, at->scope);
  if (at->position == SIZE_MAX) {
    ck_buffer_append_text(out, " (behind the end)");
  } else {
    ck_buffer_append_format(out, " (%s %zu)", at->cassette->position_name, at->position);
  }
}

/* Empties both sides. */
static ck_status diverge(const where *at, side *asked, side *held, ck_error *err) {
  ck_buffer text = {0};
  bool alike = ck_bytes_equal(ck_buffer_bytes(&asked->label), ck_buffer_bytes(&held->label));
  difference center = {0, 0};
  if (alike || (asked->is_message && held->is_message))
    center = first_difference(ck_buffer_bytes(&asked->body), ck_buffer_bytes(&held->body));
  append_where(&text, at);
  ck_buffer_append_text(&text, ": the flow asks ");
  append_side(&text, asked, center.a);
  ck_buffer_append_text(&text, "; the cassette holds ");
  append_side(&text, held, center.b);
  bool failed = text.failed || asked->label.failed || asked->body.failed || held->label.failed ||
                held->body.failed;
  ck_status status =
      failed ? ck_error_no_memory(err) : ck_error_set(err, CK_E_DIVERGED, "%s", text.data);
  ck_buffer *const all[] = {&text, &asked->label, &asked->body, &held->label, &held->body};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) ck_buffer_clear(all[i]);
  return status;
}

/* Strings as the text they stand for: their spelling makes no difference. */
static void append_decoded(ck_buffer *out, ck_bytes json) {
  if (!ck_json_read_string(out, json)) ck_buffer_append_bytes(out, json);
}

static void describe_effect(side *out, const ck_effect *effect) {
  if (effect->kind != CK_EFFECT_TOOL) {
    ck_buffer_append_text(&out->label, effect->kind == CK_EFFECT_ASK ? "the user" : "the model");
    return;
  }
  ck_buffer name = {0};
  int64_t index = -1;
  append_decoded(&name, ck_json_get(effect->request, "name"));
  (void)ck_json_read_int(&index, ck_json_get(effect->request, "index"));
  ck_buffer_append_format(&out->label, "tool %.64s, call %lld, with", name.data ? name.data : "",
                          (long long)index);
  append_decoded(&out->body, ck_json_get(effect->request, "arguments"));
  ck_buffer_clear(&name);
}

static void describe_record(side *out, const ck_record *record) {
  if (record->own) {
    ck_buffer_append_text(&out->label, "the flow's own call");
    ck_buffer_append_bytes(&out->body, ck_value_bytes(record->own));
    return;
  }
  if (record->kind == CK_EFFECT_TOOL) {
    ck_buffer_append_format(&out->label, "tool %.64s, call %lld, with", record->name,
                            (long long)record->index);
    append_decoded(&out->body, ck_value_bytes(record->arguments));
    return;
  }
  ck_buffer_append_text(&out->label, record->kind == CK_EFFECT_ASK ? "the user's" : "the model's");
  append_decoded(&out->body, ck_value_bytes(record->value));
}

static ck_status diverge_at(const where *at, const ck_effect *effect, const ck_record *record,
                            ck_error *err) {
  side asked = {0}, held = {0};
  describe_effect(&asked, effect);
  if (record) {
    describe_record(&held, record);
  } else {
    ck_buffer_append_text(&held.label, "nothing more");
  }
  return diverge(at, &asked, &held, err);
}

/* `message` NULL: that side ends with `last`, the message before; NULL: it has none at all. */
static void describe_message(side *out, size_t number, const ck_value *message,
                             const ck_value *last) {
  out->is_message = message != NULL;
  ck_buffer_append_format(&out->label, message ? "with message %zu" : "no message %zu", number);
  if (!message && last)
    ck_buffer_append_format(&out->label, ": it ends with message %zu", number - 1);
  if (!message) message = last;
  if (message) ck_buffer_append_bytes(&out->body, ck_value_bytes(message));
}

/* Sets `*starved` when there was no memory for a comparison. */
static bool is_same_json(ck_bytes a, ck_bytes b, bool *starved) {
  if (ck_placeholder_equal(a, b)) return true;
  if (ck_json_type_of(a) != CK_JSON_STRING || ck_json_type_of(b) != CK_JSON_STRING) return false;
  ck_buffer left = {0}, right = {0};
  append_decoded(&left, a);
  append_decoded(&right, b);
  bool same = ck_placeholder_equal(ck_buffer_bytes(&left), ck_buffer_bytes(&right));
  *starved |= left.failed || right.failed;
  ck_buffer_clear(&left);
  ck_buffer_clear(&right);
  return same;
}

/* True when `asked` fits a message whose content was not recorded: an answer to the same call. */
static bool fits_hole(ck_bytes asked, ck_bytes held, bool *starved) {
  static const char *const names[] = {"role", "tool_call_id", "name"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!is_same_json(ck_json_get(asked, names[i]), ck_json_get(held, names[i]), starved))
      return false;
  }
  return true;
}

/* What one side has masked is no difference: a recording that was made under other policies has
 * placeholders elsewhere. */
static bool can_be_same(ck_bytes asked, ck_bytes held) {
  if (ck_redact_matches(asked, held) || ck_redact_matches(held, asked)) return true;
  if (!ck_redact_is_masked(asked) || !ck_redact_is_masked(held)) return false;
  difference end = first_difference(asked, held);
  return end.a == asked.len && end.b == held.len;
}

/* The index of the first of the `count` recorded messages that differs from the one sent, SIZE_MAX
 * when none does; what was sent begins with `skipped` more messages. */
static size_t find_difference(const ck_recorded_scope *scope, size_t count,
                              const ck_conversation *sent, size_t skipped, bool *starved) {
  size_t sent_count = ck_conversation_count(sent) - skipped, hole = 0, at = 0;
  for (; at < count && at < sent_count; at++) {
    const ck_value *held = ck_conversation_get(scope->conversation, at);
    const ck_value *asked = ck_conversation_get(sent, at + skipped);
    bool is_hole = hole < scope->hole_count && scope->holes[hole] == at;
    hole += is_hole;
    if (held == asked || can_be_same(ck_value_bytes(asked), ck_value_bytes(held))) continue;
    if (!is_hole || !fits_hole(ck_value_bytes(asked), ck_value_bytes(held), starved)) return at;
  }
  return count == sent_count ? SIZE_MAX : at;
}

static ck_status diverge_in_digest(const where *at, const ck_digest *sent,
                                   const ck_digest *recorded, ck_error *err) {
  side asked = {0}, held = {0};
  char hex[CK_DIGEST_HEX_SIZE];
  ck_digest_hex(hex, sent);
  ck_buffer_append_format(&asked.label, "with messages of digest %s", hex);
  ck_digest_hex(hex, recorded);
  ck_buffer_append_format(&held.label, "request_digest %s", hex);
  return diverge(at, &asked, &held, err);
}

/* Usually one comparison of digests; message by message where the recording leaves contents open,
 * and to find the difference. */
static ck_status match_model(const where *at, const ck_recorded_scope *scope,
                             const ck_record *record, const ck_conversation *sent, ck_error *err) {
  ck_digest digest = ck_conversation_digest(sent);
  bool has_hole = scope->hole_count && scope->holes[0] < record->messages;
  bool has_request = record->has_request && !has_hole;
  if (record->has_request && ck_digest_equal(&digest, &record->request))
    return CK_OK; /* the contents before it that were left open */
  if (!has_request && ck_digest_equal(&digest, &record->prefix)) return CK_OK;
  size_t skipped = 0;
  if (!at->cassette->prompt && ck_conversation_count(sent)) {
    skipped = ck_json_is_text(ck_json_get(ck_value_bytes(ck_conversation_get(sent, 0)), "role"),
                              "system");
  }
  bool starved = false;
  size_t first = find_difference(scope, record->messages, sent, skipped, &starved);
  if (starved) return ck_error_no_memory(err);
  /* Recordings of earlier versions digested fingerprints, too. */
  if (first == SIZE_MAX)
    return has_request && !ck_conversation_is_masked(sent)
               ? diverge_in_digest(at, &digest, &record->request, err)
               : CK_OK;
  side asked = {0}, held = {0};
  const ck_value *shared = first ? ck_conversation_get(scope->conversation, first - 1) : NULL;
  bool is_sent = first + skipped < ck_conversation_count(sent);
  describe_message(&asked, first + 1, is_sent ? ck_conversation_get(sent, first + skipped) : NULL,
                   shared);
  if (skipped) ck_buffer_append_text(&asked.label, " behind its prompt");
  describe_message(
      &held, first + 1,
      first < record->messages ? ck_conversation_get(scope->conversation, first) : NULL, shared);
  return diverge(at, &asked, &held, err);
}

/* Calls of one message may come in any order: the index identifies the record. Nearly always it is
 * the one at the cursor. */
static const ck_record *find_call(const ck_recorded_scope *scope, size_t cursor, int64_t index) {
  const ck_record *here = &scope->records[cursor];
  if (here->kind != CK_EFFECT_TOOL) return NULL;
  if (here->index == index) return here;
  for (size_t i = here->batch; i < here->batch_end; i++) {
    if (scope->records[i].index == index) return &scope->records[i];
  }
  return NULL;
}

static bool is_same_call(const ck_record *record, ck_bytes request, bool *starved) {
  return ck_json_is_text(ck_json_get(request, "name"), record->name) &&
         is_same_json(ck_json_get(request, "arguments"), ck_value_bytes(record->arguments),
                      starved);
}

/* Calls of the flow's own in a row are matched by their requests, in any order; equal requests by
 * any record of them. */
static ck_status match_own(const ck_record **out, const where *at, const ck_recorded_scope *scope,
                           const ck_effect *effect, ck_error *err) {
  size_t cursor = at->number - 1;
  for (size_t step = 0; step < scope->count; step++) {
    size_t i = step == 0 ? cursor : scope->records[cursor].batch + step - 1;
    const ck_record *record = &scope->records[i];
    if (i >= scope->count || !record->own || record->batch != scope->records[cursor].batch) break;
    if (!record->value || !ck_redact_matches(ck_value_bytes(record->own), effect->request))
      continue;
    *out = record;
    return CK_OK;
  }
  return diverge_at(at, effect, &scope->records[cursor], err);
}

static ck_status match_tool(const ck_record **out, const where *at, const ck_recorded_scope *scope,
                            const ck_effect *effect, ck_error *err) {
  int64_t index = -1;
  if (scope->records[at->number - 1].own) return match_own(out, at, scope, effect, err);
  (void)ck_json_read_int(&index, ck_json_get(effect->request, "index"));
  const ck_record *found = find_call(scope, at->number - 1, index);
  bool starved = false,
       same = found && found->value && is_same_call(found, effect->request, &starved);
  if (starved) return ck_error_no_memory(err);
  if (same) {
    *out = found;
    return CK_OK;
  }
  if (!found) return diverge_at(at, effect, &scope->records[at->number - 1], err);
  where there = *at;
  there.number = (size_t)(found - scope->records) + 1;
  there.position = found->position;
  return diverge_at(&there, effect, found, err);
}

/* A run lists a server's tools whenever it opens, a resumed one again: lists do not move the
 * cursor. The one that holds is the last one before it. */
static ck_status match_list(const ck_record **out, const where *at, const ck_recorded_scope *scope,
                            const ck_effect *effect, ck_error *err) {
  for (size_t i = 0; scope && i < scope->list_count; i++) {
    const ck_recorded_list *list = &scope->lists[i];
    if (!ck_redact_matches(ck_value_bytes(list->record.own), effect->request)) continue;
    if (!*out || list->before <= effect->consumed) *out = &list->record;
  }
  ck_bytes server = ck_json_get(effect->request, "server");
  return *out ? CK_OK
              : ck_error_set(err, CK_E_DIVERGED,
                             "the flow asks in scope %.64s for the tools of the server %.*s; the "
                             "cassette does not list them",
                             at->scope, server.len > 64 ? 64 : (int)server.len, server.data);
}

ck_status ck_cassette_match(const ck_record **out, const ck_cassette *self, const ck_effect *effect,
                            ck_error *err) {
  *out = NULL;
  const ck_recorded_scope *scope = ck_cassette_find(self, effect->scope);
  if (!scope && self->scope_count) {
    return ck_error_set(
        err, CK_E_DIVERGED,
        "the flow asks in scope %.64s; the cassette has no such scope (it has %.64s)",
        effect->scope, self->scopes[0].name);
  }
  size_t count = scope ? scope->count : 0;
  where at = {.cassette = self,
              .scope = effect->scope,
              .number = (size_t)effect->consumed + 1,
              .position = SIZE_MAX};
  if (effect->kind == CK_EFFECT_TOOL && !ck_effect_is_tool_call(effect))
    return match_list(out, &at, scope, effect, err);
  if (effect->consumed >= count) {
    return effect->kind == CK_EFFECT_TOOL ? diverge_at(&at, effect, NULL, err) : CK_OK;
  }
  const ck_record *record = &scope->records[effect->consumed];
  at.position = record->position;
  if (effect->kind == CK_EFFECT_TOOL) return match_tool(out, &at, scope, effect, err);
  if (record->kind != effect->kind) return diverge_at(&at, effect, record, err);
  if (record->kind == CK_EFFECT_MODEL) {
    if (!effect->conversation)
      return ck_error_set(err, CK_E_USAGE, "a model effect without a conversation");
    ck_status status = match_model(&at, scope, record, effect->conversation, err);
    if (status) return status;
  }
  *out = record;
  return CK_OK;
}
