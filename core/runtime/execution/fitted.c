/* fitted.c - names the limit that left an answer no more tokens than it has. */
#include "core/runtime/execution/fitted.h"

#include <stdio.h>

#include "core/runtime/execution/limits.h"

void ck_fitted_remember(ck_call *self) {
  ck_dimension dimension =
      self->effect.fitted == CK_FIT_TOKENS ? CK_DIMENSION_TOKENS : CK_DIMENSION_BUDGET;
  if (self->effect.fitted) ck_limits_get_tightest(&self->fit, self, dimension);
}

/* An answer that ended for another reason has its note from the driver. */
void ck_fitted_tell(const ck_call *self, ck_outcome *outcome) {
  char limit[CK_ERROR_TEXT_MAX / 2], remedy[CK_STATE_KEY_MAX], text[2 * CK_ERROR_TEXT_MAX];
  ck_limit_hit hit = self->fit;
  if (!outcome->cut || !self->effect.fitted || !outcome->cut_at_maximum) return;
  ck_limits_describe(limit, sizeof limit, &hit);
  hit.asked = self->effect.unfitted;
  ck_limits_write_remedy(remedy, sizeof remedy, &hit);
  snprintf(text, sizeof text,
           "its answer is cut off at %lld tokens, all that was left for it (%s); %s gives such a "
           "call room for a whole answer",
           (long long)self->effect.output_max, limit, remedy);
  ck_outcome_set_cut(outcome, ck_dimension_name(hit.dimension));
  ck_outcome_add_note(outcome, text);
}
