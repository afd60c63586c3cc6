/* scripts.h - keeps the texts that a run executes in the store, so that it can be seen what ran;
 * not those that hold a secret. */
#ifndef CK_HOST_RUN_SCRIPTS_H
#define CK_HOST_RUN_SCRIPTS_H

#include "core/host/print/output.h"
#include "core/host/session/policy_changes.h"
#include "core/model/script.h"
#include "core/runtime/session/session.h"
#include "core/store/store.h"

/* Before the run is recorded, when its secrets are known: a text in which the redactor of `output`
 * finds a known secret, or the shape of one, or of which the policies mask something (they are
 * asked about the key files.KIND), is withheld, and named to the user. */
CK_CHECKED ck_status ck_scripts_check(ck_scripts *self, ck_output *output,
                                      const ck_policy_cleaning *with, ck_error *err);
/* "files": [{kind, asked, file, digest, shipped?, withheld?}, …], what is recorded of them. */
void ck_scripts_write(ck_json_writer *to, const ck_scripts *self);
/* Keeps them for the session of this run; nothing where the store keeps no files. */
CK_CHECKED ck_status ck_scripts_keep(const ck_scripts *self, ck_store *store,
                                     const ck_session *session, ck_error *err);

#endif
