/* lineage.h - the origin and the forks of a session, as they are shown. */
#ifndef CK_HOST_INSPECT_LINEAGE_H
#define CK_HOST_INSPECT_LINEAGE_H

#include "core/host/print/document.h"
#include "core/host/print/table.h"
#include "core/host/session/session_filter.h"
#include "core/store/store.h"

typedef struct ck_relative {
  char id[CK_ID_SIZE];
  int64_t cut;
} ck_relative;

/* Zero-initialise. */
typedef struct ck_lineage {
  const ck_session_filter *filter; /* forks that are not of it are left out; NULL: none is */
  ck_store *store;                 /* while it is read */
  ck_relative origin;              /* id "": it is no fork */
  ck_relative *forks;              /* oldest first */
  size_t count, cap;
  bool failed;
} ck_lineage;

CK_CHECKED ck_status ck_lineage_read(ck_lineage *self, ck_store *store,
                                     const ck_session_record *record, ck_error *err);
void ck_lineage_clear(ck_lineage *self);
/* Adds "origin": {session, cut}, where there is one, and "forks": [{session, cut}, …]. */
void ck_lineage_put(ck_document *document, const ck_lineage *self);
/* A row "origin", and a row "fork" for each. */
void ck_lineage_put_rows(ck_table *table, const ck_lineage *self);

#endif
