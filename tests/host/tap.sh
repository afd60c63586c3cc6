# tap.sh - what the shell tests of the command line share: a folder of their own, checks, JSON by
# perl. Sourced.
set -u
CKRUN=${CKRUN:?the path of the program}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d "${TMPDIR:-/tmp}/ckrun-host.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
export CKRUN_STORE=sqlite:$dir/store/ckrun.db NO_COLOR=1 HOME=$dir/home XDG_STATE_HOME= \
  CKRUN_PAGER=
unset CKRUN_LOG CKRUN_COUNTERS
flow=$root/examples/airline/flow.lua
cassette=$root/examples/airline/cassette.jsonl
checks=0 failed=0 out= err= code=0
echo "TAP version 13"

# ok NAME CONDITION…: the command says.
ok() {
  local name=$1
  shift
  checks=$((checks + 1))
  if "$@" >/dev/null; then echo "ok $checks - $name"; return 0; fi
  failed=$((failed + 1))
  echo "not ok $checks - $name"
  { echo "exit code $code"; echo "stdout: $out"; echo "stderr: $err"; } |
    head -40 | cut -c1-400 | sed 's/^/#   /' >&2
  return 1
}

is() { ok "$1" test "$2" = "$3" || echo "#   got '$2', not '$3'" >&2; }
has() { ok "$1" grep -qF -- "$3" <<<"$2" || echo "#   nothing like '$3'" >&2; }
skip() { checks=$((checks + 1)); echo "ok $checks - # SKIP $1"; }

# run ARGUMENTS…: fills out, err and code.
run() {
  "$CKRUN" "$@" >"$dir/out" 2>"$dir/err" </dev/null
  code=$?
  out=$(tr -d '\0' <"$dir/out") err=$(tr -d '\0' <"$dir/err")
}

# exits CODE NAME ARGUMENTS…: the program ends with that code, and says why in one line unless it
# is 0.
exits() {
  local want=$1 name=$2
  shift 2
  run "$@"
  is "$name: exit $want" "$code" "$want"
}

# refused CODE NAME TEXT ARGUMENTS…: nothing on stdout, the text in one line on stderr; with --json
# the same as an object.
refused() {
  local want=$1 name=$2 text=$3
  shift 3
  exits "$want" "$name" "$@"
  has "$name: is told" "$err" "$text"
  is "$name: in one line" "$(grep -c '' <<<"$err")" 1
  is "$name: nothing on stdout" "$out" ""
  run --json "$@"
  is "$name: as JSON" "$code $(json "$err" '$d->{error}{exit}')" "$want $want"
}

# json TEXT EXPRESSION: prints a member of one JSON document, $d; fails when it is none. In the
# expression micros(DOLLARS) is whole micro-dollars.
json() {
  perl -MJSON::PP -CO -e '
    sub micros { defined $_[0] ? sprintf "%.0f", $_[0] * 1e6 : undef }
    my $d = JSON::PP->new->utf8->decode($ARGV[0]);
    my $v = eval $ARGV[1];
    die $@ if $@;
    print ref $v && ref $v ne "JSON::PP::Boolean"
      ? JSON::PP->new->canonical->encode($v) : $v // "null"' "$1" "$2"
}

# lines TEXT: every line is a JSON object.
lines() {
  perl -MJSON::PP -ne '
    ref JSON::PP->new->utf8->decode($_) eq "HASH" or exit 1;
    END { $? ||= !$. }' <<<"$1"
}

# killer FILE [MARK]: makes a program that kills the one that runs it; with a mark only the first
# time, which that file tells: then it ends well.
killer() {
  printf '#!/bin/sh\n%s\nkill -9 $PPID\nsleep 60\n' \
    "${2:+[ -e '$2' ] && exit 0; : >'$2'}" >"$1"
  chmod +x "$1"
}

# cell TEXT NAME: the value of a "name<TAB>value" line.
cell() { awk -F'\t' -v name="$2" '$1 == name { print $2 }' <<<"$1"; }

# dollars MICROS: as texts show them: at least cents, as many digits as needed.
dollars() { perl -e '$_ = sprintf "\$%.6f", shift() / 1e6; s/(\.\d\d\d*?)0+$/$1/; print' "$1"; }

finish() {
  echo "1..$checks"
  exit $((failed > 0))
}
