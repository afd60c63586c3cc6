/* finish.c - why an answer ended, and what people are told of one that is not as it should be. */
#include <string.h>

#include "core/effect/model/run.h"

/* The words of the APIs for an end that is not the model's own. */
static const char *const cuts[] = {"length",
                                   "max_tokens",
                                   "max_output_tokens",
                                   "MAX_TOKENS",
                                   "model_context_window_exceeded",
                                   "content_filter",
                                   "SAFETY",
                                   "RECITATION",
                                   "LANGUAGE",
                                   "BLOCKLIST",
                                   "PROHIBITED_CONTENT",
                                   "SPII",
                                   "IMAGE_SAFETY",
                                   "OTHER"};
enum { OF_LIMIT = 4 }; /* so many of them, from the first, name the limit of the answer */

const char *ck_model_cut_word(ck_bytes reason) {
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
    if (ck_json_is_text(reason, cuts[i])) return cuts[i];
  return NULL;
}

static bool is_of_limit(const char *word) {
  for (size_t i = 0; i < OF_LIMIT; i++)
    if (strcmp(word, cuts[i]) == 0) return true;
  return false;
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
  note_cut(out, self);
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
