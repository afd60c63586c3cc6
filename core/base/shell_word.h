/* shell_word.h - a word of a command line that is printed to be copied. */
#ifndef CK_BASE_SHELL_WORD_H
#define CK_BASE_SHELL_WORD_H

#include "core/base/buffer.h"

/* Appends `word`, quoted where a shell would change it or take it for several (POSIX, Shell Command
 * Language, 2.2). */
void ck_shell_word_append(ck_buffer *out, const char *word);
/* The same for a command that stands in single quotes in a message ('ckrun …'): in double quotes,
 * unless those would not do. */
void ck_shell_word_append_quoted(ck_buffer *out, const char *word);

#endif
