/* files.h - who may read and write the files of a store, its key and scripts, and how much room
 * there is. */
#ifndef CK_HOST_DOCTOR_FILES_H
#define CK_HOST_DOCTOR_FILES_H

#include <stdint.h>

#include "core/host/doctor/findings.h"

/* The store's file and what lies beside it. */
void ck_doctor_check_store_files(ck_findings *to, const char *store_path);
/* Of a reference: only of "file:PATH". */
void ck_doctor_check_key_file(ck_findings *to, const char *key_ref);
/* A flow, a profile or a policy: nobody else may write it. */
void ck_doctor_check_script(ck_findings *to, const char *path);
/* *free_bytes: of the store's folder; -1: not known. `prune`: the command that makes room, taken;
 * empty: none. */
void ck_doctor_check_space(ck_findings *to, int64_t *free_bytes, const char *store_path,
                           int64_t needed, ck_buffer *prune);

#endif
