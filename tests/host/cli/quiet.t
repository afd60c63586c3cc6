#!/bin/bash
# quiet.t - with -q nothing is on stderr but errors, and stdout says the same; -v says more.
. "$(dirname "$0")/../tap.sh"
# same NAME ARGUMENTS…: on stdout, with and without -q, of two stores that are alike.
told=$("$CKRUN" run "$flow" --cassette "$cassette" --session a 2>"$dir/err" |
  grep -v '^checkpoint_')
ok "a run tells its progress" test -s "$dir/err"
exits 0 "a quiet one" -q --store "sqlite:$dir/quiet.db" run "$flow" --cassette "$cassette" \
  --session a
is "says nothing on stderr" "$err" ""
is "and the same on stdout" "$(grep -v '^checkpoint_' <<<"$out")" "$told"
exits 0 "the option stands behind the command, too" sessions list --status paused --quiet
is "there are no hints" "$out$err" ""
run sessions list --status paused
ok "which there are without it" test -n "$err"
exits 3 "an error" -q sessions show none
has "is told" "$err" "none"
echo 'return { name = "bad", no_such = 1, nor_this = 2 }' >"$dir/bad.lua"
exits 1 "an error of several problems" -q profile check "$dir/bad.lua"
has "has the first" "$err" "no_such"
has "and the second" "$err" "nor_this"
for command in $("$CKRUN" help | sed -n 's/^  \(resume\|doctor\|mcp\|ui\) .*/\1/p'); do
  run "$command" --help
  has "$command has them in its help" "$out" "-q, --quiet"
done
CKRUN_LOG=error run --verbose sessions list
is "-v asks for no less than it is" "$code" 0
exits 0 "sessions show has a -v of its own" sessions show a -v
has "which shows all" "$out" "run_"
finish
