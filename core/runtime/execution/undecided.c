/* undecided.c - words for a stop that no policy decided. */
#include "core/runtime/execution/undecided.h"

#include <string.h>

#include "core/base/text.h"
void ck_undecided_append(char text[CK_ERROR_TEXT_MAX], const ck_error *failed) {
  size_t len = strlen(text);
  ck_text_format(text + len, CK_ERROR_TEXT_MAX - len,
                 "; no policy decided what follows, for a hook failed: %s", failed->text);
}
