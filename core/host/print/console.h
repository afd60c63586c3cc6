/* console.h - asks the person at the terminal: questions to /dev/tty, answers from there, whatever
 * stdin and stdout are.
 *
 * A line is an answer. A line that ends with a backslash continues in the next line; Ctrl-D ends
 * such a text, too. Ctrl-D alone means that no answer is given now: the session waits. Of several
 * choices one is named by its number or its text; any other input repeats the question. Text that
 * was typed before a question was shown is no answer to it. */
#ifndef CK_HOST_PRINT_CONSOLE_H
#define CK_HOST_PRINT_CONSOLE_H

#include "core/effect/asker.h"
#include "core/effect/loop.h"
#include "core/host/print/output.h"

/* All borrowed for the console's life. */
typedef struct ck_console_options {
  ck_loop *loop;
  ck_output *output; /* redacts the output */
  const char *path;  /* of the terminal; NULL: /dev/tty */
  /* A question is about to be shown (true), or the last one was answered (false): other writers to
   * the terminal pause in between. May be NULL. */
  void (*suppress)(void *to, bool on);
  void *to;
} ck_console_options;

/* CK_OK with NULL: there is no terminal, or this process is not in its foreground. Freed before the
 * loop. */
CK_CHECKED ck_status ck_console_open(ck_asker **out, const ck_console_options *options,
                                     ck_error *err);

#endif
