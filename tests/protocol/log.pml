/* log.pml - what a crash leaves of the files of a store: the database, its write-ahead log, the
 * sign in the database's header, the mark beside it; and the order in which they reach the disk.
 *
 * All steps are made under the store's lock, by one process at a time: that one is killed at any
 * step, and what the kernel has stays; or the power goes, and of each file comes back what was
 * synced or anything later. Or somebody cuts the log of a store that nobody has open, of which
 * nothing was moved yet. Or a commit fails; or the sign cannot be taken away at the end of a use,
 * which is tried again, or the log cannot be emptied. Who is killed may have been alone; or another
 * process has the store open, and goes on with what SQLite knows of the log. Commits are numbered,
 * of whatever session; those of power durability are synced before they are acknowledged.
 *
 * A file's state twice: as the kernel has it, and (NAME_disk) as the disk does. To write and to
 * sync are two steps: who is killed between them leaves what the next process sees and no disk has.
 * "core:" and -DFAULT_name as in session.pml. */

#ifndef COMMITS
#define COMMITS 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef FAILURES
#define FAILURES 1
#endif

/* States of the mark; those of core/store/sqlite/mark.h. */
#define NONE 0
#define LIVE 1
#define FOLDED 2
#define BEGUN 3

bit acknowledged_kept, crash_is_no_damage, damage_is_found, database_whole, log_of_its_use;
#define MUST(promise, held) assert(promise || (held))

byte db, db_disk;           /* the last commit that the database holds */
bit sign, sign_disk;        /* the log may hold commits that the database does not */
byte use, use_disk;         /* the number of the use, in the database's header */
byte moved;                 /* so much of the log is known to be in the database, on disk */
byte log, log_disk;         /* the last commit in the log; 0: its header is zeros */
byte round, round_disk;     /* the log's salt */
bit counted;                /* up from the salt before; else it is any */
bit headed, headed_disk;    /* of a log without commits: its header is there, and was counted up */
byte log_use, log_use_disk; /* whose number its first page has, which the database takes from it */
byte mark, mark_disk, mark_use, mark_use_disk; /* its state; of which use */
byte mark_log, mark_log_disk, mark_round, mark_round_disk; /* so much of that round is synced */
/* ---- what is only known to the model ---- */
byte commits;
byte promised, promised_power; /* acknowledged; of those, whatever the power does */
byte torn; /* the database is a mixture, which the log repairs when it reaches to that commit */
byte findable; /* of a cut below it the mark tells, which a power loss may take */
byte crashes = CRASHES, failures = FAILURES;
bit was_cut;
/* ---- what the processes know ---- */
bit joined;    /* that the sign is on disk */
bit forgotten; /* SQLite has moved the log, and forgotten that it has frames */

/* ---- the disk ---- */

#define SYNC_DB db_disk = db; sign_disk = sign; use_disk = use
#define SYNC_LOG log_disk = log; round_disk = round; log_use_disk = log_use; headed_disk = headed
#define SYNC_MARK \
  mark_disk = mark; mark_use_disk = mark_use; mark_log_disk = mark_log; \
  mark_round_disk = mark_round

inline lose_power() {
  if
  :: round == round_disk && log > log_disk -> /* some of the frames had been written out */
    if :: log = log_disk; headed = headed_disk :: true -> skip fi
  :: else -> /* or the header alone is there */
    if
    :: log = log_disk; round = round_disk; log_use = log_use_disk; headed = headed_disk
    :: round != round_disk -> log = 0; headed = counted
    :: true -> skip
    fi
  fi;
  if
  :: db > db_disk -> torn = db; db = db_disk
  :: else -> skip
  fi;
  if :: sign = sign_disk; use = use_disk :: true -> skip fi;
  if
  :: mark = mark_disk; mark_use = mark_use_disk; mark_log = mark_log_disk;
    mark_round = mark_round_disk
  :: true -> skip
  fi;
  SYNC_DB; SYNC_LOG; SYNC_MARK;
  promised = promised_power;
  findable = 0
}

/* The process ends here, or the machine, or neither. */
#define MAY_END \
  if \
  :: atomic { crashes > 0 -> crashes--; goto killed } \
  :: atomic { crashes > 0 -> crashes--; lose_power(); goto opened } \
  :: true -> skip \
  fi

/* ---- opening: do the files belong together, and what do they hold? ---- */

/* core: ck_binding_judge, ck_damage_check_files */
#define OF_THIS_USE (mark_use == use)
#define LOG_IS_SHORT (mark == LIVE && (log == 0 && !headed || (mark_round == round && log < mark_log)))
#define NEEDS_ANOTHER_LOG (sign && (!OF_THIS_USE || mark == FOLDED || LOG_IS_SHORT))
/* The database is whole, and the log is that of another one. A mark of the use that begins names
 * the round before. */
#define BEGINS (mark == BEGUN && mark_use == use + 1)
#define BESIDE_ANOTHER_LOG \
  (!sign && mark != NONE && \
   (mark == FOLDED || BEGINS -> log > 0 && mark_round != round : !OF_THIS_USE))
#define REFUSED (NEEDS_ANOTHER_LOG || BESIDE_ANOTHER_LOG)

/* The log of the round that the mark calls moved. core: is_folded */
#define FOLDED_AGAIN (log > 0 && (mark == FOLDED || mark == BEGUN) && mark_round == round)

inline open_store() {
  if
  :: REFUSED ->
    MUST(crash_is_no_damage, was_cut);
    goto refused
  :: else ->
    if
    :: sign && !FOLDED_AGAIN -> /* SQLite takes what the log holds */
      MUST(database_whole, torn == 0 || log >= torn);
      MUST(log_of_its_use, log == 0 || log_use == use)
    :: else -> /* core: empty_again, zero_header */
      MUST(database_whole, torn == 0);
#ifndef FAULT_EMPTIED_UNSYNCED
      if :: log > 0 -> SYNC_DB :: else -> skip fi;
#endif
      if :: log > 0 -> log_disk = 0; round_disk = round :: else -> skip fi;
      log = 0
    fi;
    torn = 0;
    moved = 0;
    joined = false;
    forgotten = false;
    commits = (log > db -> log : db);
    MUST(damage_is_found, !was_cut || commits >= findable);
    MUST(acknowledged_kept, was_cut || commits >= promised);
    promised = commits;
    promised_power = (promised_power > commits -> commits : promised_power);
    findable = (findable > commits -> commits : findable);
    was_cut = false
  fi
}

/* ---- a use: the mark, then the sign, then commits ---- */

#define ZERO log = 0; headed = false

#define MARK_BEGUN \
  /* core: mark_of_new, ck_mark_write */ \
  mark = BEGUN; mark_use = use + 1; mark_log = 0; SYNC_MARK
#define SIGN \
  /* core: sign_file, ck_use_write */ \
  sign = true; use = use + 1
#define SIGN_SYNCED SYNC_DB; joined = true

/* SQLite begins the log anew under any salt, and the mark no longer calls for what was in it. */
inline note_forgotten() {
#ifndef FAULT_FORGOTTEN_UNMARKED
  if
  :: forgotten && mark == LIVE -> atomic { mark = BEGUN; SYNC_MARK }; MAY_END
  :: else -> skip
  fi
#else
  skip
#endif
}

inline begin_use() {
  /* core: ck_wal_begin_use */
  if
  :: sign && joined -> note_forgotten()
  :: sign && !joined ->
    /* core: join_use */
#ifndef FAULT_JOINED_UNSYNCED
    atomic { SYNC_DB; joined = true };
#endif
    MAY_END;
    note_forgotten()
  :: else ->
#ifndef FAULT_BEGUN_UNSYNCED
    /* Whoever took the sign away may have ended before that was on disk: the mark tells. */
    atomic { if :: mark == FOLDED && OF_THIS_USE -> skip :: else -> SYNC_DB fi }; MAY_END;
#endif
#ifndef FAULT_FORGOTTEN_LEFT
    /* core: empty_forgotten */
    if
#ifndef FAULT_ZEROS_NOT_SYNCED_AGAIN
    :: (forgotten || log == 0) && !(mark == FOLDED && OF_THIS_USE) ->
#else
    :: forgotten && log > 0 && !(mark == FOLDED && OF_THIS_USE) ->
#endif
      atomic { ZERO; moved = 0 }; MAY_END;
      atomic { SYNC_LOG }; MAY_END
    :: else -> skip
    fi;
#endif
#ifdef FAULT_SIGN_BEFORE_MARK
    atomic { SIGN }; MAY_END; atomic { SIGN_SYNCED }; MAY_END;
    atomic { mark = BEGUN; mark_use = use; mark_log = 0; SYNC_MARK };
#elif defined FAULT_NEVER_SIGNED
    skip;
#else
    atomic { MARK_BEGUN }; MAY_END; atomic { SIGN }; MAY_END; atomic { SIGN_SYNCED };
#endif
    MAY_END
  fi
}

/* All of the log was moved: it starts again, with the first page. core: ck_wal_sign */
#define FRAMES \
  counted = (log == 0 -> headed : (log == moved -> !forgotten : counted)); headed = false; \
  log_use = (log == moved || log == 0 -> use : log_use); \
  round = (log == moved || log == 0 -> round + 1 : round); \
  moved = (log == moved -> 0 : moved); commits++; log = commits; forgotten = false
#define MARK_SYNCED \
  /* core: ck_wal_note_synced */ \
  mark = LIVE; mark_log = log; mark_round = round

inline commit_process() {
  begin_use();
  /* core: ck_sqlite_end_locked, ck_wal_set_lazy */
  if
  :: atomic { FRAMES; promised = commits }
  :: atomic { failures > 0 -> failures-- } /* a full disk: the use has begun, and has no commit */
  fi
}

inline commit_power() {
  begin_use();
  atomic { FRAMES }; MAY_END;
#ifdef FAULT_ACKNOWLEDGED_BEFORE_SYNC
  atomic { promised = commits; promised_power = commits }; MAY_END;
#endif
#ifdef FAULT_MARK_BEFORE_LOG
  atomic { MARK_SYNCED; SYNC_MARK }; MAY_END;
#endif
  atomic { SYNC_LOG }; MAY_END;
#ifndef FAULT_MARK_FORGOTTEN
  atomic { MARK_SYNCED }; MAY_END;
#endif
  atomic { promised = commits; promised_power = commits; findable = commits }
}

/* ---- the log is moved into the database; at rest the database is all ---- */

inline move_log() {
  /* core: checkpoint, empty_log */
#ifndef FAULT_MOVED_UNSYNCED
  atomic { SYNC_LOG }; MAY_END;
#endif
  atomic { db = log }; MAY_END;
#ifndef FAULT_SIGN_CLEARED_BEFORE_SYNC
  atomic { db_disk = db; moved = log }; MAY_END
#else
  moved = log
#endif
}

/* core: set_at_rest */
#define CLEAR sign = false
#ifdef FAULT_SIGN_CLEARED_BEFORE_SYNC
#define CLEAR_SYNCED sign_disk = false
#else
#define CLEAR_SYNCED SYNC_DB
#endif
#define MARK_FOLDED(salt) mark = FOLDED; mark_use = use; mark_log = 0; mark_round = salt
inline rest() {
  /* core: ck_wal_rest, ck_wal_fold, before_emptying */
#ifdef FAULT_HEADER_ZEROED_FIRST
  atomic { ZERO; SYNC_LOG }; MAY_END;
#endif
#ifdef FAULT_MARK_BEFORE_SIGN
  atomic { MARK_FOLDED(round); SYNC_MARK }; MAY_END;
#endif
  atomic { forgotten = true }; MAY_END;
  if
  :: atomic { failures > 0 -> failures-- } /* the sign stays: note_forgotten, of the next commit */
  :: true ->
    atomic { CLEAR }; MAY_END;
    atomic { CLEAR_SYNCED }; MAY_END;
    atomic { MARK_FOLDED(round) }; MAY_END;
    if
    :: atomic { failures > 0 -> failures-- }
    :: atomic { ZERO; moved = 0; forgotten = false }
    fi
  fi
}

/* Of a use without commits, or one whose log could not be emptied: the round is what the log's
 * header says, if it has one. */
inline rest_alone() {
  /* core: rest_without_log */
  atomic { CLEAR }; MAY_END;
  atomic { CLEAR_SYNCED }; MAY_END;
#ifdef FAULT_ROUND_OF_THE_MARK
  atomic { MARK_FOLDED(mark_round) };
#else
  atomic { MARK_FOLDED((log > 0 -> round : mark_round)) };
#endif
  MAY_END;
  goto opened
}

active proctype holder() {
opened:
  atomic { open_store() }
running:
  do
  :: commits < COMMITS -> commit_process()
  :: commits < COMMITS -> commit_power()
  :: log > moved -> move_log()
  :: log > moved -> move_log(); rest()
  :: sign && (log == 0 || forgotten) -> rest_alone()
  :: crashes > 0 -> atomic { crashes--; lose_power(); goto opened }
  :: commits == COMMITS -> break
  od;
  goto end;
killed:
  /* another process has it open, or opens it; or somebody cuts what lies there before that */
  atomic {
    if
    :: joined = false; goto running
    :: true -> goto opened
    :: log > 1 && sign && db < log -> log--; SYNC_LOG; was_cut = true; goto opened
    fi
  }
refused:
end:
  skip
}
