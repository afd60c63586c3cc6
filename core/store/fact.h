/* fact.h - values that outlive sessions. They are no part of any session's state. */
#ifndef CK_STORE_FACT_H
#define CK_STORE_FACT_H

#include "core/store/store.h"

/* A value under an owner ("" is everybody, else an agent) and a key. Borrowed. */
typedef struct ck_fact {
  const char *owner, *key;
  const ck_value *value; /* NULL: the fact is removed */
  int64_t at_ms;
} ck_fact;
/* Replaces the fact under that key; process-durable. CK_E_UNSUPPORTED. */
CK_CHECKED ck_status ck_store_put_fact(ck_store *self, const ck_fact *fact, ck_error *err);
/* NULL in *out when there is no fact. CK_E_CORRUPT: its row is not what was written. */
CK_CHECKED ck_status ck_store_get_fact(ck_value **out, ck_store *self, const char *owner,
                                       const char *key, ck_error *err);

typedef struct ck_fact_query {
  const char *owner;  /* NULL: any */
  const char *prefix; /* what the key begins with; NULL: anything */
} ck_fact_query;
/* The fact is borrowed for the call; false: no more. */
typedef bool (*ck_fact_visit)(void *to, const ck_fact *fact);
/* Facts in the order of the bytes of owner, then key. CK_E_UNSUPPORTED; CK_E_CORRUPT as above:
 * those before it were visited. */
CK_CHECKED ck_status ck_store_list_facts(ck_store *self, const ck_fact_query *query,
                                         ck_fact_visit visit, void *to, ck_error *err);

#endif
