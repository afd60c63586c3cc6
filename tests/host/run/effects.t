#!/bin/bash
# effects.t - a flow's outward actions: programs, reads of clock and randomness, and misbehaving
# tools, end to end.
. "$(dirname "$0")/../tap.sh"
child=$CKRUN_BUILD/tests/effect/process/tool_child
cd "$dir" || exit 1

# flow BODY: flow.lua with this body of run, which sees `flow`, `ctx` and `exec(def)`.
flow() {
  cat >flow.lua <<END
local flow = require "ck.flow"
return flow.custom { run = function(ctx)
  local function exec(def)
    local node = flow.exec(def)
    return node.run(ctx, node)
  end
  $1
end }
END
}

# ---- values that were read stay the same through a crash ----
flow 'local seen = { ctx.now(), ctx.random(), ctx.random(1, 1000000) }
  exec { argv = { "sh", "-c", "[ -e go ] || kill -KILL \"$PPID\"" }, class = "pure" }
  return seen'
{ "$CKRUN" run flow.lua --session crash; } >out1 2>&1
run sessions log crash --all --json
first=$(grep '"outcome"' <<<"$out" | perl -MJSON::PP -ne \
  'push @r, JSON::PP->new->decode($_)->{body}{result}; END { print join " ", @r }')
is "three readings are recorded before the crash" "$(wc -w <<<"$first")" 3
touch go
exits 0 "a resume" --json resume crash
is "reads the same clock and dice again" "$(json "$out" '
  my @r = @{$d->{result}}; my @f = qw('"$first"');
  ($r[0] == $f[0]) + ($r[1] == $f[1] / 2 ** 53) + ($r[2] == 1 + int($f[2] * 1000000 / 2 ** 53))')" \
    3
rm go

# ---- a program that was running is in doubt, unless its class allows a repeat ----
flow 'exec { argv = { "sh", "-c", "echo x >>ran; kill -KILL \"$PPID\"" } }'
{ "$CKRUN" run flow.lua --session doubt; } >out1 2>&1
exits 75 "a program of class once is not run again on suspicion" resume doubt
has "a person is asked" "$err" \
  "effect main/start/exec/1 (once) was begun and its outcome is not known"
is "it ran once" "$(wc -l <ran)" 1
exits 0 "a person says that it is done" resolve doubt main/start/exec/1 done

# ---- ends of programs ----
flow 'return exec { argv = { "sh", "-c", "echo hi; echo there >&2" } }'
exits 0 "a program" --json run flow.lua
is "its outputs are the result" "$(json "$out" '$d->{result}')" \
  '{"exit":0,"stderr":"there\n","stderr_bytes":6,"stdout":"hi\n","stdout_bytes":3}'
flow 'return exec { argv = { "sh", "-c", "echo broken >&2; exit 3" } }'
exits 1 "a program that fails" run flow.lua
has "says why" "$err" "sh: exit status 3: broken"
flow 'return exec { argv = { "ckrun-no-such-program" } }'
run run flow.lua
ok "a program that is not there fails the session" test "$code" != 0
has "and is named" "$err" "ckrun-no-such-program: cannot be started: No such file"
flow 'return exec { argv = { "'"$child"'", "stay", "/dev/null" }, timeout_s = 0.05,
  class = "pure" }'
exits 1 "a program that never ends" run flow.lua
has "is ended" "$err" "did not end before its deadline"

# ---- input and output ----
flow 'ctx.memory.topic = "cats"
  exec { argv = { "sh", "-c", "read -r line; echo \"{\\\"seen\\\": [$line], \\\"more\\\": 1}\"" },
    reads = { "topic" }, writes = { "seen" } }
  return { ctx.memory.seen, ctx.memory.more == nil }'
exits 0 "reads and writes" --json run flow.lua
is "are keys of the memory" "$(json "$out" '$d->{result}')" '[[{"memory":{"topic":"cats"}}],true]'

# ---- long outputs ----
flow 'return exec { argv = { "seq", "1", "400000" }, output_max = 10 }'
exits 0 "a program that says much" --json run flow.lua --session long
spill=$(json "$out" '$d->{result}{spill}{stdout}')
is "keeps the beginning" "$(json "$out" '$d->{result}{stdout}')" $'1\n2\n3\n4\n5'
ok "and all of it in a file" cmp "$spill" <(seq 1 400000)
is "for the user alone" "$(stat -c %a "$spill")" 600
has "beside the store" "$spill" "$dir/store/ckrun.db.spill/long-"

exits 0 "the store's figures" --json store stats
is "count it" "$(json "$out" '"$d->{spill_files} $d->{spill_bytes}"')" "1 $(stat -c %s "$spill")"
orphan=$dir/store/ckrun.db.spill/long-0123456789abcdef-1.stdout
others=$dir/store/ckrun.db.spill/longer-0123456789abcdef-1.stdout
echo "left by a run that was killed" >"$orphan"
cp "$orphan" "$others"
exits 0 "a prune, in words only" --json sessions prune long --keep 9 --dry-run
is "tells what no result names" "$(json "$out" '$d->{spill_files}') $(test -e "$orphan" &&
  echo there)" "1 there"
exits 0 "a prune" --json sessions prune long --keep 9
is "removes it" "$(json "$out" '"$d->{spill_files} $d->{spill_bytes}"') $(ls "$orphan" \
  2>/dev/null)" "1 30 "
ok "and not what a result names" test -e "$spill"
ok "nor what is another session's" test -e "$others"
rm "$others"
mv "$spill" "$dir/away"
exits 7 "one that is gone is found" store verify
has "and named" "$out" "${spill##*/}, which event"
mv "$dir/away" "$spill"
exits 0 "all is well again" store verify
exits 0 "a session is deleted" sessions delete long
ok "and the file with it" test ! -e "$spill"

# Killed when its long output is in a file, and resolved by a person: nothing names the file then.
cat >"$dir/killer.sh" <<'END'
seq 1 1000000
until ls "$1"/killed-* >/dev/null 2>&1; do :; done
kill -KILL $PPID
END
flow 'return exec { argv = { "sh", "'"$dir/killer.sh"'", "'"$dir/store/ckrun.db.spill"'" },
    output_max = 10, class = "once" }'
{ "$CKRUN" run flow.lua --session killed >/dev/null 2>&1; code=$?; } 2>/dev/null
is "a run is killed in the midst of a long output" "$code" 137
exits 75 "its effect is in doubt" resume killed
ok "what was said helps to judge it" test -e "$dir"/store/ckrun.db.spill/killed-*
key=$("$CKRUN" resolve killed | cut -f1)
exits 0 "it is resolved" resolve killed "$key" done --result '{"exit":0}'
exits 0 "and goes on" resume killed
is "then the file is gone" "$(ls "$dir"/store/ckrun.db.spill | grep -c ^killed-)" 0

# The files of a session that is deleted upon success are deleted, too.
echo 'return { name = "brief", extends = "default", on_success = "delete" }' >brief.lua
flow 'return exec { argv = { "seq", "1", "400000" }, output_max = 10 }'
exits 0 "a session that is not kept" run flow.lua --session brief --profile ./brief.lua
is "leaves no file" "$(ls "$dir"/store/ckrun.db.spill | grep -c ^brief-)" 0

# ---- secrets ----
canary=canary-$$-opensesame
flow 'local r = exec { output_max = 60, env = { KEY = { ref = "env:CKRUN_TEST_KEY" } },
    argv = { "sh", "-c", "echo $KEY; seq 1 100; echo $KEY >&2; env | grep PLAIN; true" } }
  local fine, why = pcall(exec, { env = { KEY = { ref = "env:CKRUN_TEST_KEY" } },
    argv = { "sh", "-c", "echo $KEY >&2; exit 1" } })
  return { r.stdout, why }'
CKRUN_TEST_KEY=$canary PLAIN=$canary exits 0 "a secret by reference" run flow.lua --session secret
has "reaches the program" "$out" "[redacted:env_ckrun_test_key:"
ok "and nothing else" test -z "$(grep -rlF "$canary" "$dir" --exclude=out --exclude=err; grep -F \
  "$canary" <<<"$out$err")"
run run flow.lua
is "one that is missing pauses: exit 8" "$code" 8
has "is named" "$err" "env:CKRUN_TEST_KEY is not set"

# ---- memory that dies with its process ----
flow 'return exec { argv = { "grep", "core file size", "/proc/self/limits" } }'
exits 0 "core dumps" --json run flow.lua
ok "are off for programs and for the one that starts them" grep -qE 'core file size +[01] +[01] ' \
  <<<"$out"

# ---- misbehaving tools, all called at once; the model gets the errors, in order ----
printf '#!/nowhere/at.all\n' >absent # cannot be known before it is started
chmod +x absent
cat >tools.lua <<END
local flow = require "ck.flow"
return flow.agent {
  prompt = "p", tools = {
    flood = flow.command { argv = { "$child", "flood", "output" } },
    missing = flow.command { argv = { "./absent" } },
    slow = flow.command { argv = { "$child", "stay", "/dev/null" }, timeout_s = 0.05 },
    closes = flow.command { argv = { "$child", "close" }, class = "pure" },
    fine = flow.command { argv = { "$child", "print", "[1]" } },
  },
}
END
perl -e '
  my @names = qw(flood missing slow closes fine);
  print qq({"cassette":1,"prompt":"p"}\n);
  my $i = 0;
  my $calls = join ",", map {
    qq({"id":"c$_","type":"function","function":{"name":"$_","arguments":"{}"}})
  } @names;
  print qq({"scope":"main","kind":"model","message":{"role":"assistant","content":null,),
    qq("tool_calls":[$calls]}}\n);
  print map {
    qq({"scope":"main","kind":"tool","index":@{[$i++]},"name":"$_","arguments":"{}","result":"?"}\n)
  } @names;
  print qq({"scope":"main","kind":"model","message":{"role":"assistant","content":"I see."}}\n)' \
    >tools.jsonl
exits 0 "tools with bad manners" run tools.lua --session manners --cassette tools.jsonl
run sessions log manners --json
told=$(perl -MJSON::PP -ne '
  my $m = JSON::PP->new->decode($_)->{body}{message} or next;
  $m->{content} =~ s/\n/ /g;
  print "$m->{name}: $m->{content}\n" if $m->{role} eq "tool"' <<<"$out")
is "each call has its answer, in order" "$(cut -d: -f1 <<<"$told" | tr '\n' ' ')" \
  "flood missing slow closes fine "
has "a flood is bounded" "$told" "flood: flood: it wrote more output than is allowed and was killed"
has "a missing program is named" "$told" \
  "missing: missing: cannot be started: No such file or directory"
has "one that never ends is ended" "$told" \
  "slow: slow: it did not end before its deadline and was killed"
ok "all in few words" test "${#told}" -lt 10000
finish
