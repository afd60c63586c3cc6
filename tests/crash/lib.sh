# lib.sh - for the tests that kill: sessions that count, one point of attack at a time, and the
# result of a run.
# Sourced by bash scripts. A point is run in a folder of its own that holds the store s.db and the
# tool's count.log.

set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/midway.sh"
: "${CKRUN:=$here/../../build/ckrun}" "${CKRUN_BUILD:=$here/../../build/release}" \
  "${CKRUN_DATA:=$here/../../../shared/data}"
checks=0
failures=0
turn=$("$here/../turn.sh")
# thin N: every Nth line of the input, others with each commit.
thin() { "$here/../turn.sh" "$1"; }

skip_all() {
  echo "1..0 # SKIP $*"
  exit 0
}

say() { printf '# %s\n' "$*"; }

# check NAME COMMAND…: one check, which holds when the command succeeds.
check() {
  local name=$1
  shift
  checks=$((checks + 1))
  if "$@"; then echo "ok $checks - $name"; else
    failures=$((failures + 1))
    echo "not ok $checks - $name"
  fi
}

# skip NAME REASON: a check that cannot be made here.
skip() {
  checks=$((checks + 1))
  echo "ok $checks - $1 # SKIP $2"
}

finish() {
  echo "1..$checks"
  [ "$failures" = 0 ]
}

begin() {
  echo "TAP version 13"
  [ -x "$CKRUN" ] || { echo "Bail out! $CKRUN is not there"; exit 1; }
  [ -x "$CKRUN_BUILD/tests/crash/tool_count" ] ||
    { echo "Bail out! tests/crash/tool_count is not built"; exit 1; }
  work=$(mktemp -d "${TMPDIR:-/tmp}/ckrun.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  unset CKRUN_STORE
  export CKRUN_COUNTERS=$work/counters
}

# folder NAME [ROUNDS]: goes into a new folder with the tools in it.
folder() {
  mkdir -p "$work/$1" && cd "$work/$1" || exit 1
  local name
  for name in count count_probe count_kill; do ln -sf "$CKRUN_BUILD/tests/crash/tool_count" \
    "$name"; done
  store="sqlite:$work/$1/s.db"
}

fresh() { rm -rf s.db s.db-* s.db.* count.log out err; }

# cassette ROUNDS: makes $work/ROUNDS.jsonl.
cassette() { awk -v rounds="$1" -f "$here/cassette.awk" >"$work/$1.jsonl"; }

# Nothing here takes long: a long run is a hang.
bounded() { timeout "${CKRUN_TEST_SECONDS:-300}" "$@"; }
ckrun_at() { local at=$1; shift; bounded "$CKRUN" --store "$at" "$@"; }
ckrun() { ckrun_at "$store" "$@"; }

# log_frames [FILE]: how many frames a reader finds in the log; 0: it is folded, or there is none.
log_frames() {
  perl -e 'open my $log, "<:raw", shift or print(0), exit;
    my ($head, $frame, $count) = ("", "", 0);
    read $log, $head, 32;
    my ($magic, undef, $page) = unpack "N3", $head;
    if (length $head == 32 && ($magic & ~1) == 0x377f0682) {
      $count++ while read($log, $frame, 24 + $page) == 24 + $page &&
        substr($frame, 8, 8) eq substr($head, 16, 8);
    }
    print $count' "${1:-s.db-wal}"
}

# Whoever traces reads the memory of what he traces: ckrun permits it for the rest of the test.
have_strace() {
  export CKRUN_DUMPABLE=1
  command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null
}
# The system calls that change something outside of a process.
changing_calls="write pwrite64 writev pwritev fdatasync fsync ftruncate fallocate unlink unlinkat\
 rename renameat renameat2 mkdir mkdirat openat flock fchmod clone clone3 vfork fork"
# most_calls <TRACE: "NAME N" for each kind of call: so many of it made the thread that made most.
most_calls() {
  awk '
    $2 ~ /^[a-z0-9_]+\(/ {
      sub(/\(.*/, "", $2)
      n = ++count[$1, $2]
      if (n > most[$2]) most[$2] = n
    }
    END { for (name in most) print name, most[name] }'
}
have_compiler() { command -v "${CC:-cc}" >/dev/null; }

build_kill_at() {
  "${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -O2 -shared -fPIC -DKILL_AT_PRELOAD "$here/kill_at.c" -o \
    "$work/kill_at.so" -ldl
}

# One line each: the messages, the state, the totals, the tool's marks. Times, ids and seqs are left
# out.
summary() {
  ckrun --json sessions log "$1" --all | awk -f "$here/messages.awk"
  ckrun --json sessions inspect "$1" | sed -E \
    -e 's/^.*"totals":/"totals":/; s/,"checkpoint_id":.*//' \
    -e 's/,"active_ms":[0-9.]+//; s/"(cut|end|ms)":[0-9]+/"\1":0/g'
  [ ! -f count.log ] || sort count.log
}

# go_on SESSION [RUN…]: resumes until the session is completed, at most 5 times; RUN starts it again
# when it was never made.
# Sets `resumes` and `ending` (completed, in_doubt, unresumable).
go_on() {
  local session=$1 code again=
  shift
  resumes=0
  while [ "$resumes" -lt 5 ]; do
    resumes=$((resumes + 1))
    ckrun resume "$session" $again >out 2>err
    code=$?
    # Killed again and again, it is marked as failing until a person resumes it.
    [ "$code" = 5 ] && grep -q 'is failing' err && again=--retry
    # Killed before the session existed: it is simply started again.
    if [ $# -gt 0 ] && [ "$code" = 3 ]; then
      "$@" >out 2>err
      code=$?
    fi
    [ "$code" = 5 ] && grep -q 'is completed' err && code=0
    case $code in
      0) ending=completed; return 0 ;;
      75) ending=in_doubt; return 1 ;;
    esac
  done
  ending="unresumable ($code: $(tail -n 1 err | cut -c1-200))"
  return 1
}

# judge POINT SESSION: compares with $work/expected and prints "POINT lost duplicated in_doubt
# unresumable resumed text".
# After go_on; `marks` are those of the tool before it.
judge() {
  local point=$1 session=$2 lost=0 duplicated=0 doubt=0 stuck=0 text=
  duplicated=$(sort count.log 2>/dev/null | uniq -d | wc -l)
  case $ending in
    completed)
      summary "$session" >seen 2>&1
      cmp -s seen "$work/expected" || { lost=1; \
        text="differs: $(diff "$work/expected" seen | head -n 3 | cut -c1-200 | tr '\n' ' ')"; }
      ckrun store verify >verified 2>&1 ||
        { lost=1; text="verify: $(head -n 2 verified | tr '\n' ' ')"; } ;;
    in_doubt) doubt=1 text="in doubt" ;;
    *) stuck=1 text=$ending ;;
  esac
  [ "$duplicated" = 0 ] || { lost=0; text="ran twice: $(sort count.log | uniq -d | tr '\n' ' ')"; }
  echo "$point $lost $duplicated $doubt $stuck $((marks > 0)) $text"
}

# attack POINT COMMAND…: one run that the command kills, and all that follows; `start COMMAND…` is
# the test's.
attack() {
  local point=$1
  shift
  fresh
  start "$@" >out 2>err
  local code=$?
  [ "$code" = 0 ] && return
  marks_left
  if [ "$code" != 137 ]; then
    ending="exit $code instead of a kill: $(tail -n 1 err | cut -c1-200)"
  else
    go_on s start env
  fi
  judge "$point" s
}

# begin_anew AT: one run in a fresh store that is killed at call AT; `start COMMAND…` is the test's.
begin_anew() {
  fresh
  start env "KILL_AT=$1" "LD_PRELOAD=$work/kill_at.so" >out 2>err
}

# The status of the session s, nothing when it does not exist. It is read in a copy: reading may
# repair the traces of a kill.
standing() {
  rm -rf probe && mkdir probe && cp s.db s.db-* probe/ 2>/dev/null
  ckrun_at "sqlite:$PWD/probe/s.db" sessions show s 2>/dev/null | \
    awk -F'\t' '$1 == "status" { print $2 }'
  rm -rf probe
}

marks_left() { if [ -f count.log ]; then marks=$(wc -l <count.log); else marks=0; fi; }

# figures FILE…: the line of the contract; fails when a point did, or when no run had got anywhere.
figures() {
  cat "$@" | awk '
    NF {
      points++; lost += $2; duplicated += $3; doubt += $4; stuck += $5; progress += $6
      passed += !($2 + $3 + $4 + $5)
    }
    NF && $2 + $3 + $4 + $5 { if (bad++ < 10) print "# failed: " $0 >"/dev/stderr" }
    END {
      printf "# points=%d passed=%d lost=%d duplicated=%d in_doubt=%d unresumable=%d progress=%d\n",
        points, passed, lost, duplicated, doubt, stuck, progress
      exit !(points && passed == points && progress)
    }'
}

# in_two COMMAND FILE: every other line of FILE as arguments of COMMAND, in two processes; the
# figures of both.
in_two() {
  local job
  for job in 0 1; do
    (folder "job$job"
      awk -v job="$job" 'NR % 2 == job' "$2" | while read -r line; do $1 $line; done) \
        >"$2.result$job" 2>"$2.talk$job" &
  done
  wait
  # The shell tells of every process that was killed.
  cat "$2.talk0" "$2.talk1" | grep -v ' Killed ' | head -n 5 | sed 's/^/# /'
  figures "$2.result0" "$2.result1"
}
