#!/bin/bash
# prune.t - checkpoints that the policies prune are gone at the session's end, never one that a
# resume needs, and each prune is recorded.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../kills.sh"

cat >"$dir/three.lua" <<'EOF'
return { name = "three", extends = "default",
  policies = { "every_boundary", { "keep_recent", count = 3 } } }
EOF
cat >"$dir/often.lua" <<'EOF'
return { name = "often", extends = "default",
  policies = { "every_boundary", { "keep_recent", count = 3 } }, prune_every_n_nodes = 4 }
EOF
cat >"$dir/all.lua" <<'EOF'
return { name = "all", version = 1, prune = function(history)
  local drop = {}
  for i = 1, #history do drop[i] = history[i].id end
  return { drop = drop }
end }
EOF
cat >"$dir/none.lua" <<'EOF'
return { name = "none", extends = "default",
  policies = { "every_boundary", "./all.lua" }, prune_every_n_nodes = 1 }
EOF
cat >"$dir/fails.lua" <<'EOF'
return { name = "fails", version = 1, prune = function(history) error("cannot say") end }
EOF
cat >"$dir/failing.lua" <<'EOF'
return { name = "failing", extends = "default",
  policies = { "every_boundary", "./fails.lua", { "keep_recent", count = 1 } } }
EOF

listed() { "$CKRUN" --json sessions checkpoints "$1" | \
  perl -ne '$n += () = /"id":"checkpoint_/g; END { print $n + 0 }'; }
events() { "$CKRUN" --json sessions log "$1" --all --kind "$2"; }
clean() { is "$1: store verify is clean" \
  "$("$CKRUN" store verify >/dev/null 2>"$dir/err"; echo $?)" 0; }

# killed_at PART PROFILE SESSION: starts a run and kills it when it has made PART tenths of its
# calls.
killed_at() {
  die_midway "$1" 10 "$3" run "$flow" --cassette "$cassette" --profile "$2" --session "$3"
  is "$3: it is killed while it runs" "$code" 137
}

run run "$flow" --cassette "$cassette" --session whole
is "without a policy that prunes" "$code" 0
whole=$(listed whole)
ok "every checkpoint is kept ($whole)" test "$whole" -gt 6
is "and nothing says otherwise" "$(events whole pruned)" ""
result=$(cell "$out" result)

exits 0 "keep_recent, count 3" run "$flow" --cassette "$cassette" --profile "$dir/three.lua" \
  --session three
is "the result is the same" "$(cell "$out" result)" "$result"
is "three are left" "$(listed three)" 3
is "one event tells" "$(events three pruned | grep -c .)" 1
is "of all the others" "$(events three pruned | grep -o '"checkpoint_[^"]*"' | sort -u | wc -l)" \
  $((whole - 3))
gone=$(events three pruned | grep -o 'checkpoint_[^"]*' | head -n 1)
is "the last event is the end" "$("$CKRUN" --json sessions log three --all | tail -n 1 | \
  grep -c session_completed)" 1
run sessions inspect three --checkpoint "$gone"
ok "a pruned one is not shown" test "$code" -ne 0
has "but said to be pruned" "$err" "was pruned"
clean "at the end"

exits 0 "every 4 checkpoints" run "$flow" --cassette "$cassette" --profile "$dir/often.lua" \
  --session often
is "three are left of them" "$(listed often)" 3
is "it pruned at every fourth, and at the end" "$(events often pruned | grep -c .)" \
  $(((whole - 1) / 4 + 1))
clean "while it runs"

exits 0 "a policy that drops all" run "$flow" --cassette "$cassette" --profile "$dir/none.lua" \
  --session none
is "leaves the latest" "$(listed none)" 1
is "and the result" "$(cell "$out" result)" "$result"
# Of a run where every other write is that of a prune.
kills=
can_kill && kills=yes
if [ -n "$kills" ]; then
  calls=$(count_calls run "$flow" --cassette "$cassette" --profile "$dir/none.lua" --session \
    counted)
  for n in 2 3 4 6 7 8; do
    id=killed-none-$n
    killed_at "$n" "$dir/none.lua" "$id"
    clean "$id"
    exits 0 "$id: goes on" resume "$id"
    is "$id: to the same result" "$(cell "$out" result)" "$result"
    is "$id: no event tells of a model asked twice" \
      "$("$CKRUN" --json sessions log "$id" --all --kind outcome | grep -o '"key":"[^"]*"' | \
      sort | uniq -d)" ""
  done
  clean "with nothing but what is needed"
else
  skip "no compiler for the library that kills: it is not killed in the middle"
fi

# A run that waits for a person prunes at its end as one that pauses does, and once: what is there
# by then is worked out from the transcript, and is what one who asks by hand would leave.
cat >"$dir/asks.lua" <<'EOF'
local flow = require "ck.flow"
local function work() end
local nodes, edges = {}, {}
for i = 1, 6 do nodes["n" .. i], edges["n" .. i] = flow.lua(work), "n" .. i + 1 end
edges.n6 = "who"
nodes.who, edges.who = flow.ask { question = "Who?", writes = "who" }, "more"
nodes.more, edges.more = flow.lua(work), flow.done
return flow.graph { name = "asks", start = "n1", nodes = nodes, edges = edges }
EOF
# Drops the oldest two whenever it is asked: asked twice, it drops four.
cat >"$dir/two.lua" <<'EOF'
return { name = "two", version = 1, prune = function(history)
  return { drop = { history[1].id, history[2] and history[2].id } }
end }
EOF
# asked_at SESSION: behind which kinds of boundaries how many went.
asked_at() {
  "$CKRUN" --json sessions log "$1" --all | perl -MJSON::PP -ne '
    my $e = decode_json($_);
    $kind = $e->{body}{kind} if $e->{kind} eq "boundary";
    push @told, "$kind " . @{$e->{body}{ids}} if $e->{kind} eq "pruned";
    END { print join(", ", @told) }'
}
# prune_every_n_nodes is due at that very boundary, too: it still is one prune.
for every in 0 7; do
  cat >"$dir/waits$every.lua" <<EOF
return { name = "waits$every", extends = "default", prune_every_n_nodes = $every,
  policies = { { "every_boundary", on_node_start = false }, "./two.lua" } }
EOF
done
exits 8 "it waits for a person" run "$dir/asks.lua" --profile "$dir/waits0.lua" --session waits
is "policies are asked at the end of a run that waits, once" "$(asked_at waits)" \
  "user_checkpoint 2"
exits 0 "it is answered" answer waits me
exits 0 "it goes on to its end" resume waits
is "and at its end" "$(asked_at waits)" "user_checkpoint 2, final 2"
exits 8 "a profile that prunes on the way, too" run "$dir/asks.lua" --profile "$dir/waits7.lua" \
  --session waits7
is "asks them once at the end" "$(asked_at waits7)" \
  "user_checkpoint 2"
clean "while it waits"

exits 0 "a hook that fails" run "$flow" --cassette "$cassette" --profile "$dir/failing.lua" \
  --session failing
is "drops nothing" "$(listed failing)" "$whole"
is "nor does another policy" "$(events failing pruned)" ""
has "and is written down" "$(events failing policy_error)" "cannot say"

for profile in ${kills:+three often}; do
  for n in 4 6 8; do
    id=killed-$profile-$n
    killed_at "$n" "$dir/$profile.lua" "$id"
    exits 0 "$id: goes on" resume "$id"
    is "$id: to the same result" "$(cell "$out" result)" "$result"
    left=$(listed "$id")
    ok "$id: three and what a timeline begins at are left ($left)" test "$left" -ge 3 -a "$left" \
      -le 4
  done
done
clean "after all of it"

finish
