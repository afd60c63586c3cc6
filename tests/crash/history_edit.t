#!/bin/bash
# history_edit.t - an edit of a session's history is done or not done, wherever it is killed: fork,
# rewind, undo, pin, prune, delete, detach, and the migration of stores of older schemas, one of
# them sealed. After each kill the store is verified and equals the one before or the one after the
# edit, and the same command completes the edit.
# Every 10th point is tried, others with each commit; KILL_EVERY=1 tries all.
. "$(dirname "$0")/lib.sh"

golden=$here/../golden
every=${KILL_EVERY:-10}
operations="fork rewind undo pin prune delete detach migrate migrate_sealed"

begin
have_compiler && build_kill_at || skip_all "there is no compiler for the library that kills"

command_of() {
  case $1 in
    fork) echo sessions fork whole --checkpoint first --session made --set note=1 ;;
    rewind) echo sessions rewind paused --to first --report Nothing. ;;
    undo) echo sessions undo rewound ;;
    pin) echo sessions pin whole first ;;
    prune) echo sessions prune whole --keep 1 ;;
    delete) echo sessions delete whole ;;
    detach) echo sessions delete origin --detach ;;
    migrate*) echo sessions pin done first --off ;;
  esac
}

# preloaded VARIABLE ARGUMENTS…: preloads the library into the program alone, not into timeout.
preloaded() { bounded env "$1" "LD_PRELOAD=$work/kill_at.so" "$CKRUN" --store "$store" "${@:2}"; }

# The visible contents of the store without the parts that change from run to run, and without notes
# of prunes. In one process: it is read hundreds of times.
look() {
  bounded perl -MJSON::PP -e '
    my ($program, $store) = @ARGV;
    sub ask {
      open my $from, "-|", $program, "--store", $store, "--json", @_ or die;
      my @lines = <$from>;
      close $from;
      @lines
    }
    sub row { my $d = shift; join(" ", map { $_ // "-" } @$d{@_}) . "\n" }
    my @list = map { decode_json($_) } ask("sessions", "list");
    print sort map { row($_, qw(session status reason)) } @list;
    for my $session (sort map { $_->{session} } @list) {
      my @log = ask("sessions", "log", $session, "--all");
      print "$session ", scalar(grep { !/"kind":"pruned"/ } @log), "\n";
      print map { row(decode_json($_), qw(seq kind timeline pinned inherited)) }
        ask("sessions", "checkpoints", $session);
      my $told = decode_json(join("", ask("sessions", "inspect", $session)) || "{}");
      print JSON::PP->new->canonical->encode($told->{state} || {}), "\n";
    }' "$CKRUN" "$store"
}

# The stores that are attacked: one of the present schema, one of schema 1, a sealed one of
# schema 2.
make_templates() {
  folder template
  fresh
  cp "$golden"/*.lua "$golden"/six.jsonl .
  start() { ckrun run state.lua --cassette six.jsonl --session "$1" >out 2>err; }
  start whole && start origin || return 1
  ckrun sessions fork origin --checkpoint first --session paused >out || return 1
  ckrun sessions fork whole --checkpoint latest --session rewound >out &&
    ckrun sessions delete rewound >out || return 1
  ckrun sessions fork paused --session rewound >out &&
    ckrun sessions rewind rewound --to latest --report Well. >out || return 1
  folder older
  fresh
  cp "$golden/schema1.db" s.db
  chmod 600 s.db
  folder older_sealed
  fresh
  cp "$golden/sealed2.db" s.db
  chmod 600 s.db
}

# place OPERATION: a fresh copy of its template.
place() {
  rm -rf s.db s.db-* s.db.* counters
  export CKRUN_COUNTERS=$PWD/counters # of this copy alone: the last one was at the same place
  local from=template
  unset CKRUN_KEY
  [ "$1" = migrate ] && from=older
  [ "$1" = migrate_sealed ] && from=older_sealed && export CKRUN_KEY=$(cat "$golden/sealed.key")
  cp "$work/$from"/s.db* . 2>/dev/null
  [ -s s.db ]
}

# expect OPERATION: the contents before and after it, and the number of its calls.
expect() {
  folder baseline
  place "$1" && look >"$work/$1.before" 2>&1 || return 1
  place "$1"
  preloaded KILL_COUNT="$work/$1.calls" $(command_of "$1") >out 2>err || { cat err; return 1; }
  look >"$work/$1.after" 2>&1
  ckrun store verify >out 2>&1 || return 1
  seq 2 $((2 * $(cat "$work/$1.calls") + 2)) | thin "$every" | sed "s/^/$1 /" >"$work/$1.points"
}

# is_half OPERATION: the store has columns of a schema that it is not of.
is_half() {
  local version column
  case $1 in
    migrate) version=1 column="failure FROM session" ;;
    migrate_sealed) version=2 column="about FROM timeline" ;;
    *) return 1 ;;
  esac
  [ "$(sqlite3 "file:$PWD/s.db?mode=ro" "PRAGMA user_version")" = "$version" ] &&
    sqlite3 "file:$PWD/s.db?mode=ro" "SELECT $column" >/dev/null 2>&1
}

# attack OPERATION POINT: prints the line of lib.sh; "progress" is that it was done.
attack() {
  local lost=0 stuck=0 after=0 text=
  place "$1"
  preloaded KILL_AT="$2" $(command_of "$1") >out 2>err
  local code=$?
  [ "$code" = 137 ] || [ "$code" = 0 ] ||
    { stuck=1; text="exit $code: $(tail -n 1 err | cut -c1-200)"; }
  is_half "$1" && { lost=1; text="half of a schema"; }
  ckrun store verify >verified 2>&1 || { lost=1; \
    text="verify: $(head -n 2 verified | tr '\n' ' ')"; }
  look >seen 2>&1
  if cmp -s seen "$work/$1.after"; then after=1; elif ! cmp -s seen "$work/$1.before"; then
    lost=1 text="neither before nor after: $(diff "$work/$1.before" seen | head -n 3 | \
      cut -c1-150 | tr '\n' ' ')"
  fi
  if [ "$after" = 0 ]; then
    ckrun $(command_of "$1") >out 2>err ||
      { stuck=1; text="again: $(tail -n 1 err | cut -c1-200)"; }
    look >seen 2>&1
    cmp -s seen "$work/$1.after" || { lost=1; \
      text="again: $(diff "$work/$1.after" seen | head -n 3 | cut -c1-150 | tr '\n' ' ')"; }
  fi
  echo "$1:$2 $lost 0 0 $stuck 1 $text"
}

check "the stores are made" make_templates
for operation in $operations; do
  check "$operation does what it does" expect "$operation"
  check "$operation: killed before and after each of $(cat \
    "$work/$operation.calls") calls it is done or not, and can be done" \
    in_two attack "$work/$operation.points"
done
finish
