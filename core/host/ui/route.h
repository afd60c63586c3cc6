/* route.h - which command of ckrun answers which request: a table, and the words of the command. */
#ifndef CK_HOST_UI_ROUTE_H
#define CK_HOST_UI_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/host/cli/command.h"

enum { CK_UI_PARAMETERS_MAX = 9, CK_UI_WORDS_MAX = 32 };

/* One of the address. */
typedef struct ck_ui_parameter {
  const char *name;   /* NULL: no more of them */
  const char *option; /* of the command: "--limit", "--limit=tokens"; NULL: an operand, in this
                       * order */
  bool required;
} ck_ui_parameter;

typedef enum {
  CK_UI_ANSWER, /* what the command prints is the answer */
  CK_UI_STREAM, /* its lines are events of a stream, as they come */
  CK_UI_BEGIN   /* it runs on by itself: a resume */
} ck_ui_manner;

typedef struct ck_ui_route {
  const char *path;     /* behind "/api/" */
  const char *words[8]; /* the command with its fixed options; ends with NULL */
  ck_ui_parameter parameters[CK_UI_PARAMETERS_MAX + 1];
  ck_ui_manner manner;
  bool acts; /* it changes something: POST, and only where that is allowed */
  bool text; /* the body of the request is what the command reads from its stdin */
} ck_ui_route;

/* The words of a command; borrowed but for the options, which are its own. */
typedef struct ck_ui_words {
  const char *list[CK_UI_WORDS_MAX + 1]; /* ends with NULL */
  size_t count;
  char *options[CK_UI_PARAMETERS_MAX];
  size_t option_count;
} ck_ui_words;

/* Gives the value of a parameter; NULL: the address has none. */
typedef const char *ck_ui_get(void *from, const char *name);

/* Ends with a NULL path. */
extern const ck_ui_route ck_ui_routes[];
/* NULL: there is no such path. */
const ck_ui_route *ck_ui_route_find(const char *path);
/* CK_E_USAGE: a parameter that must be there is missing. Caller clears, also after a failure. */
CK_CHECKED ck_status ck_ui_route_write(ck_ui_words *out, const ck_ui_route *route,
                                       const ck_host *host, ck_ui_get *get, void *from,
                                       ck_error *err);
void ck_ui_words_clear(ck_ui_words *self);

#endif
