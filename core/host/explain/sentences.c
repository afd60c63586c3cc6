/* sentences.c - explains one boundary in whole sentences. */
#include <string.h>

#include "core/host/explain/candidates.h"
#include "core/host/explain/explanation.h"
#include "core/host/explain/masked_words.h"
#include "core/host/explain/not_asked.h"
#include "core/host/explain/words.h"
#include "core/host/print/format.h"

static void end(ck_buffer *out) { ck_buffer_append(out, "", 1); }

static void append_member(ck_buffer *out, const ck_explanation *self, const char *name,
                          const char *before) {
  ck_bytes value = ck_json_get(ck_value_bytes(self->event->body), name);
  if (ck_json_type_of(value) != CK_JSON_STRING) return;
  ck_buffer_append_text(out, before);
  ck_json_read_string(out, value);
}

/* "event 3, node_complete of a: a checkpoint was taken, checkpoint_…". */
static void say_what(ck_buffer *out, const ck_explanation *self) {
  const ck_event *event = self->event;
  ck_buffer_append_format(out, "event %lld, ", (long long)event->seq);
  append_member(out, self, "kind", "");
  append_member(out, self, "node", " of ");
  if (event->agent) ck_buffer_append_format(out, ", agent %s", event->agent);
  if (strcmp(event->scope, "main") != 0) ck_buffer_append_format(out, ", scope %s", event->scope);
  ck_buffer_append_text(out, self->checkpoint.len ? ": a checkpoint was taken" : ": no checkpoint");
  append_member(out, self, "checkpoint", ", ");
  end(out);
}

/* An earlier ckrun did not record which of several dropped this one. */
static void append_droppers(ck_buffer *out, const ck_pruned_fate *of) {
  size_t count = of->by.len ? ck_json_count(of->by) : 0;
  if (!count) return;
  ck_buffer_append_text(out, count > 1 && !of->each ? ", by one of " : ", by ");
  ck_candidates_append_names(out, of->by);
}

static void say_kept(ck_buffer *out, const ck_pruned_fate *of) {
  if (!of->kept_at) return;
  ck_buffer_append_format(out, "it was kept at event %lld, ", (long long)of->kept_at);
  if (of->kept_by.len) ck_buffer_append_text(out, "by ");
  ck_candidates_append_names(out, of->kept_by);
  if (!of->kept_by.len)
    ck_buffer_append_text(out, "as the latest, pinned, or one that a run, a fork or another "
                               "checkpoint goes on from");
  ck_buffer_append_text(out, "; it would have been dropped by ");
  ck_candidates_append_names(out, of->against);
  end(out);
}

static void say_fate(ck_buffer *out, const ck_explanation *self) {
  if (self->pruned) {
    ck_buffer_append_text(out, "it was pruned");
    if (self->fate.seq) ck_buffer_append_format(out, " at event %lld", (long long)self->fate.seq);
    append_droppers(out, &self->fate);
    end(out);
  }
  say_kept(out, &self->fate);
  if (!self->abandoned) return;
  ck_buffer_append_text(out, CK_WORDS_ABANDONED);
  end(out);
}

static void say_cause(ck_buffer *out, const ck_explanation *self) {
  if (self->always) {
    ck_buffer_append_format(out, "at a boundary of kind %s one is always taken",
                            ck_boundary_kind_name(self->kind));
    end(out);
  }
  if (!self->requested) return;
  ck_buffer_append_text(out, "a command asked for it, such as ckrun checkpoint");
  end(out);
}

static void append_reason(ck_buffer *out, const ck_said *said) {
  if (ck_json_type_of(said->reason) != CK_JSON_STRING) {
    ck_buffer_append_text(out, ", and gave no reason");
    return;
  }
  ck_buffer_append_text(out, ": ");
  ck_json_read_string(out, said->reason);
}

static void append_owner(ck_buffer *out, const ck_said *said) {
  ck_bytes agent = ck_json_get(said->policy, "agent");
  bool of_agent = ck_json_type_of(agent) == CK_JSON_STRING;
  if (said->version) ck_buffer_append_format(out, " (version %lld", (long long)said->version);
  if (said->version && (of_agent || said->namesakes)) {
    ck_buffer_append_text(out, of_agent ? ", of agent " : ", of the profile");
    if (of_agent) ck_json_read_string(out, agent);
  }
  if (said->version) ck_buffer_append_text(out, ")");
}

static void say_answer(ck_buffer *out, const ck_said *said, const char *failure) {
  ck_words_append_name(out, said);
  append_owner(out, said);
  if (said->answer == CK_ANSWER_FAILED) {
    ck_buffer_append_text(out, " failed: then a checkpoint is taken, and waited for");
    if (failure) ck_buffer_append_format(out, "; the first error: %s", failure);
  } else if (ck_said_is_yes(said)) {
    ck_buffer_append_text(
        out, said->answer == CK_ANSWER_SYNC ? " said yes, to be waited for" : " said yes");
    append_reason(out, said);
  } else {
    const char *name = ck_answer_name(CK_HOOK_CHECKPOINT, said->answer);
    ck_buffer_append_format(out, " said %s", name ? name : "what this ckrun does not know");
  }
  end(out);
}

static void say_unrecorded(ck_buffer *out, const ck_explanation *self) {
  if (self->kind == CK_BOUNDARY_EDIT) {
    ck_buffer_append_text(out, "no policy is asked about an edit");
  } else {
    ck_buffer_append_format(out, "who was asked is %s", ck_words_unrecorded(self->said.recorded));
    if (self->said.recorded == CK_E_EMPTY)
      ck_buffer_append_format(out,
                              " (an import or an earlier ckrun wrote the event); "
                              "`ckrun policy explain %s %lld --rerun POLICY` asks a policy now",
                              self->session, (long long)self->event->seq);
  }
  end(out);
}

/* Of a longer list than answers are kept of. */
static void say_too_many(ck_buffer *out, const ck_explanation *self) {
  size_t count = ck_json_count(self->policies);
  if (count <= CK_ANSWERS_POLICIES) return;
  ck_buffer_append_format(out,
                          "of %zu policies the answers of the first %d are recorded, and the "
                          "reasons of all",
                          count, CK_ANSWERS_POLICIES);
  end(out);
}

static void format_ms(ck_buffer *out, int64_t ms) { ck_format_duration(out, ms * 1000); }

/* What policies weigh: all of it is recorded, and nothing where nothing was. */
static void say_since(ck_buffer *out, const ck_explanation *self) {
  static const struct {
    const char *name, *noun;
    void (*format)(ck_buffer *out, int64_t number);
  } all[] = {{"ms", NULL, format_ms},           {"events", "event", NULL},
             {"cost", NULL, ck_format_money},   {"tokens", "token", NULL},
             {"tool_calls", "tool call", NULL}, {"keys", "changed key", NULL},
             {"bytes", NULL, ck_format_bytes}};
  ck_bytes since = ck_json_get(ck_value_bytes(self->event->body), "since");
  const char *before = "since the last checkpoint (or the start): ";
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    int64_t number;
    if (!ck_json_read_int(&number, ck_json_get(since, all[i].name))) continue;
    ck_buffer_append_text(out, before);
    if (all[i].format)
      all[i].format(out, number);
    else
      ck_format_of(out, number, all[i].noun);
    before = ", ";
  }
  if (*before == ',') end(out);
}

static void say_recorded(ck_buffer *out, const ck_explanation *self) {
  ck_words_append_options(out, &self->said);
  ck_not_asked_append_sentences(out, &self->said, self->policies);
  say_too_many(out, self);
  say_since(out, self);
  if (!self->said.count) return;
  ck_buffer_append_text(out, "the question took ");
  ck_format_duration(out, self->said.took_us);
  end(out);
}

static void say_now(ck_buffer *out, const ck_explanation *self) {
  bool differs = ck_rerun_differs(self->rerun, self->now);
  ck_buffer_append_format(out, "%s, asked now: ", self->rerun->policy);
  ck_explanation_append_now(out, self);
  ck_buffer_append_text(out, self->now->taken ? "; a checkpoint" : "; no checkpoint");
  ck_buffer_append_text(out, differs ? ", other than recorded" : ", as recorded");
  end(out);
}

void ck_explanation_append_sentences(ck_buffer *out, const ck_explanation *self) {
  say_what(out, self);
  say_fate(out, self);
  say_cause(out, self);
  for (size_t i = 0; i < self->said.count; i++) say_answer(out, &self->said.list[i], self->failure);
  if (self->said.recorded == CK_OK)
    say_recorded(out, self);
  else
    say_unrecorded(out, self);
  ck_masked_words_append_sentences(out, self->event, self->policies);
  if (self->now) say_now(out, self);
}
