/* incidents.h - what went wrong on the way to where a session stands: whether anything did, how
 * often something was tried again, which nodes failed. Within the runtime.
 *
 * They count from the start of the session, along its lineage: what a resume has left behind does
 * not count. A retry is an effect that is begun again after it failed or was lost, or a node that
 * is tried again; not one that was never begun, nor one that is asked anew because a person went
 * back or edited, even if it had failed or was lost in what was left behind; nor a request that a
 * model's call sends again within itself (after 503, say): that effect has not failed, and the log
 * has an update for each. A failure is that of an effect (a program's end with another code than 0
 * is one, a tool's error that a model is told is none), a scope, a node, a policy's checkpoint hook
 * or the session. Each checkpoint carries them in its info. */
#ifndef CK_RUNTIME_SESSION_INCIDENTS_H
#define CK_RUNTIME_SESSION_INCIDENTS_H

#include "core/base/json.h"
#include "core/store/store.h"

typedef struct ck_session ck_session;

enum { CK_INCIDENT_NODES_MAX = 64 }; /* further names are not kept */

typedef struct ck_incidents {
  bool happened; /* no checkpoint from here on is a clean one */
  int64_t retries;
  char **nodes; /* that failed, each once, in the order of their first failure; owned */
  size_t node_count;
} ck_incidents;
void ck_incidents_clear(ck_incidents *self);

/* `node` NULL: not known, or none. */
CK_CHECKED ck_status ck_session_count_failure(ck_session *self, const char *node, ck_error *err);
void ck_session_count_retry(ck_session *self);
/* Members of a checkpoint's info: retries, failed; none when nothing happened. */
void ck_incidents_write(const ck_incidents *self, ck_json_writer *w);
/* Goes on with those of the checkpoint `from` (seq 0: none), whose view the session has. */
CK_CHECKED ck_status ck_session_load_incidents(ck_session *self, const ck_head *head,
                                               const ck_checkpoint_info *from, ck_error *err);

#endif
