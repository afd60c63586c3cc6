/* finish.c - why an answer ended, and what people are told of one that is not as it should be. */
#include <string.h>

#include "core/effect/model/run.h"

typedef enum { OF_LIMIT, BLOCKED, STOPPED } end_kind;

/* The words of the APIs for an end that is not the model's own: at a limit of its length; because
 * the provider keeps an answer back, which is no answer; for another reason. Of
 *   chat completions: finish_reason (platform.openai.com/docs/api-reference/chat/object);
 *   responses: incomplete_details.reason (…/api-reference/responses/object);
 *   messages: stop_reason (platform.claude.com/docs/en/build-with-claude/handling-stop-reasons);
 *   Gemini: finishReason (ai.google.dev/api/generate-content#FinishReason). */
static const struct {
  const char *word;
  end_kind kind;
} ends[] = {
    {"length", OF_LIMIT},
    {"max_tokens", OF_LIMIT},
    {"max_output_tokens", OF_LIMIT},
    {"MAX_TOKENS", OF_LIMIT},
    {"model_context_window_exceeded", STOPPED},
    {"content_filter", BLOCKED},
    {"SAFETY", BLOCKED},
    {"RECITATION", BLOCKED},
    {"BLOCKLIST", BLOCKED},
    {"PROHIBITED_CONTENT", BLOCKED},
    {"SPII", BLOCKED},
    {"LANGUAGE", BLOCKED},
    {"IMAGE_SAFETY", BLOCKED},
    {"IMAGE_PROHIBITED_CONTENT", BLOCKED},
    {"IMAGE_RECITATION", BLOCKED},
    {"IMAGE_OTHER", STOPPED},
    {"NO_IMAGE", STOPPED},
    {"OTHER", STOPPED},
    {"TOO_MANY_TOOL_CALLS", STOPPED},
};

static end_kind kind_of(const char *word) {
  end_kind kind = STOPPED;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (strcmp(word, ends[i].word) == 0) kind = ends[i].kind;
  return kind;
}

static bool is_of_limit(const char *word) { return kind_of(word) == OF_LIMIT; }

void ck_model_refuse(ck_model_reply *to, ck_bytes reason, ck_bytes words) {
  bool both = !ck_model_is_blank(reason) && !ck_model_is_blank(words);
  to->refused = true;
  if (ck_model_is_blank(reason) && ck_model_is_blank(words)) return;
  ck_buffer_reset(&to->refusal);
  if (!ck_model_is_blank(reason)) ck_json_read_string(&to->refusal, reason);
  if (both) ck_buffer_append_text(&to->refusal, ": ");
  if (!ck_model_is_blank(words)) ck_json_read_string(&to->refusal, words);
}

void ck_model_take_end(ck_model_reply *to, ck_bytes reason) {
  to->cut = NULL;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ck_json_is_text(reason, ends[i].word)) to->cut = ends[i].word;
  if (to->cut && kind_of(to->cut) == BLOCKED && !to->refused)
    ck_model_refuse(to, reason, (ck_bytes){0});
}

/* Which maximum it was, and who can raise it. */
static void append_maximum(ck_buffer *out, const ck_effect_run *self) {
  long long asked = (long long)self->asked, sent = (long long)self->output_max,
            by_api = (long long)ck_model_api_max_tokens(self->model->api);
  if (asked > 0)
    ck_buffer_append_format(out, "the max_tokens of %lld that the flow or its profile asks for",
                            asked);
  else if (sent > 0)
    ck_buffer_append_format(out,
                            "%lld tokens, the most that is asked for under a limit where nobody "
                            "sets max_tokens: output_max of model \"%s\" raises it",
                            sent, self->model->name);
  else if (by_api > 0)
    ck_buffer_append_format(out, "%lld tokens, asked for where nobody sets max_tokens", by_api);
  else
    ck_buffer_append_text(out, "the model's own maximum");
}

/* Where a limit made it so, the runtime tells it: it knows which. */
static void note_cut(ck_outcome *out, const ck_effect_run *self) {
  const char *word = self->answer.reply.cut;
  ck_buffer text = {0};
  if (!word) return;
  ck_outcome_set_cut(out, word);
  out->cut_at_maximum = is_of_limit(word);
  if (is_of_limit(word) && self->fitted) return;
  ck_buffer_append_text(&text, "its answer is cut off");
  if (is_of_limit(word)) {
    ck_buffer_append_text(&text, " at ");
    append_maximum(&text, self);
  } else {
    ck_buffer_append_format(&text, " by its provider: %s", word);
  }
  if (!text.failed) ck_outcome_add_note(out, text.data);
  ck_buffer_clear(&text);
}

/* Also of what the provider has cut off. */
static void note_refusal(ck_outcome *out, const ck_effect_run *self) {
  const ck_model_reply *reply = &self->answer.reply;
  ck_buffer text = {0};
  if (!reply->refused) return;
  const char *words = reply->refusal.len > 0 ? reply->refusal.data : "refusal";
  ck_outcome_set_refusal(out, words);
  ck_buffer_append_format(&text, "it refuses to answer: %s", words);
  if (!text.failed) ck_outcome_add_note(out, text.data);
  ck_buffer_clear(&text);
}

/* Once in a run: each answer of it will have some. */
static void note_cache(ck_outcome *out, const ck_effect_run *self) {
  const ck_usage *usage = &self->answer.reply.usage;
  int64_t ignored, read = usage->cache_read, write = usage->cache_write + usage->cache_write_long;
  ck_model_price price = ck_price_find(&ignored, self->model->model, &self->model->price);
  bool unpriced = (read > 0 && price.cache_read < 0) || (write > 0 && price.cache_write < 0);
  ck_buffer text = {0};
  if (!unpriced || !ck_price_is_known(&price) || self->driver->told_cache) return;
  self->driver->told_cache = true;
  ck_buffer_append_format(&text,
                          "cached tokens without a price: counted as input; price = { cache_read = "
                          "…, cache_write = … } of model \"%s\" says what they cost",
                          self->model->name);
  if (!text.failed) ck_outcome_add_note(out, text.data);
  ck_buffer_clear(&text);
}

void ck_model_run_note(ck_outcome *out, const ck_effect_run *self) {
  const ck_model_answer *answer = &self->answer;
  out->goes_on = answer->reply.pauses;
  if (answer->reply.model.len) ck_outcome_set_response_model(out, answer->reply.model.data);
  note_cut(out, self);
  note_refusal(out, self);
  note_cache(out, self);
  if (answer->reply.marked)
    ck_outcome_add_note(out,
                        "its stream told no finish_reason, and that all of it was sent: it was "
                        "taken, not paid for again");
  if (*answer->early) {
    ck_buffer text = {0};
    ck_buffer_append_format(&text,
                            "its answer was whole when the connection ended early (%s): it was "
                            "taken, not paid for again",
                            answer->early);
    if (!text.failed) ck_outcome_add_note(out, text.data);
    ck_buffer_clear(&text);
  }
}
