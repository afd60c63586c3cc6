#!/bin/bash
# test_rooms.t - the objects of a room need no symbol of a room that the table does not allow: a
# declaration can lie about where a function is, a linker cannot. Files that need each other stand
# in the table, too. With a folder of objects as argument that one is checked; without, the build's,
# and then one in which every rule is broken.
set -u
here=$(cd "$(dirname "$0")" && pwd)
given=${1:-}
objects=${given:-${CKRUN_BUILD:-$here/../build/release}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "TAP version 13"

# needs: "FILE SYMBOL FILE" for each symbol that one object needs of another one.
needs() {
  cd "$objects" || exit 1
  # An object may be left of a source that is gone.
  list=$(find core lua -name '*.o' | sort | while read -r object; do
    [ -n "$given" ] || [ -f "$here/../${object%.o}.c" ] && echo "$object"
  done)
  nm -A -g --defined-only $list | sed -E 's/^([^:]*)\.o:[0-9a-f]* [A-Z] (.*)/\2 \1/' \
    >"$work/defined"
  nm -A -u $list | sed -E 's/^([^:]*)\.o: *[Uw] (.*)/\2 \1/' >"$work/needed"
  awk 'NR == FNR { at[$1] = $2; next } ($1 in at) && at[$1] != $2 { print $2, $1, at[$1] }' \
    "$work/defined" "$work/needed"
}
(needs) >"$work/needs"
[ -s "$work/needs" ] || { echo "Bail out! there are no objects below $objects"; exit 1; }

# breaches: what is needed of a room that is not allowed.
awk -v table="$here/rooms.txt" "$(cat "$here/rooms.awk")"'
  BEGIN { read_rooms(table) }
  !may_use(room($1), room($3)) { print room($1) ": " $1 " needs " $2 " of " $3 }
' "$work/needs" >"$work/breaches"

checks=0 failed=0
while IFS=: read -r name uses; do
  case $name in core/* | lua/*) ;; *) continue ;; esac
  checks=$((checks + 1))
  if grep "^$name: " "$work/breaches" >"$work/breach"; then
    failed=$((failed + 1))
    echo "not ok $checks - $name needs only$uses"
    head -20 "$work/breach" | sed 's/^/# /' >&2
  else
    echo "ok $checks - $name needs only$uses"
  fi
done <"$here/rooms.txt"

# Files that need each other, directly or around a corner, are a knot. Each one is in the table,
# with its reason.
perl -ane '
  $needs{$F[0]}{$F[2]} = 1;
  END {
    for my $file (keys %needs) {
      my @next = ($file);
      while (defined(my $at = shift @next)) {
        for (keys %{$needs{$at} || {}}) { push @next, $_ unless $reach{$file}{$_}++ }
      }
    }
    for my $file (sort keys %needs) {
      next if $done{$file} || !$reach{$file}{$file};
      my @knot = sort grep { $reach{$file}{$_} && $reach{$_}{$file} } keys %needs;
      @done{@knot} = (1) x @knot;
      print "@knot\n";
    }
  }' "$work/needs" >"$work/knots"
grep -v '^#' "$here/rooms.txt" | tr '\n' ' ' | grep -o 'knot: [^(]* (' | \
  sed 's/^knot: //; s/  */ /g; s/ ($//' | sort >"$work/named"
# check_knots NAME OFFENDERS
check_knots() {
  checks=$((checks + 1))
  if [ -z "$2" ]; then echo "ok $checks - $1"; else
    failed=$((failed + 1))
    echo "not ok $checks - $1"
    sed 's/^/# /' <<<"$2" >&2
  fi
}
check_knots "every knot of files is in the table" "$(comm -23 <(sort "$work/knots") "$work/named")"
[ -n "$given" ] || check_knots "every knot in the table is there" \
  "$(comm -13 <(sort "$work/knots") "$work/named")"

# Every rule must see its breach: each room needs something of each other room, and files of each
# need each other.
if [ -z "$given" ]; then
  bad=$work/bad
  rooms=$(sed -n 's/^\([a-z]*\/[^:]*\):.*/\1/p' "$here/rooms.txt")
  for room in $rooms core/host/none; do
    name=${room//\//_}
    mkdir -p "$bad/$room"
    { for other in $rooms core/host/none; do echo "void in_${other//\//_}(void);"; done
      echo "void in_$name(void) {"
      for other in $rooms core/host/none; do [ "$other" = "$room" ] ||
        echo "in_${other//\//_}();"; done
      echo "}"; } | "${CC:-cc}" -x c -c -o "$bad/$room/bad.o" - || exit 1
  done
  held=$("$0" "$bad" 2>/dev/null | grep '^ok')
  checks=$((checks + 1))
  if [ -z "$held" ]; then echo "ok $checks - every rule sees its breach"; else
    failed=$((failed + 1))
    echo "not ok $checks - every rule sees its breach"
    sed 's/^/# /' <<<"$held" >&2
  fi
fi
echo "1..$checks"
[ "$failed" = 0 ]
