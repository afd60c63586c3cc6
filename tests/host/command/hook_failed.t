#!/bin/bash
# hook_failed.t - a run that stops because a policy's on_failure or in_doubt failed says so: which
# policy, hook, line and error, in its reason, its summary and `policy explain`; what the policies
# decided does not read so.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

cat >bad.lua <<'E'
return { name = "bad", version = 1,
  on_failure = function(failure) return failure.missing.field end,
  in_doubt = function(effect) return effect.missing.field end }
E
cat >eager.lua <<'E'
return { name = "eager", version = 1,
  on_failure = function(failure) return failure.try < 2 and "retry" or nil end }
E
echo 'return { name = "calm", version = 1, on_failure = function() return "pause" end }' >calm.lua
for list in bad eager_bad calm; do
  printf 'return { name = "p", extends = "default", policies = { %s } }\n' \
    "$(sed 's/[a-z]*/".\/&.lua"/g; s/_/, /' <<<"$list")" >"p-$list.lua"
done
cat >fails.lua <<'E'
return require("ck.flow").exec { argv = { "sh", "-c", "exit 3" } }
E
cat >dies.lua <<'E'
return require("ck.flow").exec { argv = { "sh", "-c", "kill -9 $PPID; sleep 60" } }
E

# told SESSION HOOK LINE: what failed, as the transcript has it, is told wherever the end is.
told() {
  local error events
  events=$("$CKRUN" --json sessions log "$1" --all)
  error=$(json "$(grep '"kind":"policy_error"' <<<"$events" | tail -n 1)" '$d->{body}{error}')
  has "$1: the error names the line" "$error" "policy \"bad\", $2: $dir/bad.lua:$3: "
  has "$1: the reason has it" "$(json "$out" '$d->{reason}')" \
    "no policy decided what follows, for a hook failed: $error"
  is "$1: the summary names policy and hook, which failed" \
    "$(json "$out" '"$d->{policy} $d->{hook} $d->{hook_failed}"')" "bad $2 1"
  is "$1: policy explain lists it with its error" \
    "$("$CKRUN" --json policy explain "$1" | perl -MJSON::PP -ne '
      my $d = decode_json($_);
      print $d->{failure} if grep { $_->{answer} eq "failed" } @{ $d->{answers} // [] }')" "$error"
  run sessions show "$1"
  has "$1: sessions show has it" "$out" "$error"
}
for list in bad eager_bad; do
  run --json run fails.lua --profile "./p-$list.lua" --session "fails-$list"
  is "$list: the session stops" "$code" 8
  told "fails-$list" on_failure 2
done
"$CKRUN" run dies.lua --profile ./p-bad.lua --session dies >died 2>&1
run --json resume dies
is "a doubt stays one" "$code" 75
told dies in_doubt 3

run --json run fails.lua --profile ./p-calm.lua --session decided
is "one whose policy decides it pauses, too" "$code $(json "$out" '$d->{policy}')" "8 calm"
is "but nothing failed" \
  "$(json "$out" 'exists $d->{hook_failed} || $d->{reason} =~ /hook/ ? "told" : "not told"')" \
  "not told"
run run fails.lua --profile ./p-bad.lua --session words
is "the table says so, too" "$(cell "$out" hook_failed)" yes
finish
