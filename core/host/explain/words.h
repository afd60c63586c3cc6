/* words.h - what explanations in rows, in sentences and as JSON say alike. */
#ifndef CK_HOST_EXPLAIN_WORDS_H
#define CK_HOST_EXPLAIN_WORDS_H

#include "core/host/explain/said.h"

/* "tools"; "policy 3" where the names are not known. */
void ck_words_append_name(ck_buffer *out, const ck_said *said);
/* "not recorded", and why: `recorded` as in ck_said_list, not CK_OK. Static. */
const char *ck_words_unrecorded(ck_status recorded);

#endif
