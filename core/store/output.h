/* output.h - long outputs of programs, kept by a store beside which no file can lie: each under its
 * name, in rows of a megabyte, with the session that it belongs to.
 *
 * What is kept is what a file beside a store in a file would be, sealed with the store's key where
 * it has one. A row's check tells when it is not what was written; the last one says that it is, so
 * one that is cut off is found. */
#ifndef CK_STORE_OUTPUT_H
#define CK_STORE_OUTPUT_H

#include "core/base/shelf.h"
#include "core/store/store.h"

struct ck_backend;

bool ck_store_keeps_outputs(const ck_store *self);
/* Names are SESSION-HEX-…, and a '.' may stand before. Borrows the store. Whoever writes, moves or
 * removes holds the session's lease by this store: CK_E_FENCED. */
CK_CHECKED ck_status ck_store_open_outputs(ck_shelf *out, ck_store *self, ck_error *err);
bool ck_output_is_kept(const struct ck_backend *backend);
/* The same of a store that nobody else writes, while its key is being changed. */
CK_CHECKED ck_status ck_output_open_alone(ck_shelf *out, const struct ck_backend *backend,
                                          const char *url, ck_error *err);

#endif
