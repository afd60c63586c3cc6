#!/bin/bash
# pager.t - on a terminal a pager gets what a command shows, whole, and is waited for; a pipe, JSON,
# --no-pager and a log that is followed have none; it never gets the store's key.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"

has_terminal || { skip "no pseudo-terminal"; finish; }
cd "$dir" || exit 1
exits 0 "a session" run "$flow" --cassette "$cassette" --session air
cat >pager <<END
#!/bin/sh
cat >"$dir/paged" # only at its end is it told that it ran: it is waited for
env >"$dir/environment"
echo "paged \$1"
END
chmod +x pager
paged() { # ARGUMENTS…: on a terminal; what the terminal was sent
  rm -f paged environment
  shown=$(screen 80 "$@")
}
for command in "sessions list" "sessions show air" "sessions log air" "sessions checkpoints air" \
  "sessions tail air airline" "sessions inspect air" "policy explain air" "help" "run --help"; do
  unset PAGER
  export CKRUN_PAGER=
  paged $command
  ok "without a pager: $command" test ! -e paged
  plain=$shown
  export CKRUN_PAGER="$dir/pager own" PAGER="$dir/pager usual"
  paged $command
  is "the terminal gets what the pager shows of $command" "$shown" "paged own"
  is "which gets the whole of it" "$(cat paged)" "$plain"
  paged $command --no-pager
  is "--no-pager: none" "$shown $(ls paged 2>/dev/null)" "$plain "
  run $command
  ok "nor on a pipe" test ! -e paged
done
unset CKRUN_PAGER
paged sessions list
is "\$PAGER is the next one" "$shown" "paged usual"
paged --json sessions list
ok "JSON has none" test ! -e paged
paged sessions log air -f
ok "nor a log that is followed" test ! -e paged
for none in "" cat "$dir/nothing" "no-such-program -x"; do
  export CKRUN_PAGER=$none
  paged sessions list
  has "CKRUN_PAGER='${none//$dir/DIR}' shows it at once" "$shown" air
done
export CKRUN_PAGER="$dir/pager own"
paged sessions show nobody
has "an error is not lost" "$(cat paged)" "no session"
screen 80 sessions show nobody >/dev/null
is "nor its exit code" "$?" 3
CKRUN_PAGER="exit 3" paged sessions show air
CKRUN_PAGER="true" screen 80 sessions log air >/dev/null
is "a pager that reads nothing is no error" "$?" 0
key=$(head -c 32 /dev/zero | base64)
CKRUN_KEY=$key screen 80 help >/dev/null
is "it gets no key" "$(grep -c CKRUN_KEY environment)" 0
is "it is told to leave what fits" "$(grep LESS environment)" LESS=FRX
finish
