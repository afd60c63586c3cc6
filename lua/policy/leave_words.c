/* leave_words.c - gathers words and texts of policies about one effect. */
#include "lua/policy/leave_words.h"

#include <stdlib.h>

void ck_leave_words_add(leave_words *self, const char *policy, ck_leave_word word, ck_bytes text) {
  if (word < self->word) return;
  if (word > self->word) {
    ck_buffer_reset(&self->policies);
    ck_buffer_reset(&self->text);
  }
  self->word = word;
  if (self->policies.len) ck_buffer_append_text(&self->policies, ", ");
  ck_buffer_append_text(&self->policies, policy);
  if (self->text.len) ck_buffer_append_text(&self->text, "; ");
  ck_buffer_append_bytes(&self->text, text);
}

bool ck_leave_words_take(ck_leave *out, leave_words *self) {
  bool allowed = self->word == CK_LEAVE_ALLOW;
  *out = (ck_leave){
      .word = self->word, .approved = allowed && self->approved, .answers = self->answers};
  if (allowed) return true;
  out->policies = ck_buffer_take(&self->policies);
  out->text = ck_buffer_take(&self->text);
  if (out->policies && out->text) return true;
  free(out->policies);
  free(out->text);
  *out = (ck_leave){.word = CK_LEAVE_ASK, .answers = self->answers};
  return false;
}
