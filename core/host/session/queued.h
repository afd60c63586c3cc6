/* queued.h - sessions that workers run: how one is put into their queue, and when it is due.
 *
 * Who runs a session decides whose it is: 'ckrun submit' and --detach give it to workers, and the
 * runs of workers keep it there; a person who resumes it takes it back. It is kept with each run
 * (ck_engine_describe_run): "queued": {"labels"?: [TEXT, …]}. */
#ifndef CK_HOST_SESSION_QUEUED_H
#define CK_HOST_SESSION_QUEUED_H

#include "core/host/cli/command.h"
#include "core/host/session/last_run.h"
#include "core/model/pause_reason.h"
#include "core/runtime/session/policy.h"

/* The reason of a session that is paused until a worker goes on with it. */
#define CK_QUEUED_REASON CK_PAUSE_QUEUED

/* The two rows of a command's option table that give a session to workers. */
#define CK_QUEUED_LABEL_OPTION(values, field)                                                     \
  {                                                                                               \
    .name = "label", .type = CK_OPTION_LIST, .offset = offsetof(values, field), .value = "LABEL", \
    .help = "only a worker that was given this label runs it; may be given again"                 \
  }
#define CK_QUEUED_DETACH_OPTION(values, field)                                            \
  {                                                                                       \
    .name = "detach", .offset = offsetof(values, field),                                  \
    .help = "do not run it here: put it into the queue of 'ckrun worker', and print its " \
            "id"                                                                          \
  }

/* What is kept of a run that belongs to workers. CK_E_USAGE: a label that is not of letters, digits
 * and ". _ -", of at most 64. */
CK_CHECKED ck_status ck_queued_mark(ck_value **out, const ck_words *labels, ck_error *err);
/* CK_E_USAGE: labels, and nothing that puts it into the queue. */
CK_CHECKED ck_status ck_queued_check_labels(const ck_words *labels, bool queued, ck_error *err);

/* CK_E_USAGE: a store in memory, which no other process sees and which ends with this one. */
CK_CHECKED ck_status ck_queued_check_store(const char *url, ck_error *err);

/* Workers look for labels as they are: CK_E_REFUSED, one that the policies would mask. `mark`: as
 * ck_queued_mark made it; NULL: none. */
CK_CHECKED ck_status ck_queued_check_masked(const ck_value *mark, const ck_policy_engine *policies,
                                            ck_error *err);

/* The mark of a session's last run; no bytes: a person has it. Borrowed. */
ck_bytes ck_queued_of(const ck_last_run *last);
/* A worker that has `labels` may run it. */
bool ck_queued_fits(ck_bytes mark, const ck_words *labels);
/* Appends "ckrun worker", with the labels of a mark: what runs it. */
void ck_queued_append_command(ck_buffer *out, const ck_host *host, ck_bytes mark);
/* A queued session with this record waits for a worker: it was put into the queue, or what it
 * waited for was answered, or it sleeps; it was failing, and is no more; or it is running, and due
 * once its process is gone. */
bool ck_queued_is_due(const ck_session_record *record);
/* From when on a worker may begin it, in wall time; 0: at once. */
int64_t ck_queued_from(const ck_session_record *record);
/* "for workers with gpu, eu": whom `mark` is for. */
void ck_queued_append_words(ck_buffer *out, ck_bytes mark);

#endif
