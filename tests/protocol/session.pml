/* session.pml - who may write a session, what a resume repeats, what a prune may take, and what
 * becomes of a request to pause: processes that begin runs, for workers or for a person, lose their
 * lock, and fork one session to another. One that loses its lock and is not scheduled any more is one that was killed; one that
 * is scheduled later is a zombie: its lock file was removed, or it hung.
 *
 * A flow has two effects; effect 0 is of class `once`, effect 1 may be repeated. Behind each is a
 * boundary with a checkpoint: checkpoint k stands behind k effects. Session 1 is a fork of session
 * 0 at checkpoint 1. A transaction is atomic, because it is made under the store's lock; all else
 * is a step of its own. "core:" names the functions that make the step; model.t finds them.
 *
 * A fault is put into the protocol by -DFAULT_name; model.t says which promise each breaks. */

#ifndef LIVES
#define LIVES 3 /* runs, forks and answers of people begun, all together */
#endif
#ifndef LOSSES
#define LOSSES 1 /* owners that lose their lock, or are told to end */
#endif

#define P 3
#define PERSON (_pid == P - 1) /* who begins that one's runs; the others are of workers */
#define S 2
#define E 2
#define K (E + 1)
#define BASE 1 /* the checkpoint of session 0 that the fork begins at */

/* What the ledger holds under an effect's key, and of which status a session is. */
#define NOTHING 0
#define OPEN 1
#define ANSWERED 2
#define RELEASED 3
#define REST 0
#define RUNNING 1
#define DOUBT 2
#define DONE 3

/* The promises: a broken one is named in what spin says. */
bit one_writer, zombie_without_effect, once_at_most_once, acknowledged_kept, base_kept,
  request_once, request_told_is_handled, request_stands;
#define MUST(promise, held) assert(promise || (held))

/* ---- the store, and the lock files beside it ---- */
byte epoch[S], status[S], request;
byte lock[S];  /* 0: free; else the number of its owner, from 1 */
byte fresh[S]; /* a bit for each process: no event was appended since it read the session */
bit forked, rested, refused, checkpoint[S * K]; /* rested: since the request was left */
byte ledger[S * E];
/* ---- what is only known to the model ---- */
byte writer[S];      /* which process took the present epoch */
byte done[S];        /* how often effect 0 was done in the outside world */
byte decided[S];     /* how often a person said: again */
bit acknowledged[S * E];
byte left;    /* the epoch in which the request was left; 0: not yet, or it is over */
byte handled; /* how often a run has paused for it */
byte lives = LIVES, losses = LOSSES, begun;

#define AT(list, s, i, n) list[(s) * (n) + (i)]
#define ONCE(e) ((e) == 0)
#define ME (_pid + 1)
#define UNLOCK if :: lock[s] == ME -> lock[s] = 0 :: else -> skip fi

#ifdef FAULT_FENCE_MISSING
#define FENCED false
#else
#define FENCED (epoch[s] != mine)
#endif

/* A transaction of a run: dropped when the epoch has moved on; the process then ends its run.
 * core: ck_sqlite_commit, judge, get_batch_position */
#define WRITE(rows) \
  atomic { \
    if \
    :: FENCED -> goto lost \
    :: else -> \
      MUST(zombie_without_effect, epoch[s] == mine); \
      MUST(one_writer, writer[s] == ME); \
      rows \
    fi \
  }
/* The same with events, so that what others have read of the session is old. */
#define APPEND(rows) WRITE(fresh[s] = 0; rows)

/* Session 0 has come to rest, for whatever reason of its own. */
#define REST_OF(s) if :: s == 0 -> rested = (request != 0); left = 0 :: else -> skip fi

inline read_head() {
  /* core: ck_store_get_head, ck_ledger_fold_event, select_checkpoint */
  d_step {
    read_epoch = epoch[s];
    fresh[s] = fresh[s] | (1 << _pid);
    known[0] = AT(ledger, s, 0, E);
    known[1] = AT(ledger, s, 1, E);
  }
  if
  :: s == 0 -> at = 0
  :: AT(checkpoint, s, 1, K) -> at = 1
  :: AT(checkpoint, s, 2, K) -> at = 2
  fi;
#ifdef FAULT_LEDGER_OF_THE_VIEW
  if :: at == 0 -> known[0] = NOTHING; known[1] = NOTHING
     :: at == 1 -> known[1] = NOTHING
     :: else -> skip
  fi
#else
  skip /* core: ck_replay_range_read, ck_ledger_find */
#endif
}

/* ---- one effect: what the ledger says, then its intent, the world, its outcome ---- */

#define INTENT \
  /* core: ck_call_commit_intent, ck_ledger_write_intent */ \
  APPEND(MUST(acknowledged_kept, !AT(acknowledged, s, at, E)); AT(ledger, s, at, E) = OPEN;)
#define EFFECT \
  /* core: ck_call_start_with */ \
  d_step { \
    MUST(request_stands, s != 0 || left == 0 || left >= mine); \
    done[s] = done[s] + ONCE(at); \
    MUST(once_at_most_once, done[s] <= 1 + decided[s]) \
  }
#ifdef FAULT_ACKNOWLEDGED_BEFORE_COMMIT
#define OUTCOME \
  AT(acknowledged, s, at, E) = true; \
  APPEND(AT(ledger, s, at, E) = ANSWERED;)
#else
#define OUTCOME \
  /* core: ck_call_record, acknowledge */ \
  APPEND(AT(ledger, s, at, E) = ANSWERED; AT(acknowledged, s, at, E) = true;)
#endif

inline run_effect() {
  /* core: ck_ledger_plan */
  if
  :: known[at] == ANSWERED -> skip /* core: ck_call_replay */
#ifndef FAULT_OPEN_ONCE_IS_RUN
  :: known[at] == OPEN && ONCE(at) ->
    /* core: ck_call_stop_in_doubt */
    APPEND(status[s] = DOUBT; REST_OF(s););
    goto rest
  :: known[at] == NOTHING || known[at] == RELEASED || (known[at] == OPEN && !ONCE(at)) ->
#else
  :: known[at] != ANSWERED ->
#endif
#ifdef FAULT_INTENT_AFTER_EFFECT
    EFFECT; INTENT;
#else
    INTENT; EFFECT;
#endif
    OUTCOME
  fi
}

/* ---- requests: before anything is begun, and at a boundary ---- */

/* One for an earlier run, which the session has come to rest behind, is void.
 * core: judge_rest, put_away */
#ifdef FAULT_REQUEST_VOID_IS_TAKEN
#define IS_VOID false
#elif defined FAULT_REQUEST_OF_ITS_RUN
#define IS_VOID (request != 0 && request != mine)
#else
#define IS_VOID (request != 0 && request != mine && rested)
#endif
#ifdef FAULT_REQUEST_OUT_WHEN_TAKEN
#define TAKE taken = request; request = 0
#else
#define TAKE if :: IS_VOID -> OUT :: else -> taken = request fi
#endif

/* A process can die between what carries a request out and its removal. */
#define OUT request = 0; rested = 0
#define OUT_OR_NOT if :: OUT :: true -> skip fi

inline take_requests() {
  /* core: find_request, look_at, judge */
  if :: s == 0 && request != 0 -> WRITE(TAKE;) :: else -> skip fi;
  if
  :: taken == 0 -> skip
#ifdef FAULT_REQUEST_SUPERSEDED_BY_WORKER
  :: taken != 0 && taken != mine ->
#else
  :: taken != 0 && taken != mine && PERSON ->
#endif
    /* core: supersede, ck_session_drop_over */
    APPEND(MUST(request_stands, PERSON); refused = true; left = 0; OUT; taken = 0;)
  :: else ->
    /* core: ck_session_note_request, close_run, ck_session_settle_requests, drop_request */
    APPEND(
      handled++;
      MUST(request_once, handled <= 1);
      status[s] = REST;
      REST_OF(s);
      OUT_OR_NOT;
    );
    goto rest
  fi
}

/* Drops checkpoint 1 of session 0, which can be the base of a fork.
 * core: make_plan, protect_pins_and_bases, ck_store_prune, check_bases */
inline prune() {
#ifdef FAULT_PRUNE_CHECKS_BEFORE
  if
  :: forked -> skip
  :: else -> APPEND(AT(checkpoint, 0, BASE, K) = false;)
  fi;
#else
  APPEND(if :: forked -> skip :: else -> AT(checkpoint, 0, BASE, K) = false fi;)
#endif
  MUST(base_kept, !forked || AT(checkpoint, 0, BASE, K))
}

/* ---- what a process does ---- */

/* core: ck_store_acquire, acquire_rows, check_epoch, check_base, bump_epoch */
#ifdef FAULT_EPOCH_NOT_RAISED
#define RAISE skip
#else
#define RAISE epoch[s]++
#endif
#define GONE_ON (!((fresh[s] >> _pid) & 1)) /* core: put_opening */
#if defined FAULT_ACQUIRED_UNCHECKED
#define MOVED_ON false
#elif defined FAULT_EVENTS_NOT_CHECKED
#define MOVED_ON (epoch[s] != read_epoch)
#else
#define MOVED_ON (epoch[s] != read_epoch || GONE_ON)
#endif

active [P] proctype process() {
  byte s, mine, read_epoch, at, taken;
  byte known[E];

idle:
  atomic { mine = 0; read_epoch = 0; at = 0; taken = 0; known[0] = 0; known[1] = 0; s = 0 }
  if
  /* which is which makes no difference: they begin in order */
  :: atomic { lives > 0 && begun >= _pid -> lives--; begun = (begun == _pid -> _pid + 1 : begun) }
  :: atomic { lives == 0 -> goto gone }
  fi;

  /* ---- a run ---- */
  atomic {
    if
    :: s = 0
    :: forked -> s = 1
    :: goto fork
    :: goto answer
    fi;
    if
    :: status[s] == REST || status[s] == RUNNING -> read_head()
    :: else -> goto idle
    fi
  }
  /* core: own, ck_session_lock_open */
  atomic { if :: lock[s] == 0 -> lock[s] = ME :: else -> goto idle fi }
  atomic {
    if
    :: MOVED_ON || (at > 0 && !AT(checkpoint, s, at, K)) -> goto rest
    :: else ->
      RAISE;
      mine = epoch[s];
      writer[s] = ME;
      fresh[s] = 0;
      status[s] = RUNNING;
      read_epoch = 0
    fi
  }
#ifndef FAULT_REQUEST_AT_BOUNDARIES_ONLY
  /* core: ck_steer_serve_first */
  take_requests();
#endif
  do
  :: at < E ->
    run_effect();
    /* core: ck_session_boundary, ck_session_queue */
    APPEND(known[at] = 0; at++; AT(checkpoint, s, at, K) = true;);
    take_requests();
    if
    :: true -> skip
    :: left != 0 && s == 0 && losses > 0 ->
      losses--;
      /* a worker is told to end: the session waits for another; core: on_signal */
      APPEND(status[s] = REST;);
      goto rest
    fi
  :: at == E -> break
  od;
  if :: s == 0 -> prune() :: true -> skip fi;
#ifdef FAULT_LEASE_BEFORE_LAST_WRITE
  atomic { UNLOCK }
  d_step { MUST(zombie_without_effect, epoch[s] == mine); status[s] = DONE }
  goto idle;
#else
  /* core: ck_session_end */
  APPEND(status[s] = DONE; REST_OF(s););
  goto rest;
#endif

  /* ---- a fork: what it begins at is looked up before, and again in its transaction ---- */
fork:
  atomic { if :: AT(checkpoint, 0, BASE, K) && !forked -> skip :: else -> goto idle fi }
  atomic {
    /* core: ck_session_fork, ck_store_create_session, create_rows, check_base */
    if
    :: forked -> skip
#ifndef FAULT_FORK_CHECKS_BEFORE
    :: !forked && !AT(checkpoint, 0, BASE, K) -> skip
    :: !forked && AT(checkpoint, 0, BASE, K) ->
#else
    :: !forked ->
#endif
      forked = true;
      AT(checkpoint, 1, BASE, K) = true;
      AT(ledger, 1, 0, E) = ANSWERED;
      MUST(base_kept, AT(checkpoint, 0, BASE, K))
    fi
  }
  goto idle;

  /* ---- a person settles a doubt: it is to be done again ---- */
answer:
  atomic {
    /* core: ck_session_resolve */
    if
    :: status[0] == DOUBT && lock[0] == 0
    :: else -> goto idle
    fi;
    epoch[s]++;
    writer[s] = 0;
    fresh[s] = 0;
    AT(ledger, s, 0, E) = RELEASED;
    decided[s]++;
    status[s] = REST
  }
  goto idle;

lost:
  /* core: ck_store_release, disown */
rest:
  atomic { UNLOCK; goto idle }
gone:
  skip
}

/* Another process asks session 0 to pause, once, while a run has it; and believes that it did when it
 * came to rest for that, whichever run it was.
 * core: ck_request_leave, put_request, find_rest, waits_for_worker */
active proctype client() {
end_unasked:
  atomic { (status[0] == RUNNING && lock[0] != 0) -> request = epoch[0]; left = epoch[0]; rested = 0 }
end_unheard:
#ifdef FAULT_QUEUED_IS_PAUSED
  atomic { (status[0] == REST && lock[0] == 0) -> MUST(request_told_is_handled, handled == 1 || refused) }
#else
  atomic { (handled || refused) -> MUST(request_told_is_handled, handled == 1 || refused) }
#endif
}

/* Takes locks away from those that live.
 * core: ck_session_lock_holder */
active proctype world() {
end:
  do
  :: atomic { losses > 0 && lock[0] != 0 -> losses--; lock[0] = 0 }
  :: atomic { losses > 0 && lock[1] != 0 -> losses--; lock[1] = 0 }
  od
}
