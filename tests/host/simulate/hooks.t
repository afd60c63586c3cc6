#!/bin/bash
# hooks.t - policy simulate --hook permit, on_failure, in_doubt: the hook is asked again wherever it
# was asked live, or would have been, with what a live call shows; what a session does not tell is
# counted by name, and never guessed.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >flow.lua <<'E'
local flow = require "ck.flow"
return flow.graph { name = "work", start = "read",
  nodes = {
    read = flow.exec { argv = { "sh", "-c", "echo five papers" }, class = "pure" },
    pay = flow.exec { argv = { "sh", "-c",
      "test -e $SEEN || { touch $SEEN; exit 3; }; echo paid" }, class = "once",
      env = { SEEN = "paid" } },
    tell = flow.exec { argv = { "sh", "-c", "echo told" }, class = "idempotent" },
  },
  edges = { read = "pay", pay = "tell", tell = flow.done } }
E
# policy NAME HOOK BODY: NAME.lua; profile NAME POLICY…: NAME.profile.lua
policy() { echo "return { name = \"$1\", version = 1, $2 = function(it, at) $3 end }" >"$1.lua"; }
profile() {
  local name=$1 list=
  shift
  for one in "$@"; do list="$list\"./$one.lua\", "; done
  echo "return { name = \"$name\", policies = { \"every_boundary\", $list } }" >"$name.profile.lua"
}
# sums HOOK OPTION…: asked, as recorded, otherwise, not recorded, untold; answers; what is unknown.
sums() {
  run --json policy simulate --hook "$@"
  json "$out" 'my $p = $d->{profiles}[0]; join " ",
    @$p{qw(asked as_recorded otherwise not_recorded untold)},
    (map { "$_->{answer}=$_->{count}" } @{$p->{answers}}),
    map { "?$_->{field}=$_->{count}" } @{$p->{unknown}}'
}
# places HOOK OPTION…: of each, the effect's node, what was recorded, and what is said now.
places() {
  run --json policy simulate --list --hook "$@"
  json "$out" 'join "; ", map { my $p = $_; (my $node = $p->{about} || "?") =~ s/^main.(\w+)#.*/$1/;
    "$node " . join "/", map { $_ ? join ",", grep defined, @$_{qw(answer policies text)} : "-" }
      @$p{qw(recorded now)} } map { @{$_->{places}} } @{$d->{profiles}[0]{sessions}}'
}

policy guard permit 'if it.class == "once" then return ck.ask("Spend at " .. at.node .. "?") end
  if it.class == "idempotent" then return ck.deny("after " .. at.node .. at.random) end'
policy patient on_failure 'if it.try < 2 then return { "retry", wait_ms = 5 } end
  return it.node == "pay" and "fail" or "pause"'
profile live guard patient

# ---- a session that a person answered, with a failure that is tried again ----

run run flow.lua --profile live.profile.lua --session one
exits 0 "a person allows it" answer one allow
run resume one
is "all of permit is answered as it was" "$(sums permit --profile live.profile.lua one)" \
  "4 4 0 0 0 allow=1 ask=2 deny=1"
run --json policy simulate --hook permit --profile live.profile.lua one
is "a question that is asked about again behind its answer is one to a person" \
  "$(json "$out" '$d->{profiles}[0]{questions}') $("$CKRUN" --json sessions log one --all |
    perl -MJSON::PP -ne '$d = decode_json($_)->{body}; $n{$d->{request}{question}} = 1
      if ($d->{key} // "") =~ m{/permit$} && $d->{request}; END { print scalar keys %n }')" "1 1"
told=$(places permit --profile live.profile.lua one)
is "the question word for word" \
  "$(perl -ne 'print "same" if m{pay ask,(guard,Spend at pay\?)/ask,\1;}' <<<"$told")" same
is "the denial, too, with the number that it was drawn" \
  "$(perl -ne 'print "same" if m{tell deny,(guard,after tell0\.\d+)/deny,\1$}' <<<"$told")" same
is "and on_failure, with its wait" "$(sums on_failure --profile live.profile.lua one)" \
  "1 1 0 0 0 retry=1"
is "each time" "$(places on_failure --profile live.profile.lua one)" \
  "pay retry,waits 5 ms/retry,waits 5 ms"
is "nothing was in doubt" "$(sums in_doubt --profile live.profile.lua one)" "0 0 0 0 0"

# ---- sums tell places and names apart ----
cat >broken.lua <<'E'
return { name = "broken", version = 1, permit = function(it, at)
  if it.class == "once" then error("no " .. at.seq) end
  if it.class == "idempotent" then error("no " .. at.seq) end
end }
E
run --json policy simulate --hook permit --policy ./broken.lua one
is "the line of an error stays, figures do not" "$(json "$out" 'join ";", map {
    (my $r = $_->{reason}) =~ s/^ask: broken: .*?(broken.lua:\d+)/$1/; "$r=$_->{count}"
  } @{$d->{profiles}[0]{reasons}}')" \
  "broken.lua:2: no #=2;broken.lua:3: no #=1"

# ---- other policies over the same session ----

policy strict permit 'if it.class == "pure" then return ck.deny("no reading") end'
policy weary on_failure 'return "pause"'
profile other strict weary
is "others answer otherwise" "$(sums permit --profile other.profile.lua one)" \
  "4 0 4 0 0 deny=1 allow=3"
is "with their reason" "$(places permit --policy ./strict.lua one | cut -d';' -f1)" \
  "read allow/deny,strict,no reading"
is "of the failure, too" "$(sums on_failure --policy ./weary.lua one)" "1 0 1 0 0 pause=1"
exits 0 "two profiles side by side" policy simulate one --hook permit \
  --profile live.profile.lua --profile other.profile.lua
is "have a column each" \
  "$(grep -P '^ *(asked|deny|allow|ask|answered|questions)' <<<"$out" | tr '\t\n' ' ;')" \
  "asked: effects before they begin 4 4;  allow 1 3;  ask 2 0;  deny 1 1;questions to a person 1 0;\
answered as recorded 4 0;answered otherwise 0 4;"
exits 0 "and in a list a line each" policy simulate one --hook on_failure --list \
  --profile live.profile.lua --profile other.profile.lua
is "by profile" "$(cut -f 3- <<<"$out" | tr '\t\n' ' ;')" \
  "main/pay#1/exec/1 retry live retry waits 5 ms;main/pay#1/exec/1 retry other pause ;"

# ---- what the session does not tell ----

policy curious permit 'if it.class == "once" then return ck.deny(it.class) end'
policy looks permit 'if at.budget.spent > 1 then return ck.deny("dear") end'
profile blind curious
run run flow.lua --profile blind.profile.lua --session blind
is "what no policy looked at then is not known now" \
  "$(sums permit --policy ./looks.lua blind)" "2 0 0 0 2 ?at.budget=2"
exits 0 "in a list" policy simulate blind --hook permit --list --policy ./looks.lua
is "it is named" "$(cut -f 4- <<<"$out" | tr '\t\n' ' ;')" \
  "allow not told at.budget is not recorded;deny not told at.budget is not recorded;"
is "who does not look is asked" "$(sums permit --policy ./curious.lua blind)" \
  "2 2 0 0 0 allow=1 deny=1"
rm -f paid
profile tries patient
run run flow.lua --profile tries.profile.lua --session tried
is "a session that had no such policy: each effect once, not its second try" \
  "$(sums permit --policy ./curious.lua tried)" "3 0 0 3 0 allow=2 deny=1"
rm -f paid
run run flow.lua --session plain
is "a failure that nobody was asked about" "$(sums on_failure --policy ./weary.lua plain)" \
  "1 0 0 1 0 pause=1"
is "of which the try is not known" "$(sums on_failure --policy ./patient.lua plain)" \
  "1 0 0 0 1 ?failure.try=1"
echo 'return require("ck.flow").exec { argv = { "echo", "five" } }' >one.lua
policy names redact 'return ck.mask(it.value, "five")'
policy other_words redact 'if it.kind ~= "intent" then return end
  return { request = { argv = { "echo", "six" } } }'
policy reads permit 'if it.request.argv[2] == "four" then return ck.deny("four") end'
for name in names other_words; do
  profile "$name" "$name" reads
  exits 0 "a request is written as $name has it" run one.lua --profile "$name.profile.lua" \
    --session "$name"
  is "and not known as it was" "$(sums permit --profile "$name.profile.lua" "$name")" \
    "1 0 0 0 1 ?effect.request=1"
done

# ---- in doubt ----

killer die.sh "$dir/ran"
cat >die.lua <<E
return require("ck.flow").graph { name = "g", start = "act",
  nodes = { act = require("ck.flow").exec { argv = { "$dir/die.sh" }, class = "once" } },
  edges = { act = require("ck.flow").done } }
E
for word in stop rerun tell; do policy "$word" in_doubt "return \"$word\""; done
policy unsure in_doubt 'if it.attempt > 1 then return "rerun" end'
policy fails in_doubt 'error "no idea"'
# doubt NAME POLICY…: a session that was killed in its effect, and resumed.
doubt() {
  rm -f ran
  profile "$@"
  run run die.lua --profile "./$1.profile.lua" --session "$1"
  run resume "$1"
}
for word in rerun tell stop; do
  doubt "doubt_$word" unsure "$word"
  is "$word is said again" \
    "$(places in_doubt --profile "./doubt_$word.profile.lua" "doubt_$word")" \
    "act $word$([ $word = stop ] || echo ",$word")/$word,$word"
done
policy second in_doubt 'return it.attempt == 2 and "tell" or "stop"'
rm -f ran
profile second second
run run die.lua --profile second.profile.lua --session second
run resume second --set memory.a=1
is "with the attempt that it was" "$(sums in_doubt --profile second.profile.lua second)" \
  "1 1 0 0 0 tell=1"
doubt silent unsure
is "or that nobody knew" "$(sums in_doubt --profile ./silent.profile.lua silent)" \
  "1 1 0 0 0 no opinion=1"
is "another one says otherwise" "$(sums in_doubt --policy ./tell.lua silent)" "1 0 1 0 0 tell=1"
run policy simulate --hook in_doubt --policy ./fails.lua silent
is "one that fails: exit 5" "$code" 5
has "of what, in its words" "$err" "fails.lua:1: no idea"
has "and the session would stop" "$out" "  stop	1"
rm -f ran
run run die.lua --session none
run resume none
is "without a policy the pause is such a place" "$(sums in_doubt --policy ./tell.lua none)" \
  "1 0 0 1 0 tell=1"

# ---- what is no such question ----

refused 2 "a policy without the hook" "it has no permit hook, which --hook permit asks" \
  policy simulate one --hook permit --policy ./tell.lua
refused 2 "a difference of two" "--diff is of checkpoints, and --hook is permit" \
  policy simulate one --hook permit --diff --policy ./strict.lua --policy ./guard.lua
refused 2 "a list of redact" "--list: --hook redact has none; without it" \
  policy simulate one --hook redact --list --policy ./names.lua
before=$("$CKRUN" store stats | grep -v wal_bytes)
run policy simulate --hook permit --profile live.profile.lua
is "all sessions at once, and nothing is written" \
  "$code $("$CKRUN" store stats | grep -v wal_bytes)" "0 $before"
finish
