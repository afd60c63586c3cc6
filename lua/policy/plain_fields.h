/* plain_fields.h - the fields of tables within views: the calls of an answer, a message, the models
 * that were asked. */
#ifndef CK_LUA_POLICY_PLAIN_FIELDS_H
#define CK_LUA_POLICY_PLAIN_FIELDS_H

enum { PLAIN_FIELDS_MAX = 5 };

typedef struct plain_field {
  const char *name; /* NULL: no more */
  const char *type; /* as an annotation of the Lua language server */
  const char *meaning;
} plain_field;

typedef struct plain_class {
  const char *class; /* NULL: no more */
  const char *meaning;
  plain_field fields[PLAIN_FIELDS_MAX + 1];
} plain_class;

/* Ends with a NULL class. */
extern const plain_class ck_plain_classes[];

/* That of a type that begins with its name, such as "ck.Call[]|nil"; NULL: there is none. */
const plain_class *ck_plain_class_of(const char *type);

#endif
