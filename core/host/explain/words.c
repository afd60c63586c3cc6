/* words.c - what explanations in rows, in sentences and as JSON say alike. */
#include "core/host/explain/words.h"

void ck_words_append_name(ck_buffer *out, const ck_said *said) {
  if (ck_json_type_of(said->name) == CK_JSON_STRING)
    ck_json_read_string(out, said->name);
  else
    ck_buffer_append_format(out, "policy %d", said->place + 1);
}

const char *ck_words_unrecorded(ck_status recorded) {
  if (recorded == CK_E_NEWER) return "not known: recorded by a later version of ckrun";
  if (recorded == CK_E_CORRUPT) return "not known: what is recorded cannot be read";
  return "not recorded";
}
