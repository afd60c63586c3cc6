/* description.c - says what a checkpoint is: a sentence for each kind of boundary. */
#include "core/model/description.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"

/* Behind the last "effect KEY: " of an error; the error itself when there is none. */
static const char *without_keys(const char *text) {
  static const char word[] = "effect ";
  const char *rest = text;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
    const char *key = at + sizeof word - 1, *end = key + strcspn(key, " ");
    if (memchr(key, '/', (size_t)(end - key)) && end[-1] == ':' && *end) rest = end + 1;
  }
  return rest;
}

static const char * or (const char *text, const char *otherwise) { return text ? text : otherwise; }

static const char *subject(const ck_described *what) {
  return or (what->node, or (what->agent, "a node"));
}

/* Of a node in a loop: which of its visits, from the second on. */
static void append_lap(ck_buffer *out, const ck_described *what) {
  if (what->number > 1) ck_buffer_append_format(out, " (visit %" PRId64 ")", what->number);
}

static void append_turn(ck_buffer *out, const ck_described *what) {
  if (what->number > 0)
    ck_buffer_append_format(out, "turn %" PRId64, what->number);
  else
    ck_buffer_append_text(out, "a turn");
  const char *who = or (what->agent, what->node);
  ck_buffer_append_format(out, "%s%s completed", who ? " of " : "", or (who, ""));
}

/* What a message is about to call, and whose it is. */
static void append_call(ck_buffer *out, const ck_described *what) {
  ck_buffer_append_format(out, "before %s", or (what->tool, "a call"));
  if (what->number > 0) ck_buffer_append_format(out, " in turn %" PRId64, what->number);
  if (what->agent) ck_buffer_append_format(out, " of %s", what->agent);
}

static void append_visit(ck_buffer *out, const ck_described *what) {
  if (!what->node)
    append_turn(out, what);
  else if (what->number > 0)
    ck_buffer_append_format(out, "before visit %" PRId64 " of %s", what->number, what->node);
  else
    ck_buffer_append_format(out, "before another visit of %s", what->node);
}

static void append_round(ck_buffer *out, const ck_described *what) {
  if (what->number <= 0)
    ck_buffer_append_text(out, "a round completed");
  else if (what->of >= what->number)
    ck_buffer_append_format(out, "round %" PRId64 " of %" PRId64 " completed", what->number,
                            what->of);
  else
    ck_buffer_append_format(out, "round %" PRId64 " completed", what->number);
}

static void append_start(ck_buffer *out, const ck_described *what) {
  ck_buffer_append_format(out, what->error ? "before another try of %s" : "before %s",
                          subject(what));
  append_lap(out, what);
}

static void append_completion(ck_buffer *out, const ck_described *what) {
  ck_buffer_append_format(out, what->error ? "going on without %s" : "completed %s", subject(what));
  append_lap(out, what);
}

static void append_edge(ck_buffer *out, const ck_described *what) {
  if (what->error)
    ck_buffer_append_text(out, subject(what));
  else
    ck_buffer_append_format(out, "behind %s", subject(what));
  append_lap(out, what);
  if (what->error) ck_buffer_append_text(out, " failed");
  if (what->next) ck_buffer_append_format(out, ", before %s", what->next);
}

static void append_safe_point(ck_buffer *out, const ck_described *what) {
  ck_buffer_append_format(out, "safe point%s%s", what->node ? " " : "", or (what->node, ""));
  append_lap(out, what);
}

/* How a run ends: the word, the node of a failure, and why. */
static void append_end(ck_buffer *out, const ck_described *what, const char *word) {
  const char *why = or (what->error, what->reason), *node = what->error ? what->node : NULL;
  ck_buffer_append_format(out, "%s%s%s", word, node ? " at " : "", or (node, ""));
  if (why && *why) ck_buffer_append_format(out, ": %s", without_keys(why));
}

static void append_edit(ck_buffer *out, const ck_described *what) {
  append_end(out, what, "edited");
}
static void append_pause(ck_buffer *out, const ck_described *what) {
  append_end(out, what, "paused");
}
static void append_failure(ck_buffer *out, const ck_described *what) {
  append_end(out, what, "failed");
}
static void append_waiting(ck_buffer *out, const ck_described *what) {
  append_end(out, what, "waiting");
}
static void append_final(ck_buffer *out, const ck_described *what) {
  append_end(out, what, "the session completed");
}

static void (*const sentences[])(ck_buffer *, const ck_described *) = {
    [CK_BOUNDARY_NODE_START] = append_start,
    [CK_BOUNDARY_NODE_COMPLETE] = append_completion,
    [CK_BOUNDARY_EDGE_TRANSITION] = append_edge,
    [CK_BOUNDARY_LOOP_ITERATION] = append_visit,
    [CK_BOUNDARY_BEFORE_CALL] = append_call,
    [CK_BOUNDARY_TOOL_ROUND] = append_turn,
    [CK_BOUNDARY_ROUND_COMPLETE] = append_round,
    [CK_BOUNDARY_STEP_COMPLETE] = append_completion,
    [CK_BOUNDARY_SAFE_POINT] = append_safe_point,
    [CK_BOUNDARY_USER_CHECKPOINT] = append_waiting,
    [CK_BOUNDARY_PAUSE] = append_pause,
    [CK_BOUNDARY_FAILURE] = append_failure,
    [CK_BOUNDARY_EDIT] = append_edit,
    [CK_BOUNDARY_FINAL] = append_final,
};

void ck_description_append(ck_buffer *out, const ck_described *what) {
  size_t kind = (size_t)what->kind;
  if (kind < sizeof sentences / sizeof *sentences && sentences[kind]) sentences[kind](out, what);
}

static ck_bytes text_member(const ck_value *info, const char *name) {
  ck_bytes value = info ? ck_json_get(ck_value_bytes(info), name) : (ck_bytes){0};
  return ck_json_type_of(value) == CK_JSON_STRING ? value : (ck_bytes){0};
}

bool ck_description_is_stored(const ck_value *info) {
  return text_member(info, "description").len > 0;
}

void ck_description_append_stored(ck_buffer *out, ck_boundary_kind kind, const ck_value *info) {
  static const char *const members[] = {"node", "next", "agent"};
  char *texts[] = {NULL, NULL, NULL};
  if (ck_description_is_stored(info)) {
    ck_json_read_string(out, text_member(info, "description"));
    return;
  }
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
    ck_bytes value = text_member(info, members[i]);
    texts[i] = value.len ? ck_json_dup_string(value) : NULL;
    if (value.len && !texts[i]) out->failed = true;
  }
  ck_description_append(
      out, &(ck_described){.kind = kind, .node = texts[0], .next = texts[1], .agent = texts[2]});
  for (size_t i = 0; i < sizeof members / sizeof *members; i++) free(texts[i]);
}
