#!/bin/bash
# fallback_for.t - a chain that remembers who answered last: later calls begin with that one, for a
# time by the clock or as long as the session lives, in this run and in those that resume it; then,
# and when that one fails, the flow's own is asked again.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../views.sh"
. "$(dirname "$0")/../served.sh"
if ! set_clock "2026-11-24 08:00"; then skip "nothing here builds the clock"; finish; fi

# profile FILE FOR [TOP]: the model of the flow, behind it spare and last.
profile() {
  local name
  { echo "return { name = 'chained', extends = 'default', ${3:-}"
    echo "  secrets = { main = 'env:MODEL_KEY' }, models = {"
    for name in away spare last; do
      port=$(cat $name.port)
      printf '%s = { api = "anthropic", base_url = "%s", model = "m", key = "main", retries = 0,' \
        "$(sed 's/away/default/' <<<$name)" "$(base_url anthropic)"
      printf 'price = { input = 1, output = 1 }, %s },\n' \
        "$([ $name = away ] && echo "fallback = { 'spare', 'last' }, fallback_for = $2")"
    done
    echo "} }"; } >"$1"
}
down='{"status":503,"body":{"type":"error","error":{"type":"overloaded_error"}},"times":0}'
answer='{"answer":{"text":"Yes.","usage":{"input":100,"output":10}},"times":0}'
asked() { echo "$(requests away) $(requests spare) $(requests last)"; }
serving() { serve away <<<"$1"; serve spare <<<"$2"; serve last <<<"$3"; }
at() { # TIME COMMAND…
  at_clock[1]=CLOCK_AT=$(date -u -d "2026-11-24 $1" +%s)
  shift
  code=0
  out=$("${at_clock[@]}" "$CKRUN" "$@" 2>err </dev/null) || code=$?
  err=$(cat err)
}
first() { "$CKRUN" --json sessions log "$1" --all --kind outcome | perl -MJSON::PP -ne '
  my $b = decode_json($_)->{body}; next if $b->{kind} ne "model"; my $f = $b->{first};
  print join(":", $b->{model} // "-", $f->{model}, $f->{failed} ? "failed" : ()), " "'; }
# Two calls, a wait for a person, two more.
cat >flow.lua <<'END'
return require("ck.flow").custom { models = { "default" }, run = function(ctx)
  local function call(n)
    ctx.message("user", "Call " .. n)
    ctx.effect { kind = "model", class = "pure", request = { model = "default" } }
  end
  call(1) call(2)
  ctx.effect { kind = "ask", class = "idempotent", request = { question = "On?" } }
  call(3) call(4)
  return "done"
end }
END
begin() { at 08:00 run flow.lua --profile "./$1.lua" --session "$1"; }
go_on() { at "$2" answer "$1" yes && at "$2" resume "$1"; }

serving "$down" "$answer" "$answer"
profile time.lua 600
begin time
is "the second call begins with the one that answered" "$code $(asked)" "8 1 2 0"
is "the record says so, and since when" "$(first time)" \
  "-:default spare:default:failed spare:default:failed "
go_on time 08:09
is "so do those of a resume, within that time" "$code $(asked)" "0 1 4 0"

profile late.lua 600
begin late
go_on late 08:11
is "behind it the flow's own is asked again, once" "$code $(asked)" "0 3 8 0"

serving "$down" "$answer" "$answer"
profile ever.lua '"session"'
begin ever
go_on ever 23:59
is "or as long as the session lives" "$code $(asked)" "0 1 4 0"
profile each.lua false
begin each
go_on each 08:00
is "without it each call begins with the flow's own" "$code $(asked)" "0 5 8 0"
is "and nothing is recorded of it" "$("$CKRUN" --json sessions log each --all |
  grep -c '"first"')" 0

# ---- the one that answered fails ----
serving "$(sed 's/"times":0/"times":1/' <<<"$down")
$answer" "$(sed 's/"times":0/"times":1/' <<<"$answer")
$down" "$down"
profile back.lua '"session"'
begin back
is "when that one fails, those behind it and then the flow's own are asked" \
  "$code $(asked)" "8 2 2 1"
go_on back 08:00
is "which has answered last then, also for a resume" "$code $(asked)" "0 4 2 1"
is "as the record says" "$(first back | cut -d ' ' -f 6-)" "-:default -:default "

serving "$(sed 's/"times":0/"times":1/' <<<"$down")" "$(sed 's/"times":0/"times":1/' <<<"$answer")
$down" "$down"
serve away <<<"$down"
profile none.lua '"session"'
begin none
is "when all fail it waits" "$code $(asked)" "8 2 2 1"

# ---- may it be asked ----
serving "$down" "$answer" "$answer"
echo 'return { name = "judge", version = 1, permit = function(e)
  if e.kind == "model" and e.request.model == "spare" then return ck.deny "no" end
end }' >judge.lua
profile permit.lua '"session"'
begin permit
at 08:00 answer permit yes
at 08:00 resume permit --policy ./judge.lua --accept-changed
is "one that may not be asked now is passed over" "$code $(asked)" "0 1 2 2"

# ---- a kill while that one thinks ----
serving "$down" "$(sed 's/"times":0/"times":1/' <<<"$answer")
{\"answer\":{\"text\":\"never\"},\"hang\":60}
$answer" "$answer"
profile killed.lua '"session"'
"${at_clock[@]}" "$CKRUN" run flow.lua --profile ./killed.lua --session killed >/dev/null 2>&1 \
  </dev/null &
pid=$!
while [ "$(requests spare)" -lt 2 ]; do read -rt 0.01 <> <(:) || :; done
{ kill -9 $pid; wait $pid; } 2>/dev/null
at 08:00 resume killed
is "killed while it thinks: that one is asked again" "$code $(asked)" "8 1 3 0"
finish
