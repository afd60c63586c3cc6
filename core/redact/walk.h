/* walk.h - one pass over a JSON document: its open levels, and the rules of their names. */
#ifndef CK_REDACT_WALK_H
#define CK_REDACT_WALK_H

#include "core/redact/redact_private.h"

/* One open array or object; the outermost level is that of the document itself. */
typedef struct ck_walk_level {
  size_t open, mark;        /* its beginning; the number of edits before it */
  bool object, named;       /* a member's name was read, its value is expected */
  const ck_key_rule *outer; /* the rule for all of its values; NULL: none */
  const ck_key_rule *rule;  /* the rule for the expected value; NULL: none */
  bool outer_id, id;        /* the same, for ids */
  bool type_due, seal_due;  /* the expected value is the object's type; its signature */
  bool thinking, sealed;
  size_t last_end, dropped_from; /* of the elements of an array */
  bool kept, dropping;
} ck_walk_level;

typedef struct ck_walk {
  const ck_walk_case *of;
  ck_edits *out;
  ck_error *err;
  size_t at;
  int depth, masked_names; /* names masked in this document */
  ck_walk_level levels[CK_JSON_DEPTH_MAX + 2];
} ck_walk;

/* The string from `start` to `end`, without its quotes, as a value of `level`. */
CK_CHECKED ck_status ck_walk_string(ck_walk *self, const ck_walk_level *level, size_t start,
                                    size_t end);
/* The same string as a member's name: sets what `level` expects. */
CK_CHECKED ck_status ck_walk_name(ck_walk *self, ck_walk_level *level, size_t start, size_t end);
/* A number, or true, false, null. */
CK_CHECKED ck_status ck_walk_scalar(ck_walk *self, const ck_walk_level *level, size_t start,
                                    size_t end);

#endif
