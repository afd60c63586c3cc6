/* script.h - the texts of the Lua files that a run executes: its flow, its profile and those that
 * this extends, their policies. */
#ifndef CK_MODEL_SCRIPT_H
#define CK_MODEL_SCRIPT_H

#include "core/base/digest.h"
#include "core/base/error.h"

typedef struct ck_script {
  const char *kind; /* "flow", "profile", "policy", or "flow_module", "policy_module": a file that
                       one of these requires; static */
  char *asked;      /* the name by which it was asked for */
  char *name;       /* its file's path, or its name in the program: shown in errors */
  bool shipped;     /* with the program */
  bool withheld;    /* not to be kept: it holds a secret */
  ck_buffer text;
  ck_digest digest; /* of the text */
} ck_script;

/* In the order in which they were asked for. Zero-initialise. */
typedef struct ck_scripts {
  ck_script *list;
  size_t count, cap;
  bool closed; /* no file is read: what is not here cannot be had */
} ck_scripts;
void ck_scripts_clear(ck_scripts *self);

/* Copies; one that is there already, by kind and `asked`, is replaced. */
CK_CHECKED ck_status ck_scripts_put(ck_scripts *self, const char *kind, const char *asked,
                                    const char *name, ck_bytes text, ck_error *err);
/* NULL: it was not asked for. Valid until the next one is put. */
ck_script *ck_scripts_get(const ck_scripts *self, const char *kind, const char *asked);

#endif
