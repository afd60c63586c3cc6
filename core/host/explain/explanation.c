/* explanation.c - reads one boundary, and says in short why it has a checkpoint or none. */
#include "core/host/explain/explanation.h"

#include <stdlib.h>
#include <string.h>

#include "core/host/explain/masked_words.h"
#include "core/host/explain/words.h"

static ck_boundary_kind kind_of(ck_bytes body) {
  char *name = ck_json_dup_string(ck_json_get(body, "kind"));
  ck_boundary_kind kind = name ? ck_boundary_kind_of(name) : 0;
  free(name);
  return kind;
}

void ck_explanation_read(ck_explanation *out, const ck_event *event, ck_bytes policies,
                         const ck_rerun *rerun) {
  ck_bytes body = ck_value_bytes(event->body), id = ck_json_get(body, "checkpoint");
  out->event = event;
  out->policies = policies;
  out->kind = kind_of(body);
  out->checkpoint = ck_json_type_of(id) == CK_JSON_STRING ? id : (ck_bytes){0};
  out->always = out->kind && ck_boundary_kind_always(out->kind);
  out->requested = ck_json_type_of(ck_json_get(body, "requests")) == CK_JSON_ARRAY;
  out->rerun = rerun;
  out->now = rerun ? ck_rerun_at(rerun, event->seq) : NULL;
  ck_said_read(&out->said, event, CK_HOOK_CHECKPOINT, policies);
}

/* ---- in short ---- */

static void separate(ck_buffer *out, size_t begun) {
  if (out->len > begun) ck_buffer_append_text(out, "; ");
}

static void append_reason(ck_buffer *out, ck_bytes reason) {
  if (ck_json_type_of(reason) != CK_JSON_STRING) {
    ck_buffer_append_text(out, " (no reason given)");
    return;
  }
  ck_buffer_append_text(out, ": ");
  ck_json_read_string(out, reason);
}

static void append_yes(ck_buffer *out, size_t begun, const ck_explanation *self) {
  for (size_t i = 0; i < self->said.count; i++) {
    const ck_said *said = &self->said.list[i];
    if (!ck_said_is_yes(said) && said->answer != CK_ANSWER_FAILED) continue;
    separate(out, begun);
    ck_words_append_whose(out, said);
    if (said->answer == CK_ANSWER_FAILED)
      ck_buffer_append_text(out, " failed");
    else
      append_reason(out, said->reason);
  }
}

static void append_no(ck_buffer *out, size_t begun, const ck_explanation *self) {
  const char *before = "no: ";
  for (size_t i = 0; i < self->said.count; i++) {
    if (self->said.list[i].answer != CK_ANSWER_NO) continue;
    if (*before == 'n') separate(out, begun);
    ck_buffer_append_text(out, before);
    ck_words_append_whose(out, &self->said.list[i]);
    before = ", ";
  }
}

void ck_explanation_append_why(ck_buffer *out, const ck_explanation *self) {
  size_t begun = out->len;
  if (self->always) ck_buffer_append_format(out, "always at %s", ck_boundary_kind_name(self->kind));
  if (self->requested) {
    separate(out, begun);
    ck_buffer_append_text(out, "asked for by a command");
  }
  append_yes(out, begun, self);
  append_no(out, begun, self);
  if (out->len == begun && self->said.recorded == CK_OK)
    ck_buffer_append_text(out, "no policy was asked");
  if (out->len == begun) ck_buffer_append_text(out, ck_words_unrecorded(self->said.recorded));
  if (!ck_masked_words_any(self->event)) return;
  ck_buffer_append_text(out, "; ");
  ck_masked_words_append(out, self->event, self->policies);
}

/* Reasons of a simulated decision are those of a recorded one: JSON with `reason`. */
void ck_explanation_append_now(ck_buffer *out, const ck_explanation *self) {
  size_t begun = out->len;
  const ck_simulated_decision *now = self->now;
  if (now && now->failed) ck_buffer_append_text(out, "it failed");
  ck_bytes reasons = now && now->reasons ? ck_value_bytes(now->reasons) : (ck_bytes){0};
  for (ck_json_iterator it = ck_json_iterate(reasons); ck_json_next(&it);) {
    separate(out, begun);
    ck_json_read_string(out, ck_json_get(it.value, "policy"));
    append_reason(out, ck_json_get(it.value, "reason"));
  }
  if (out->len == begun) ck_buffer_append_text(out, self->always ? "always here" : "no");
}
