/* fixture.h - one session written through ck_store_*, in as few words as a store test can do
 * with. */
#ifndef CK_TESTS_STORE_FIXTURE_H
#define CK_TESTS_STORE_FIXTURE_H

#include "core/store/format/seal.h"
#include "core/store/store.h"

/* A session as its writer sees it. */
typedef struct fixture {
  ck_store *store; /* borrowed */
  char id[CK_ID_SIZE];
  ck_lease lease;
  int64_t seq;    /* last committed */
  int64_t parent; /* last checkpoint; 0: none */
  int64_t timeline;
} fixture;

/* The key of the stores that are opened; NULL: none. Borrowed. */
extern const ck_key *fixture_key;
/* A key that is new; a failure ends the program. */
ck_key *fixture_make_key(void);
/* "sqlite:PATH" with create set, or "memory:"; a failure ends the program. */
ck_store *fixture_open(const char *url);
/* Creates the session with one event. */
CK_CHECKED ck_status fixture_create(fixture *self, ck_store *store, const char *id, ck_error *err);
/* Takes a session that exists over, from its head, on a new timeline with one event. */
CK_CHECKED ck_status fixture_acquire(fixture *self, ck_store *store, const char *id, ck_error *err);
/* The same from an epoch that may be outdated. */
CK_CHECKED ck_status fixture_acquire_at(fixture *self, ck_store *store, const char *id,
                                        uint64_t epoch, ck_error *err);

/* What one commit holds. */
typedef struct fixture_step {
  const char *text;  /* a message event with this text; NULL: none */
  const char *key;   /* a boundary event and a checkpoint that sets this key; NULL: none */
  const char *value; /* JSON */
  const ck_session_update *update;
  const char *scope, *agent; /* of the message; scope NULL: "main" */
  bool process;              /* PROCESS instead of POWER */
} fixture_step;
/* Answers the batch's status where the commit was CK_OK. seq and parent move on only when both
 * are. */
CK_CHECKED ck_status fixture_commit(fixture *self, const fixture_step *step, ck_error *err);

/* The batch of a step, for commits of several: everything in it is owned by the row and freed by
 * fixture_batch_clear. */
typedef struct fixture_batch {
  ck_batch batch;
  ck_event *events[2];
  ck_checkpoint *checkpoint;
} fixture_batch;
/* Fills caller's memory, which must not move afterwards. */
void fixture_batch_init(fixture_batch *self, const fixture *session, const fixture_step *step);
void fixture_batch_clear(fixture_batch *self);

/* Number of the session's events as read; -1 when they cannot be. */
int64_t fixture_count_events(ck_store *store, int64_t session);
/* Problems found by store verify in the whole store; -1 when it cannot be made. They are shown as
 * talk. */
int64_t fixture_verify(ck_store *store);
/* The same where problems are expected: not shown. */
int64_t fixture_count_problems(ck_store *store);

/* Copies FROM with a suffix ("", "-wal", ".lock") to TO with the same; the test ends where that
 * fails. */
void fixture_copy_file(const char *from, const char *to, const char *suffix);
/* The database, its log and its lock file. */
void fixture_copy_store(const char *from, const char *to);

#endif
