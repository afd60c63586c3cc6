/* line_editor.h - lines from stdin: on a terminal with editing and a history, by libedit.
 *
 * The library is loaded when the first line is asked for, so that no other command pays for it.
 * Where it is missing, lines are read as the terminal gives them. The history ends with the
 * process: lines can hold what must not be written down. */
#ifndef CK_HOST_CLI_LINE_EDITOR_H
#define CK_HOST_CLI_LINE_EDITOR_H

#include <stdbool.h>

/* Zero-initialise: plain lines without a prompt. */
typedef struct ck_line_editor {
  char *(*read)(const char *prompt);
  int (*remember)(const char *line);
  bool prompts;
} ck_line_editor;

/* For a terminal. `library`: NULL: libedit.so.2. False: it has no editing, but a prompt. */
bool ck_line_editor_open(ck_line_editor *self, const char *library);
/* The next line without its end, malloc'd; NULL: there is none. */
char *ck_line_editor_read(const ck_line_editor *self, const char *prompt);

#endif
