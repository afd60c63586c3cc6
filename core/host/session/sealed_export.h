/* sealed_export.h - an export that only a key opens.
 *
 * "CKEXPORT" and the id of the key, 8 bytes, then the document, sealed as core/base/sealed_text.h
 * says and bound to that id, with a key of its own that is derived from the key (seal.h). It may be
 * renamed and copied, and says nothing of itself but its length. */
#ifndef CK_HOST_SESSION_SEALED_EXPORT_H
#define CK_HOST_SESSION_SEALED_EXPORT_H

#include "core/host/cli/command.h"
#include "core/store/format/seal.h"

/* The key `given` by its reference (--seal-key), else the host's (--key); *out is NULL without
 * both. Failures as of ck_key_source_read. */
CK_CHECKED ck_status ck_sealed_export_key(ck_key **out, const char *given, const ck_host *host,
                                          ck_error *err);

/* Appends a file. */
CK_CHECKED ck_status ck_sealed_export_write(ck_buffer *out, const ck_key *key, ck_bytes document,
                                            ck_error *err);

/* Whether it begins as a sealed export does. The second one: the file at `path`, false also when it
 * cannot be read. */
bool ck_sealed_export_is(ck_bytes file);
bool ck_sealed_export_is_at(const char *path);

/* Appends the document of the file that was read from `path`: all of it, or nothing.
 * CK_E_SECRET_MISSING: no key (NULL); CK_E_OTHER_KEY: it has another one; CK_E_CORRUPT: it was
 * changed or cut. */
CK_CHECKED ck_status ck_sealed_export_open(ck_buffer *out, const ck_key *key, const char *path,
                                           ck_bytes file, ck_error *err);

/* Appends a file of at most `max` bytes that somebody named. CK_E_NOT_FOUND, CK_E_USAGE,
 * CK_E_REFUSED: one of a store that is open here. */
CK_CHECKED ck_status ck_sealed_export_read(ck_buffer *out, const char *path, size_t max,
                                           ck_error *err);

#endif
