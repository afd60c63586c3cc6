#!/bin/bash
# edit.t - --set, --set-env and --set-file edit a session's state: recorded, kept by a checkpoint,
# and no secret is written down.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../kills.sh"
cd "$dir" || exit 1
unset TOPIC_KEY OTHER_KEY

# Pauses until memory.key is there; the pure tool tells how often it ran, the one of class once
# likewise.
cat >flow.lua <<END
local flow = require "ck.flow"
return flow.custom { name = "edited",
  tools = {
    look = flow.command { argv = { "$dir/tool", "look" }, class = "pure" },
    act = flow.command { argv = { "$dir/tool", "act" }, class = "once" },
  },
  run = function(ctx)
    local function call(name)
      return ctx.effect { kind = "tool", class = name == "act" and "once" or "pure",
        request = { name = name, index = name == "act" and 1 or 0, arguments = {} } }
    end
    if not ctx.position then ctx.boundary("tool_round", { position = { path = "begun#1" } }) end
    call("look")
    call("act")
    if not ctx.memory.key then ctx.pause("there is no key") end
    ctx.outputs.key = ctx.memory.key == "the-value-" .. "of-the-key"
    return { topic = ctx.memory.topic, n = ctx.memory.n,
      key = ctx.memory.key == "the-value-" .. "of-the-key" }
  end }
END
printf '#!/bin/sh\necho $1 >>%s/ran\necho 1\n' "$dir" >tool
chmod +x tool
ran() { grep -c "$1" ran; }

for value in '[1,' '{"a": }' ' {' '"open' '{}x'; do
  refused 2 "a value that begins like JSON and is none: $value" "begins like JSON and is none" \
    run flow.lua --session none --set "n=$value"
done
exits 3 "nothing was made by that" sessions show none
exits 8 "a run with edits" run flow.lua --session s --set topic=birds --set 'memory.n={"a": 1}' \
  --set outputs.note=hello
exits 0 "the state" --json sessions inspect s
is "has them: JSON, else text, below memory. or where they say" \
  "$(json "$out" 'join " ", map { ref $_ ? "object" : $_ }
    @{$d->{state}}{"memory.topic", "memory.n", "outputs.note"}')" "birds object hello"
has "byte for byte" "$out" '{"a": 1}'
exits 0 "the log" sessions log s --kind edit --json
is "records each" "$(grep -c '"key"' <<<"$out")" 3
exits 0 "the checkpoints" sessions checkpoints s --json
is "begin with one of the edit" "$(json "$(head -n 1 <<<"$out")" '$d->{kind}')" edit

# ---- values that look like secrets ----
before=$(sha256sum store/ckrun.db store/ckrun.db-wal)
for given in token=ghp_0123456789abcdefghijABCDEFGHIJ012345 api_key=hunter22-and-more \
  'auth={"password":"hunter22-and-more"}'; do
  exits 5 "resume --set ${given%%=*}" resume s --set "$given"
  has "names the remedy" "$err" "--set-env memory.${given%%=*}=VARIABLE"
  is "not the value" "$(grep -cE 'ghp_|hunter' <<<"$out$err")" 0
done
exits 5 "run --set of a secret" run flow.lua --session no --set api_key=hunter22-and-more
exits 3 "made no session" sessions show no
exits 2 "a word without =" resume s --set topic
has "is told what it lacks" "$err" "--set takes KEY=…: the word given has no '='"
exits 2 "no key" resume s --set =x
exits 2 "a key set twice" resume s --set topic=x --set-env memory.topic=Y
has "is named" "$err" "memory.topic is set twice"
exits 4 "a variable that is not there" resume s --set-env key=TOPIC_KEY
has "is named with its key" "$err" 'secret "memory.key": env:TOPIC_KEY is not set'
exits 4 "a file that is not there" resume s --set-file key=key.txt
has "is named" "$err" "$(realpath .)/key.txt"
exits 5 "every problem" --json resume s --set-env key=TOPIC_KEY --set api_key=hunter22-and-more \
  --cassette nowhere --dry-run
is "at once" "$(json "$out" 'scalar @{$d->{problems}}')" 3
is "and nothing was written" "$(sha256sum store/ckrun.db store/ckrun.db-wal)" "$before"

# ---- what was done behind the checkpoint is not dropped in silence ----
mkdir panel && cd panel || exit 1
cp "$root"/examples/deliberation/* .
exits 8 "a round that stops in its middle" run flow.lua --profile ./profile.lua --session panel \
  --cassette cassette.jsonl --limit model_calls=5 \
  --input '"Should the shop move to a cheaper cloud this quarter?"'
# Since the round began: all that was called, none of it once.
done_here=$("$CKRUN" --json sessions log panel --kind outcome | perl -MJSON::PP -ne '
  my $b = JSON::PP->new->utf8->decode($_)->{body};
  $models += $b->{kind} eq "model"; $others += $b->{kind} ne "model"; $cost += $b->{cost} // 0;
  END { printf "%d model calls, recorded at \$%.2f, and %d other effects", $models, $cost / 1e6,
    $others }')
exits 0 "a dry run with an edit" resume panel --dry-run --set x=1
is "tells what the edit drops" "$(cell "$out" "edit drops")" "$done_here"
exits 0 "a dry run without" resume panel --dry-run
is "drops nothing" "$(cell "$out" "edit drops") $(cell "$out" "run anew")" " 0"
exits 0 "nor does a limit" resume panel --dry-run --limit model_calls=6
is "drop anything" "$(cell "$out" "edit drops") $(cell "$out" "run anew")" " 0"
exits 8 "the resume itself, without more calls" resume panel --set x=1
has "tells it, too, before it begins" "$err" \
  "the state is edited: what lies behind the checkpoint is made anew: $done_here"
exits 8 "later there is no edit" resume panel
is "and nothing to tell" "$(grep -c "made anew" <<<"$err")" 0
oldest=$("$CKRUN" sessions checkpoints panel | awk -F'\t' 'NR == 1 { print $2 }')
exits 0 "from an older one with an edit" resume panel --checkpoint "$oldest" --dry-run --set x=1
is "it is not the edit that drops anything" "$(cell "$out" "edit drops")" ""
cd ..

# ---- a secret ----
export TOPIC_KEY=the-value-of-the-key
exits 0 "resume --set-env" resume s --set-env key=TOPIC_KEY --set topic=bees
is "the flow has the real value" "$(json "$(cell "$out" result)" '$d->{key} . " " . $d->{topic}')" \
  "1 bees"
is "what is pure was asked anew, what is done once was not" "$(ran look) $(ran act)" "2 1"
exits 0 "the state" --json sessions inspect s
has "holds the reference" "$out" 'env:TOPIC_KEY'
exits 0 "the log" sessions log s --kind edit --json
has "too" "$out" '"ref":"env:TOPIC_KEY"'
is "no file has the value" "$(grep -rlF the-value-of-the-key store | wc -l)" 0
exits 0 "show" --json sessions show s
is "the attempt rose" "$(json "$out" '$d->{timelines}[-1]{attempt}')" 2

# ---- a crash between the opening and the edit checkpoint: the next resume makes the edits again
# ----
if can_kill; then
printf the-value-of-the-key >key.txt
exits 8 "another session" run flow.lua --session crashed
points=0 kept=0 made=0
edits=(resume crashed --set-file key=key.txt --set topic=kept)
export CKRUN_STORE=sqlite:copy/ckrun.db
cp -r store copy && calls=$(count_calls "${edits[@]}")
for n in $(seq 1 25); do
  rm -rf copy && cp -r store copy
  preloaded "KILL_AT=$((1 + 2 * calls * n / 25))" "${edits[@]}"
  run sessions log crashed --all --kind edit --json
  begun=$(grep -c . <<<"$out")
  run --json resume crashed
  result=$(json "${out:-null}" '$d->{result}{key} . $d->{result}{topic}' 2>/dev/null)
  points=$((points + 1))
  case "$begun $code $result" in
    "0 0 "* | "2 5 "*) kept=$((kept + 1)) ;; \
      # never begun, so it goes on without them; completed before it was killed
    "2 0 1kept") kept=$((kept + 1)) made=$((made + 1)) ;;
    *) echo "# at call $((calls * n / 25)): $begun edits, exit $code, $out $err" >&2 ;;
  esac
done
is "killed at $points of its calls the edits are made or were never recorded" "$kept" "$points"
ok "and some of them were made by the next resume" test "$made" -gt 0
else
  skip "no compiler for the library that kills: nothing is killed at its calls"
fi
finish
