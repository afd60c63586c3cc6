#!/bin/bash
# resolve_unknown.t - a person finds out what became of a call of which a model was told that its
# outcome is unknown: the model learns it before its next request, once; what was recorded stays.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../served.sh"

# provider NAME API: serves the script on stdin, and writes the profile NAME.lua.
provider() {
  serve "$1"
  cat >"$1.lua" <<END
return { name = "test", extends = "default", models = { default = { api = "$2",
  base_url = "$(base_url "$2")", model = "m", retries = 0, stream = false, max_tokens = 100 } } }
END
}

# asked NAME N WORDS: how many texts of the N-th request (from 1) hold the words.
asked() {
  sed -n "$2p" "$1.log" | perl -MJSON::PP -e '
    my ($n, $words) = (0, shift);
    my @all = JSON::PP->new->decode(<STDIN>)->{body};
    while (@all) {
      my $at = shift @all;
      push @all, ref $at eq "HASH" ? values %$at : ref $at eq "ARRAY" ? @$at : ();
      $n++ if defined $at && !ref $at && index($at, $words) >= 0;
    }
    print $n' "$3"
}
# events SESSION KIND WORDS: how many of its events hold the words.
events() { "$CKRUN" sessions log "$1" --kind "$2" --all --json | grep -cF -- "$3"; }
paid() { wc -l <"$dir/paid" | tr -d ' '; }
pay() { printf '#!/bin/sh\necho paid >>"%s/paid"\n%s\n' "$dir" "$1" >pay; }
pay 'kill -KILL $$'
# It ends ckrun the first and the third time.
printf '#!/bin/sh\necho >>%s/n\ncase $(wc -l <%s/n) in 1|3) kill -KILL $PPID;; esac\n' \
  "$dir" "$dir" >die
chmod +x pay die
cat >flow.lua <<FLOW
local flow = require "ck.flow"
return flow.agent { prompt = "p", tools = { pay = flow.command { argv = { "$dir/pay" } },
  die = flow.command { argv = { "$dir/die" }, class = "pure" } } }
FLOW
call() { printf '{"answer":{"calls":[{"name":"%s","arguments":{}}]},"turn":%s}\n' "$1" "$2"; }
says() { printf '{"answer":{"text":"I see."},"turn":%s}\n' "$1"; }
key=main/start/tool/1
happened='Somebody has looked since: it happened. Its result: paid 7'

# ---- a turn that is replayed, then one that is not; killed behind it ----
for api in openai anthropic; do
  provider $api $api < <(call pay 0; call die 1; call die 2; says 3)
  rm -f paid n
  { "$CKRUN" run flow.lua --profile ./$api.lua --session $api --input '"?"'; } >out1 2>&1
  is "$api: the model was told, went on, and ckrun died" "$(wc -l <$api.log) $(paid)" "2 1"
  exits 0 "$api: a person says that it happened" resolve $api $key done --result '"paid 7"'
  { "$CKRUN" resume $api; } >out1 2>&1
  is "$api: the next request that is not replayed" "$(asked $api 3 "$happened")" 1
  is "$api: holds what was said before, too" "$(asked $api 3 'it may have happened')" 1
  is "$api: behind which it died once more" "$(wc -l <$api.log)" 3
  exits 0 "$api: a person corrects that" resolve $api $key done --result '"paid 8"'
  exits 0 "$api: a resume goes on" resume $api
  is "$api: without asking again what was asked" "$(wc -l <$api.log)" 4
  is "$api: and tells the new word behind the old one" "$(asked $api 4 'paid 8')" 1
  is "$api: and tells it no second time" "$(asked $api 4 "$happened")" 1
  is "$api: nothing diverges" "$(events $api divergence '')" 0
  is "$api: the outcome stays as it was recorded" "$(events $api outcome '"unknown"')" 1
  is "$api: the payment was made once" "$(paid)" 1
  has "$api: the record says who was told what" "$("$CKRUN" sessions log $api --all)" \
    "$key  done  paid 7"
  exits 0 "$api: the store is sound" store verify
done

# ---- killed while the model is asked for the first time behind the call ----
provider early openai < <(call pay 0; echo '{"answer":{"text":"x"},"hang":1}'; says 1)
rm -f paid
"$CKRUN" run flow.lua --profile ./early.lua --session early --input '"?"' >/dev/null 2>&1 &
pid=$!
while [ "$(grep -c '' early.log 2>/dev/null)" != 2 ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
exits 0 "a person says that it did not happen" resolve early $key retry
exits 0 "the session goes on" resume early
is "the model learns it with the call's outcome" \
  "$(asked early 3 'may have happened') $(asked early 3 'it did not happen. Make it again')" "1 1"
is "and the call is not made again by itself" "$(paid)" 1

# ---- a session that has failed keeps its status; a later word counts ----
provider failed openai < <(call pay 0; echo '{"status":401,"body":{},"turn":1}')
"$CKRUN" run flow.lua --profile ./failed.lua --session failed --input '"?"' >/dev/null 2>&1
was=$(json "$("$CKRUN" --json sessions show failed)" 'join " ", @{$d}{qw(status reason)}')
exits 0 "a person gives it up" resolve failed $key abort
is "the session is as it was" \
  "$(json "$("$CKRUN" --json sessions show failed)" 'join " ", @{$d}{qw(status reason)}')" "$was"
exits 0 "then finds out" resolve failed $key done
run resume failed
is "the last word is told" "$(asked failed 3 'it happened.') $(asked failed 3 'be found out')" "1 0"

# ---- sessions that have ended, and effects that no model called ----
exits 5 "a completed session is told nothing" resolve openai $key abort
has "and the error names the way on" "$err" "ckrun sessions fork openai --checkpoint ID"
first=$("$CKRUN" --json sessions checkpoints openai 2>/dev/null |
  grep -o 'checkpoint_[0-9A-Za-z_-]*' | tail -n 1)
exits 0 "a fork of it" sessions fork openai --checkpoint "$first" --session forked
exits 0 "can be told" resolve forked $key abort
exits 3 "an effect that is not there" resolve openai main/start/tool/9 done
has "is named" "$err" 'no effect "main/start/tool/9" in doubt'
cat >tell.lua <<'POLICY'
return { name = "tell", version = 1, in_doubt = function() return "tell" end }
POLICY
cat >telling.lua <<'PROFILE'
return { name = "telling", extends = "graph", policies = { "every_boundary", "./tell.lua" } }
PROFILE
cat >node.lua <<FLOW
local flow = require "ck.flow"
return flow.graph { start = "pay", edges = { pay = flow.done },
  nodes = { pay = flow.exec { argv = { "$dir/pay" } } } }
FLOW
exits 1 "a node that is told that its payment is unknown" run node.lua --profile ./telling.lua \
  --session node
exits 5 "is told nothing else" resolve node main/pay#1/exec/1 done
has "and the error names the way on" "$err" "ckrun sessions fork node --checkpoint ID"
finish
