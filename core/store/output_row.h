/* output_row.h - a part of a long output as it is stored. A part of backend.h. */
#ifndef CK_STORE_OUTPUT_ROW_H
#define CK_STORE_OUTPUT_ROW_H

#include "core/store/rows.h"

enum { CK_OUTPUT_PART = 1 << 20 };

typedef struct ck_output_row {
  const char *name;
  int64_t part; /* from 0; all but the last have CK_OUTPUT_PART bytes */
  bool last;
  int64_t check; /* of part, last and bytes; the name may change */
  ck_bytes body;
} ck_output_row;
typedef void (*ck_output_row_visit)(void *to, const ck_output_row *row);
/* False: no more. */
typedef bool (*ck_output_visit)(void *to, const char *name, int64_t bytes);

/* CK_BACKEND_OUTPUT. A lease with epoch 0 is not compared: the caller is alone in the store. */
typedef struct ck_output_functions {
  /* Of a session (NULL: of all), ascending by name; `visit` may read and write. */
  CK_CHECKED ck_status (*list)(void *self, const char *session_id, ck_output_visit visit, void *to,
                               ck_error *err);
  /* CK_E_NOT_FOUND. */
  CK_CHECKED ck_status (*get)(void *self, const char *name, int64_t part, ck_output_row_visit visit,
                              void *to, ck_error *err);
  /* The first part takes the place of all that has the name. CK_E_FENCED. */
  CK_CHECKED ck_status (*put)(void *self, ck_lease lease, const ck_output_row *row, ck_error *err);
  /* It gets the name, in the place of what has it; NULL: it is removed. */
  CK_CHECKED ck_status (*move)(void *self, ck_lease lease, const char *name, const char *as,
                               ck_error *err);
} ck_output_functions;

#endif
