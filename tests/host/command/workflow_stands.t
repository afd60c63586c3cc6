#!/bin/bash
# workflow_stands.t - a workflow checkpoint tells the session as it stands, also between two
# checkpoints, while it runs and after a kill, or as it was at a checkpoint that is named: the steps
# that the transcript has as complete, what had been spent; whoever goes on repeats none of them.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"
mkfifo reached go
exec 3<>reached 4<>go
cat >wait.sh <<'END'
#!/bin/sh
echo "$1" >>ran
echo reached >reached
read -r word <go
echo "$word"
END
chmod +x wait.sh
cat >steps.flow.lua <<'FLOW'
local flow = require "ck.flow"
return flow.steps { name = "w", parallel = 1, steps = {
  { name = "ask", run = flow.agent { name = "asked", prompt = "Say." } },
  { name = "pure", run = function() return { big = 9007199254740993 } end, needs = { "ask" } },
  { name = "none", run = function() end, needs = { "pure" } },
  { name = "again", run = flow.agent { name = "asked2", prompt = "Say again." },
    needs = { "none" } },
  { name = "held", run = flow.exec { class = "idempotent",
    argv = { "./wait.sh", "held" } }, needs = { "again" } },
  { name = "last", run = flow.exec { class = "idempotent",
    argv = { "./wait.sh", "last" } }, needs = { "held" } },
} }
FLOW
# A policy that never asks for a checkpoint, and one that always does.
for take in false true; do
  echo "return { name = 'p', version = 1, checkpoint = function()
    return $take and 'always' or nil end }" >$take.lua
done
serve m <<'END'
{"answer":{"text":"said","usage":{"input":100,"output":10}}}
{"answer":{"text":"again","usage":{"input":200,"output":30}}}
{"answer":{"text":"said","usage":{"input":100,"output":10}}}
{"answer":{"text":"again","usage":{"input":200,"output":30}}}
END
for name in false true; do
  cat >"$name.profile.lua" <<END
return { name = "$name", secrets = { main = "env:MODEL_KEY" }, policies = { "./$name.lua" },
  models = { default = { api = "openai", base_url = "$(base_url openai)", model = "m",
    key = "main", retries = 0, price = { input = 3, output = 15 } } } }
END
done
reach() { read -r -t 600 _ <&3 || { echo "Bail out! no step was reached: $(cat told)"; exit 1; }; }
begin() {
  "$CKRUN" run steps.flow.lua --session "$1" --profile "./$2.profile.lua" >begun 2>told </dev/null \
    3>&- 4>&- &
  pid=$!
  reach
}
# complete SESSION [SEQ]: the steps that its transcript has as complete, up to there.
complete() {
  "$CKRUN" --json sessions log "$1" --kind boundary | perl -MJSON::PP -ne '
    my $e = JSON::PP->new->utf8->decode($_); my $b = $e->{body};
    next if $b->{kind} ne "step_complete" || $b->{last_error} || $e->{seq} > '"${2:-1e9}"';
    push @names, $b->{node}; END { print join " ", @names }'
}
# spent SESSION [SEQ]: tokens of the outcomes in its transcript, up to there.
spent() {
  "$CKRUN" --json sessions log "$1" --kind outcome | perl -MJSON::PP -ne '
    my $e = JSON::PP->new->utf8->decode($_); next if $e->{seq} > '"${2:-1e9}"';
    $in += $e->{body}{input_tokens} // 0; $out += $e->{body}{output_tokens} // 0;
    END { printf "%d %d", $in, $out }'
}
steps() { json "$1" 'join " ", map { $_->{task_id} } @{$d->{steps}}'; }
usage() { json "$1" '"$d->{total_usage}{input_tokens} $d->{total_usage}{output_tokens}"'; }
export_w() { "$CKRUN" sessions export "$1" --format workflow-checkpoint "${@:2}" 2>&1; }

# ---- without any checkpoint, while it runs ----
begin one false
document=$(export_w one)
is "no checkpoint is there" "$("$CKRUN" --json sessions checkpoints one | grep -c .)" 0
is "while it runs: the steps done so far" "$(steps "$document")" "ask pure none again"
is "as the transcript says" "$(steps "$document")" "$(complete one)"
is "with their outcomes" "$(json "$document" '[map { $_->{outcome} } @{$d->{steps}}[1, 2]]')" \
  '[{"big":9007199254740993},null]'
has "an agent's is what it said" "$(json "$document" '$d->{steps}[3]{outcome}')" again
is "and what was spent" "$(usage "$document")" "300 40"
is "as the transcript says, too" "$(usage "$document")" "$(spent one)"
echo held-word >&4
reach
is "one more" "$(steps "$(export_w one)")" "ask pure none again held"

# ---- killed: it goes on elsewhere, and nothing that is complete is done again ----
kill -KILL "$pid"
wait "$pid" 2>/dev/null
echo lost >&4
export_w one >one.json
is "after a kill" "$(steps "$(cat one.json)")" "ask pure none again held"
rm -f ran
export CKRUN_STORE=sqlite:$dir/there.db
exits 0 "imported elsewhere" sessions import one.json --resume-with steps.flow.lua \
  --profile ./true.profile.lua --session one
echo last-word >&4
exits 0 "it goes on" --json resume one
read -r -t 600 _ <&3
is "the rest alone has run" "$(cat ran)" last
is "its results have what it was given" "$(json "$out" \
  'my %r = map { $_->{step} => $_->{result} } @{$d->{result}}; $r{held}{stdout}')" \
  "$(printf 'held-word\n')"
is "what was spent counts on" "$("$CKRUN" --json sessions show one | perl -MJSON::PP -0777 -ne '
  my $t = JSON::PP->new->decode($_)->{totals}; print "$t->{input_tokens} $t->{output_tokens}"')" \
  "300 40"

# ---- at each checkpoint ----
begin two true
echo held-word >&4
reach
echo last-word >&4
wait "$pid"
bad= count=0
while read -r seq id; do
  want=$(complete two "$seq")
  document=$(export_w two --checkpoint "$id")
  if [ -z "$want" ]; then
    grep -q "had completed no step at checkpoint $id" <<<"$document" || bad="$bad $seq:$document"
    continue
  fi
  count=$((count + 1))
  [ "$(steps "$document")" = "$want" ] || bad="$bad [$seq: $(steps "$document"), not $want]"
  [ "$(usage "$document")" = "$(spent two "$seq")" ] ||
    bad="$bad [$seq: spent $(usage "$document"), not $(spent two "$seq")]"
done < <("$CKRUN" --json sessions checkpoints two | perl -MJSON::PP -ne '
  my $c = JSON::PP->new->decode($_); print "$c->{seq} $c->{id}\n"')
is "at each it is what the transcript says" "$bad" ""
ok "of all six steps" test "$count" -ge 6
first=$("$CKRUN" --json sessions log two --kind boundary | perl -MJSON::PP -ne '
  my $e = JSON::PP->new->decode($_);
  print "$e->{body}{checkpoint}\n" if $e->{body}{kind} eq "step_complete"' | sed -n 3p)
export_w two --checkpoint "$first" >third.json
rm -f ran
export CKRUN_STORE=sqlite:$dir/third.db
serve n <<'END'
{"answer":{"text":"again","usage":{"input":200,"output":30}}}
END
sed "s|http://[^\"]*|$(base_url openai)|" true.profile.lua >third.profile.lua
exits 0 "the third one is imported" sessions import third.json --resume-with steps.flow.lua \
  --profile ./third.profile.lua --session two
echo a >&4
echo b >&4
exits 0 "and goes on from there" resume two
is "with the three that were left" "$(tr '\n' ' ' <ran)$(grep -c . n.log)" "held last 1"

# ---- what is refused ----
export CKRUN_STORE=sqlite:$dir/there.db
refused 3 "no such checkpoint" "no checkpoint 'nowhere'" sessions export two \
  --format workflow-checkpoint --checkpoint nowhere
refused 2 "a form that is of the session as it stands" "--checkpoint is for" sessions export two \
  --format cassette --checkpoint first
finish
