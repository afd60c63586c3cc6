/* console.h - asks the person at the terminal: questions to /dev/tty, answers from there, whatever
 * stdin and stdout are.
 *
 * A line is an answer. One that ends with a backslash goes on in the next line; Ctrl-D ends such a
 * text, too. Ctrl-D at once means that nobody answers now: the session waits. Of several choices
 * one is named by its number or its text; anything else is asked again. What was typed before a
 * question was shown is no answer to it. */
#ifndef CK_HOST_PRINT_CONSOLE_H
#define CK_HOST_PRINT_CONSOLE_H

#include "core/effect/asker.h"
#include "core/effect/loop.h"
#include "core/host/print/output.h"

/* All borrowed for the console's life. */
typedef struct ck_console_options {
  ck_loop *loop;
  ck_output *output; /* redacts what is shown */
  const char *path;  /* of the terminal; NULL: /dev/tty */
  /* A question is about to be shown (true), or the last one is over (false): whoever else writes to
   * the terminal gives way. May be NULL. */
  void (*suppress)(void *to, bool on);
  void *to;
} ck_console_options;

/* CK_OK with NULL: there is no terminal, or this process does not stand in its foreground. Freed
 * before the loop. */
CK_CHECKED ck_status ck_console_open(ck_asker **out, const ck_console_options *options,
                                     ck_error *err);

#endif
