/* rerun_tail.c - asks tail again: about the events of each section that an agent was told. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime/session/tail/tail_section.h"
#include "core/runtime/simulation/hook_rerun_private.h"

/* One section on its way. */
typedef struct telling {
  ck_asking *asking;
  const char *agent;
  ck_event **all; /* that the agent took part in, oldest first; borrowed */
  size_t count;
  size_t first; /* the section's first place in the list */
  ck_status status;
} telling;

static ck_rerun_place *find_place(const telling *self, int64_t seq) {
  const ck_hook_rerun *list = self->asking->out;
  for (size_t i = self->first; i < list->count; i++)
    if (list->list[i].seq == seq) return &list->list[i];
  return NULL;
}

/* The walk can come by an event twice. */
static ck_status put_place(ck_rerun_place **out, telling *self, int64_t seq) {
  *out = find_place(self, seq);
  return *out ? CK_OK : ck_asking_add(out, self->asking, seq, self->agent);
}

static ck_status put_word(char **word, bool in, ck_error *err) {
  free(*word);
  *word = strdup(in ? "in" : "out");
  return *word ? CK_OK : ck_error_no_memory(err);
}

/* ---- what is said now ---- */

/* In the place of the engine's hook. What it is shown is as the store has it, live as here. */
static ck_status ask_tail(bool *out, ck_answers *said, void *of, const ck_event *event,
                          const char *agent, ck_error *err) {
  telling *self = of;
  ck_asking *asking = self->asking;
  const ck_unknown nothing = {0};
  ck_error failure = CK_ERROR_INIT;
  ck_status asked = CK_OK;
  ck_rerun_place *place;
  (void)err;
  *out = true;
  ck_asking_watch(asking, &nothing);
  if (asking->engine.tail)
    asked = asking->engine.tail(out, said, asking->engine.self, event, agent, &failure);
  *out = *out && asked == CK_OK;
  ck_status status = put_place(&place, self, event->seq);
  if (status == CK_OK) status = put_word(&place->now.word, *out, asking->err);
  if (status == CK_OK) status = ck_asking_settle(asking, place, asked, &failure);
  if (status != CK_OK) self->status = status;
  return CK_OK;
}

static int64_t depth_of(const ck_profile *profile, const char *agent) {
  const ck_profile_agent *own = ck_profile_get_agent(profile, agent);
  return own && own->replay_depth >= 0 ? own->replay_depth : profile->replay_depth;
}

static ck_status ask_now(telling *self, const ck_tail_query *like, size_t depth) {
  const ck_policy_engine engine = {.self = self, .tail = ask_tail};
  ck_tail tail;
  ck_tail_query query = *like;
  query.n = depth;
  query.policies = &engine;
  ck_status status = ck_tail_read(&tail, self->asking->store, &query, self->asking->err);
  ck_tail_clear(&tail);
  return status == CK_OK ? self->status : status;
}

/* ---- what was told then ---- */

/* The last line of a section, which loses it; false: there is none but the heading. */
static bool take_last(ck_bytes *out, ck_bytes *section, size_t heading) {
  size_t begin = section->len;
  if (section->len <= heading) return false;
  while (begin > heading && section->data[begin - 1] != '\n') begin--;
  *out = (ck_bytes){section->data + begin, section->len - begin};
  section->len = begin - 1;
  return true;
}

static ck_status is_line(bool *out, const ck_event *event, ck_bytes line, ck_error *err) {
  ck_buffer text = {0};
  ck_tail_append_line(&text, event);
  ck_status status = ck_buffer_check(&text, err);
  *out = status == CK_OK && ck_bytes_equal(ck_buffer_bytes(&text), line);
  ck_buffer_clear(&text);
  return status;
}

/* In the section, and not asked about now: others fill the tail. */
static ck_status note_beyond(telling *self, const ck_event *event, size_t depth) {
  ck_rerun_place *place;
  ck_error *err = self->asking->err;
  ck_status status = put_place(&place, self, event->seq);
  if (status == CK_OK) status = put_word(&place->then.word, true, err);
  if (status != CK_OK || place->now.word) return status;
  status = put_word(&place->now.word, false, err);
  bool made = asprintf(&place->now.text, "beyond the newest %zu", depth) >= 0;
  if (!made) place->now.text = NULL;
  return made ? status : ck_error_no_memory(err);
}

/* From the newest line on; of what is older than the oldest one it is not known whether it was
 * asked about. A section that was rewritten when it was recorded tells of nothing. */
static ck_status match_lines(telling *self, ck_bytes section, size_t depth, bool notes) {
  ck_buffer heading = {0};
  ck_tail_append_heading(&heading);
  ck_bytes line;
  ck_status status = ck_buffer_check(&heading, self->asking->err);
  bool more = status == CK_OK && take_last(&line, &section, heading.len), in;
  for (size_t i = self->count; status == CK_OK && more && i-- > 0;) {
    const ck_event *event = self->all[i];
    status = is_line(&in, event, line, self->asking->err);
    if (status == CK_OK && in) more = take_last(&line, &section, heading.len);
    if (status != CK_OK || !notes) continue;
    ck_rerun_place *place = find_place(self, event->seq);
    if (in)
      status = note_beyond(self, event, depth);
    else if (place)
      status = put_word(&place->then.word, false, self->asking->err);
  }
  ck_buffer_clear(&heading);
  return status == CK_OK && more ? CK_E_NOT_FOUND : status;
}

static ck_status tell_then(telling *self, ck_bytes section, size_t depth) {
  ck_status status = match_lines(self, section, depth, false);
  if (status == CK_OK) return match_lines(self, section, depth, true);
  return status == CK_E_NOT_FOUND ? CK_OK : status;
}

/* ---- a section ---- */

static int by_seq(const void *a, const void *b) {
  const ck_rerun_place *left = a, *right = b;
  return (left->seq > right->seq) - (left->seq < right->seq);
}

static ck_status tell(ck_asking *self, const ck_event *event, const char *agent,
                      const ck_view *view) {
  telling of = {.asking = self, .agent = agent, .first = self->out->count};
  ck_tail all = {0};
  ck_buffer section = {0};
  const ck_tail_query query = {.session = self->head.session.no,
                               .view = view,
                               .until = event->seq - 1,
                               .agent = agent,
                               .n = SIZE_MAX,
                               .without_rewound = true};
  size_t depth = (size_t)depth_of(self->source->profile, agent);
  ck_status status = ck_tail_read(&all, self->store, &query, self->err);
  of.all = all.events;
  of.count = all.count;
  if (status == CK_OK) status = ask_now(&of, &query, depth);
  ck_json_read_string(&section, ck_json_get(ck_value_bytes(event->body), "result"));
  if (status == CK_OK) status = ck_buffer_check(&section, self->err);
  if (status == CK_OK) status = tell_then(&of, ck_buffer_bytes(&section), depth);
  if (self->out->count > of.first)
    qsort(self->out->list + of.first, self->out->count - of.first, sizeof *self->out->list, by_seq);
  ck_buffer_clear(&section);
  ck_tail_clear(&all);
  return status;
}

/* Under a profile whose agents resume with their conversations, no model is told a tail. */
static bool is_told(const ck_asking *self, const ck_begun_effect *begun) {
  const ck_profile *profile = self->source->profile;
  if (profile->resume_with_tail || profile->budget_micros == CK_SIMULATE_AS_RECORDED) return true;
  return !begun || !ck_json_is_text(ck_json_get(ck_value_bytes(begun->intent), "kind"), "model");
}

/* Whose it is stands in the intent that follows: a kill can come first. NULL: not known. */
static const ck_begun_effect *find_begun(const ck_asking *self, ck_bytes body) {
  char *key = ck_json_dup_string(ck_json_get(body, "key"));
  size_t len = key ? strlen(key) : 0;
  if (len > strlen("/tail")) key[len - strlen("/tail")] = 0;
  const ck_begun_effect *begun = key ? ck_begun_effects_get(&self->effects, key) : NULL;
  free(key);
  return begun;
}

void ck_rerun_tail_take(ck_asking *self, const ck_event *event) {
  ck_view view = {0};
  ck_rerun_place *place;
  const ck_begun_effect *begun = find_begun(self, ck_value_bytes(event->body));
  const char *agent = begun ? begun->agent : NULL;
  if (!is_told(self, begun)) return;
  self->status = ck_asking_open(self, event->timeline);
  if (self->status == CK_OK && !agent) {
    self->status = ck_asking_add(&place, self, event->seq, NULL);
    if (self->status == CK_OK) place->unknown = "agent";
    return;
  }
  if (self->status == CK_OK)
    self->status = ck_view_make(&view, self->head.timelines, self->head.timeline_count,
                                event->timeline, self->err);
  if (self->status == CK_OK) self->status = tell(self, event, agent, &view);
  ck_view_clear(&view);
}
