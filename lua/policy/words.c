/* words.c - the lists of words, from the core's tables. */
#include "lua/policy/words.h"

#include <stddef.h>
#include <string.h>

#include "core/base/status.h"
#include "core/model/checkpoint.h"
#include "core/model/effect.h"
#include "core/model/event.h"
#include "core/model/session.h"

#define TEXT_3(name, number, text, ...) text,
#define TEXT_2(name, text) text,
#define NAME_3(name, exit, text) #name,
const view_words ck_view_words[] = {
    {"ck.BoundaryKind", {CK_BOUNDARY_TABLE(TEXT_3) NULL}},
    {"ck.EventKind", {CK_EVENT_TABLE(TEXT_3) NULL}},
    {"ck.SessionStatus", {CK_SESSION_STATUS_TABLE(TEXT_3) NULL}},
    {"ck.EffectKind", {CK_EFFECT_KIND_TABLE(TEXT_2) NULL}},
    {"ck.EffectClass", {CK_EFFECT_CLASS_TABLE(TEXT_2) NULL}},
    {"ck.Status", {CK_STATUS_TABLE(NAME_3) NULL}},
    {NULL, {NULL}},
};

const char *const *ck_view_words_of(const char *type) {
  for (const view_words *list = ck_view_words; list->type; list++) {
    size_t len = strlen(list->type);
    if (strncmp(type, list->type, len) == 0 && (!type[len] || type[len] == '|')) return list->words;
  }
  return NULL;
}

const view_forms ck_view_forms[] = {
    {"ck.ItemKey",
     "A key that redact is asked about.",
     {"memory.", "outputs.", "scratch.", "ended.", "position.", "facts.", "options.", "files.",
      NULL}},
    {"ck.ChangedKey", "A key of the flow's own state.", {"memory.", "outputs.", "scratch.", NULL}},
    {NULL, NULL, {NULL}},
};

const view_forms *ck_view_forms_of(const char *type) {
  for (const view_forms *list = ck_view_forms; list->type; list++) {
    size_t len = strlen(list->type);
    if (strncmp(type, list->type, len) == 0 && (!type[len] || strchr("|,", type[len]))) return list;
  }
  return NULL;
}
