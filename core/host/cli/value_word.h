/* value_word.h - a value that a person writes on the command line. */
#ifndef CK_HOST_CLI_VALUE_WORD_H
#define CK_HOST_CLI_VALUE_WORD_H

#include "core/model/value.h"

/* JSON, else text. CK_E_PARSE: it begins like JSON ([, { or ") and is none; the message begins with
 * `what`, such as "--set KEY". */
CK_CHECKED ck_status ck_value_word_take(ck_value **out, const char *what, const char *given,
                                        ck_error *err);

#endif
