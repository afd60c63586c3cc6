/* source_list.h - prints which policies or profiles there are. */
#ifndef CK_HOST_PRINT_SOURCE_LIST_H
#define CK_HOST_PRINT_SOURCE_LIST_H

#include "core/host/print/table.h"

typedef struct ck_source_list {
  ck_output *output;
  const char *kind;  /* "policy" */
  const char *parts; /* the member that is its second column: a list */
  const char *part;  /* of which this member counts; NULL: its texts */
  ck_table table;
  ck_buffer others; /* files that are nothing of the kind */
} ck_source_list;

/* `columns`: of the reference, the parts, the summary. */
void ck_source_list_init(ck_source_list *self, ck_output *output, const ck_column *columns);
void ck_source_list_clear(ck_source_list *self);
/* A ck_sources_take: a line of JSON at once, or a row. A file with a problem is no row. */
CK_CHECKED ck_status ck_source_list_take(void *to, ck_bytes json, ck_error *err);
CK_CHECKED ck_status ck_source_list_print(ck_source_list *self, ck_error *err);

#endif
