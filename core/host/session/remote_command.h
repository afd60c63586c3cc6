/* remote_command.h - a command on one session: carried out here when no process runs it, else by
 * its owner; by the next one, when that dies first. */
#ifndef CK_HOST_SESSION_REMOTE_COMMAND_H
#define CK_HOST_SESSION_REMOTE_COMMAND_H

#include "core/host/cli/command.h"
#include "core/host/session/masking.h"
#include "core/host/session/resolve_session.h"
#include "core/host/session/store_location.h"
#include "core/runtime/session/requests.h"

/* Two of a ck_option table. `whom` and `then` are what else the help says. */
#define CK_REMOTE_COMMAND_NO_WAIT_OPTION(values, member)     \
  {                                                          \
    .name = "no-wait", .offset = offsetof(values, member),   \
    .help = "return when the request is left with its owner" \
  }
#define CK_REMOTE_COMMAND_TIMEOUT_OPTION(values, member, whom, then)               \
  {                                                                                \
    .name = "timeout", .type = CK_OPTION_TEXT, .offset = offsetof(values, member), \
    .value = "TIME", .help = "how long to wait" whom ": 30s unless given" then     \
  }

typedef struct ck_remote_command {
  const ck_host *host;
  const char *id;           /* in full */
  char full_id[CK_ID_SIZE]; /* memory of `id` */
  ck_store_location location;
  ck_runtime *runtime;
  ck_head head;                  /* as of the last refresh */
  bool live;                     /* a process runs it */
  char owner[CK_ERROR_TEXT_MAX]; /* the owner as a sentence; "": none */
  char run[CK_ID_SIZE]; /* the run that had it when the request was left; "": no request was left */
  char request[CK_ID_SIZE];
  ck_request_kind kind;            /* of the request */
  int64_t after;                   /* last seq before the request */
  bool noted;                      /* an owner has taken the request */
  bool rested;                     /* the session came to rest since, and another run has it */
  char saved[CK_ID_SIZE];          /* the checkpoint that was taken for it; "": none */
  char problem[CK_ERROR_TEXT_MAX]; /* why the owner refused it; "" */
  int64_t deadline_us;             /* monotonic */
  ck_own_policies *own;            /* NULL: none masks, or `guarded` is not set */
  bool guarded;                    /* `own` has been opened */
  char *left;                      /* the text of the request, as it was left. Owned */
  const ck_masking *masking;       /* what ck_remote_command_print tells, too; NULL. Borrowed */
} ck_remote_command;

/* Opens the store and reads the session, `id` as for ck_resolve_session; `timeout` as
 * ck_duration_take takes it, NULL: 30 seconds. `out` must not move afterwards. The secrets of its
 * profile are registered with the output's redactor. CK_E_USAGE: a malformed id or timeout;
 * CK_E_NOT_FOUND. ck_remote_command_close also after a failure. */
CK_CHECKED ck_status ck_remote_command_open(ck_remote_command *out, const ck_host *host,
                                            const char *id, const char *timeout, ck_error *err);
/* The same for what only looks: nothing can be written, and the store may be read-only. */
CK_CHECKED ck_status ck_remote_command_open_dry(ck_remote_command *out, const ck_host *host,
                                                const char *id, ck_error *err);
void ck_remote_command_close(ck_remote_command *self);
CK_CHECKED ck_status ck_remote_command_refresh(ck_remote_command *self, ck_error *err);

/* Before a text of the caller's is kept: the session's own policies mask it from now on, whether it
 * is written here or left with the owner. CK_E_REFUSED: they cannot be asked. */
CK_CHECKED ck_status ck_remote_command_guard(ck_remote_command *self, ck_error *err);
/* What would be masked of a person's word, which is told by ck_remote_command_print then; `out` is
 * the caller's, and borrowed until ck_remote_command_close. */
CK_CHECKED ck_status ck_remote_command_mask(ck_masking *out, ck_remote_command *self,
                                            const ck_masking_word *word, ck_error *err);
/* `text`, which the caller was given, as ckrun's own rules keep it, into `*out`, malloc'd; NULL
 * stays NULL. It is guarded, too. */
CK_CHECKED ck_status ck_remote_command_clean(char **out, ck_remote_command *self, const char *text,
                                             ck_error *err);
/* The same of the reason for a pause or an end; NULL becomes "user_requested". */
CK_CHECKED ck_status ck_remote_command_clean_reason(char **out, ck_remote_command *self,
                                                    const char *reason, ck_error *err);
/* Leaves the request with the session, its text as the policies have it where it is guarded; once,
 * whatever owners the session has after that. */
CK_CHECKED ck_status ck_remote_command_leave(ck_remote_command *self, ck_session_request *request,
                                             ck_error *err);
/* Waits until no process runs the session any more, or an owner has noted a problem, whichever run
 * that is; NOTED: also until one has taken the request; SAVED: also until a checkpoint that was
 * taken for it is on the disk. A pause and a checkpoint are not waited for once the session has
 * come to rest. CK_E_PENDING: the time is over; the text says which part is missing.
 * CK_E_INTERRUPTED: nobody waits any more (ck_host); what is left stands. */
typedef enum {
  CK_REMOTE_COMMAND_ENDED,
  CK_REMOTE_COMMAND_NOTED,
  CK_REMOTE_COMMAND_SAVED
} ck_remote_command_until;
CK_CHECKED ck_status ck_remote_command_wait(ck_remote_command *self, ck_remote_command_until until,
                                            ck_error *err);
/* CK_E_REFUSED: a problem was noted: "session S was not DONE: …". */
CK_CHECKED ck_status ck_remote_command_check_problem(const ck_remote_command *self,
                                                     const char *done, ck_error *err);
/* Takes a session that no process runs, so that its state can be changed; the caller closes it.
 * `*out` NULL: another process has taken it meanwhile. */
CK_CHECKED ck_status ck_remote_command_take(ck_session **out, ck_remote_command *self,
                                            ck_error *err);
/* CK_OK: as of the last refresh it is paused, and no process runs it. CK_E_REFUSED: it is not
 * running either, and says what it is instead. */
CK_CHECKED ck_status ck_remote_command_check_paused(const ck_remote_command *self, ck_error *err);
/* Prints session, status and reason, and the command that resumes it where that is possible. */
CK_CHECKED ck_status ck_remote_command_print(const ck_remote_command *self, const char *status,
                                             const char *reason, ck_error *err);

#endif
