# lib.sh - what the cases share, over the library of tests/crash: a store by its URL, sessions of
# their own in it, tools that need no build, figures. Sourced by cases/*.sh.
#   STORE, CKRUN             the store and the program under attack
#   CONFORMANCE_POINTS=N     of each attack at most N points, spread evenly; all, otherwise
#   CONFORMANCE_FIGURES=DIR  where each case leaves its line of the summary
# The header of a case says its promise, its attack and its figure: terms such as "points > 0" or
# "lost 0", separated by commas. What was counted under the name of each is checked at the end.
. "$(dirname "${BASH_SOURCE[0]}")/../crash/lib.sh"
conformance=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
oracle=$conformance/../oracle
script=$(realpath "$0")
case_name=$(basename "$0" .sh)
sessions=0
declare -A counted=()

# header NAME: what the header of this case says behind it, in one line.
header() {
  awk -v name="# $1: " '
    index($0, name) == 1 { found = 1; text = substr($0, length(name) + 1); next }
    found && /^#   / { text = text " " substr($0, 5); next }
    found { exit }
    END { print text }' "$script"
}

report() { [ -z "${CONFORMANCE_FIGURES:-}" ] || echo "$1" >"$CONFORMANCE_FIGURES/$case_name"; }

# cannot REASON…: ends the case, which this store or this machine cannot do.
cannot() {
  report "skip: $*"
  skip_all "$*"
}

# begin_case: goes into a new folder with the tools in it; `store` is the URL, `file` the file
# behind it, if there is one.
begin_case() {
  echo "TAP version 13"
  [ -x "$CKRUN" ] || { echo "Bail out! CKRUN=$CKRUN is no program"; exit 1; }
  work=$(mktemp -d "${TMPDIR:-/tmp}/ckrun-conformance.XXXXXX") || exit 1
  trap 'rm -rf "$work"' EXIT
  unset CKRUN_STORE
  take_store "${STORE:?the URL of a store}"
  cp "$conformance"/tools/* "$work" && cd "$work" || exit 1
}

take_store() {
  store=$1 file=
  case $1 in
    memory:) cannot "a store in memory ends with its process" ;;
    sqlite:*) file=$(realpath -m -- "${1#sqlite:}") ;;
    [a-z]*:*) ;;
    *) file=$(realpath -m -- "$1") ;;
  esac
  [ -z "$file" ] || store=sqlite:$file
}

# Nothing is left of the point before; `session` is a new one.
fresh() {
  rm -rf count.log kill hold* waiting out* err* acknowledged
  sessions=$((sessions + 1))
  session=$case_name-$(date +%s)-$$-$sessions
}

# count NAME [N]: N more of what the figure calls so; with N = 0 it is at least known.
count() { counted[$1]=$((${counted[$1]:-0} + ${2:-1})); }

# Every Nth line, so that at most CONFORMANCE_POINTS are left; never the first ones alone.
spread() {
  awk -v most="${CONFORMANCE_POINTS:-0}" '{ line[NR] = $0 }
    END {
      n = most && most < NR ? most : NR
      for (i = 1; i <= n; i++) print line[int((i - 0.5) * NR / n) + 1]
    }'
}

# The figure of the header, term by term: what was never counted has not been measured.
finish_case() {
  local term name value line=
  while read -r term; do
    name=${term% *} name=${name% >}
    value=${counted[$name]:-unknown}
    line="$line${line:+, }$name $value"
    case $term in
      *"> 0") check "$case_name: $term: $value" test "${value/unknown/0}" -gt 0 ;;
      *) check "$case_name: $term: $value" test "$value" = "${term##* }" ;;
    esac
  done < <(header figure | sed 's/, /\n/g')
  check "$case_name: it has a figure" test -n "$line"
  [ "$failures" = 0 ] && line="holds: $line" || line="FAILS: $line"
  report "$line"
  say "$case_name $line"
  finish
}

# member EXPRESSION: of the JSON document $d on standard input; "null" when there is none.
member() { perl -MJSON::PP -e '$d = eval { decode_json(join "", <STDIN>) };
  print eval($ARGV[0]) // "null"' "$1"; }

# ---- a session that counts to `steps`, and what became of it ----

# start [COMMAND…]: begins it, under a command.
start() {
  bounded "$@" "$CKRUN" --store "$store" run "$here/state.lua" --cassette "$work/$steps.jsonl" \
    --session "$session" --events
}
start_bare() { start env; }

# expect STEPS: makes the recording, and keeps the result of an undisturbed session.
expect() {
  steps=$1
  cassette "$steps"
  fresh
  start_bare >out 2>err && [ "$(grep -c . count.log)" = "$steps" ] && summary "$session" >expected
}

# start_dead N: begins it; its process dies in the call of the tool with that number.
start_dead() {
  fresh
  echo "$1" >kill
  start_bare >out 2>err
  [ $? = 137 ] && cp out acknowledged
}

# events: of JSON lines, what tells one event from another; a line that was cut off does not count.
events() { perl -MJSON::PP -ne 'next if !/\n\z/ || !(my $d = eval { decode_json($_) });
  print join(" ", @$d{qw(seq timeline kind at scope)}), "\n" if $d->{seq} && $d->{kind}'; }

# Events of the file "acknowledged" that the transcript does not have.
count_unacknowledged() {
  events <acknowledged | sort >said
  ckrun --json sessions log "$session" --all 2>/dev/null | events | sort >there
  count "acknowledged and lost" "$(comm -23 said there | grep -c '')"
}

# settle POINT: resumes the session until it is completed, and counts what became of it. Sets
# `progress`: whether a tool had run before.
settle() {
  local point lost duplicated doubt stuck text
  [ -e acknowledged ] || cp out acknowledged
  marks_left
  go_on "$session" start_bare
  read -r point lost duplicated doubt stuck progress text <<<"$(judge "${1// /:}" "$session")"
  count lost "$lost"
  count duplicated "$duplicated"
  count unresumable $((doubt + stuck))
  count_unacknowledged
  [ -z "$text" ] || say "$point: $text"
}
