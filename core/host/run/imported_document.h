/* imported_document.h - which session a document became, so that it becomes none twice unasked. */
#ifndef CK_HOST_RUN_IMPORTED_DOCUMENT_H
#define CK_HOST_RUN_IMPORTED_DOCUMENT_H

#include "core/base/digest.h"
#include "core/store/store.h"

/* The digest of a JSON document, however it is indented. */
void ck_imported_document_digest(char out[CK_DIGEST_HEX_SIZE], ck_bytes document);
/* CK_E_EXISTS names the session that the document became, the newest of several. */
CK_CHECKED ck_status ck_imported_document_check(ck_store *store, const char *digest, ck_error *err);

#endif
