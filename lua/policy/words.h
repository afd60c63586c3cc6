/* words.h - the lists of words that fields of views are of: kinds, classes, statuses of sessions
 * and of failures. */
#ifndef CK_LUA_POLICY_WORDS_H
#define CK_LUA_POLICY_WORDS_H

enum { VIEW_WORDS_MAX = 47 };

typedef struct view_words {
  const char *type;                      /* as a field has it: "ck.BoundaryKind" */
  const char *words[VIEW_WORDS_MAX + 1]; /* ends with NULL */
} view_words;

/* Ends with a NULL type. */
extern const view_words ck_view_words[];

/* Those of a type that is written `type` or `type|nil`; NULL: it is no list of words. */
const char *const *ck_view_words_of(const char *type);

/* What keys that views name begin with. */
typedef struct view_forms {
  const char *type; /* as a field has it: "ck.ItemKey" */
  const char *meaning;
  const char *forms[10]; /* ends with NULL */
} view_forms;

/* Ends with a NULL type. */
extern const view_forms ck_view_forms[];

/* Those of a type that begins with its name; NULL: it is no key. */
const view_forms *ck_view_forms_of(const char *type);

#endif
