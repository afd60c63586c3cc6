#!/bin/bash
# prune.t - what the policies prune of a session is gone at its end, never what a resume needs, and is written down.
. "$(dirname "$0")/../tap.sh"

cat >"$dir/three.lua" <<'EOF'
return { name = "three", extends = "default", policies = { "every_boundary", { "keep_recent", count = 3 } } }
EOF
cat >"$dir/often.lua" <<'EOF'
return { name = "often", extends = "default", policies = { "every_boundary", { "keep_recent", count = 3 } }, prune_every_n_nodes = 4 }
EOF
cat >"$dir/all.lua" <<'EOF'
return { name = "all", version = 1, prune = function(history)
  local drop = {}
  for i = 1, #history do drop[i] = history[i].id end
  return { drop = drop }
end }
EOF
cat >"$dir/none.lua" <<'EOF'
return { name = "none", extends = "default", policies = { "every_boundary", "./all.lua" }, prune_every_n_nodes = 1 }
EOF
cat >"$dir/fails.lua" <<'EOF'
return { name = "fails", version = 1, prune = function(history) error("cannot say") end }
EOF
cat >"$dir/failing.lua" <<'EOF'
return { name = "failing", extends = "default", policies = { "every_boundary", "./fails.lua", { "keep_recent", count = 1 } } }
EOF

listed() { "$CKRUN" --json sessions checkpoints "$1" | perl -ne '$n += () = /"id":"checkpoint_/g; END { print $n + 0 }'; }
events() { "$CKRUN" --json sessions log "$1" --all --kind "$2"; }
clean() { is "$1: store verify is clean" "$("$CKRUN" store verify >/dev/null 2>"$dir/err"; echo $?)" 0; }

# at_step N PROFILE SESSION: starts a run and kills it when its progress has shown N lines.
killed_at() {
  local session=$3 pid n=$1
  mkfifo "$dir/$session.fifo"
  "$CKRUN" run "$flow" --cassette "$cassette" --profile "$2" --session "$session" >/dev/null 2>"$dir/$session.fifo" </dev/null &
  pid=$!
  while [ "$n" -gt 0 ] && IFS= read -r _; do n=$((n - 1)); done <"$dir/$session.fifo"
  kill -9 "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
}

run run "$flow" --cassette "$cassette" --session whole
is "without a policy that prunes" "$code" 0
whole=$(listed whole)
ok "every checkpoint is kept ($whole)" test "$whole" -gt 6
is "and nothing says otherwise" "$(events whole pruned)" ""
result=$(cell "$out" result)

exits 0 "keep_recent, count 3" run "$flow" --cassette "$cassette" --profile "$dir/three.lua" --session three
is "the result is the same" "$(cell "$out" result)" "$result"
is "three are left" "$(listed three)" 3
is "one event tells" "$(events three pruned | grep -c .)" 1
is "of all the others" "$(events three pruned | grep -o '"checkpoint_[^"]*"' | sort -u | wc -l)" $((whole - 3))
gone=$(events three pruned | grep -o 'checkpoint_[^"]*' | head -n 1)
is "the last event is the end" "$("$CKRUN" --json sessions log three --all | tail -n 1 | grep -c session_completed)" 1
run sessions inspect three --checkpoint "$gone"
ok "a pruned one is not shown" test "$code" -ne 0
has "but said to be pruned" "$err" "was pruned"
clean "at the end"

exits 0 "every 4 checkpoints" run "$flow" --cassette "$cassette" --profile "$dir/often.lua" --session often
is "three are left of them" "$(listed often)" 3
ok "it pruned more than once" test "$(events often pruned | grep -c .)" -gt 1
clean "while it runs"

exits 0 "a policy that drops all" run "$flow" --cassette "$cassette" --profile "$dir/none.lua" --session none
is "leaves the latest" "$(listed none)" 1
is "and the result" "$(cell "$out" result)" "$result"
killed_at 14 "$dir/none.lua" killed-none
exits 0 "after a kill too" resume killed-none
is "there is one to resume from" "$(cell "$out" result)" "$result"
is "no event tells of a model asked twice" "$("$CKRUN" --json sessions log killed-none --all --kind outcome | grep -o '"key":"[^"]*"' | sort | uniq -d)" ""
clean "with nothing but what is needed"

# Killed in the middle of it: at the N-th sync, of a run where every other one is that of a prune.
if command -v strace >/dev/null && strace -f -o /dev/null true 2>/dev/null; then
  for n in 4 5 6 7 8 9; do
    (
      strace -f -qq -o /dev/null -e trace=fdatasync -e "inject=fdatasync:signal=KILL:when=$n" \
        "$CKRUN" run "$flow" --cassette "$cassette" --profile "$dir/none.lua" --session "sync-$n" </dev/null
      true
    ) >/dev/null 2>&1
    is "killed at sync $n: it did die" "$("$CKRUN" --json sessions show "sync-$n" | grep -c '"status":"running"')" 1
    is "killed at sync $n: verify is clean" "$("$CKRUN" store verify >/dev/null 2>&1; echo $?)" 0
    exits 0 "killed at sync $n: goes on" resume "sync-$n"
    is "killed at sync $n: to the same result" "$(cell "$out" result)" "$result"
  done
else
  skip "no strace: it is not killed in the middle"
fi

exits 0 "a hook that fails" run "$flow" --cassette "$cassette" --profile "$dir/failing.lua" --session failing
is "drops nothing" "$(listed failing)" "$whole"
is "nor does another policy" "$(events failing pruned)" ""
has "and is written down" "$(events failing policy_error)" "cannot say"

for profile in three often; do
  for n in 5 9 14; do
    id=killed-$profile-$n
    killed_at "$n" "$dir/$profile.lua" "$id"
    exits 0 "$id: goes on" resume "$id"
    is "$id: to the same result" "$(cell "$out" result)" "$result"
    left=$(listed "$id")
    ok "$id: three and what a timeline begins at are left ($left)" test "$left" -ge 3 -a "$left" -le 4
  done
done
clean "after all of it"

finish
