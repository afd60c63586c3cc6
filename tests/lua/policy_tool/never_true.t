#!/bin/bash
# never_true.t - `policy check` names comparisons that can never be true where they stand, and no
# other: of random policies none that it names is true for any view.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# ---- what is named ----
# found WHAT LINES: of the policy on stdin these lines are named, "3 5".
found() {
  cat >p.lua
  run policy check p.lua
  is "$1" "$(grep -oE 'p.lua:[0-9]+: .*(never true|never equal)' <<<"$out" |
    cut -d : -f 2 | paste -sd ' ')" "$2"
}
# hook BODY…: a line each, from the second on.
hook() {
  echo 'return { name = "p", version = 1, checkpoint = function(at, opt)'
  printf '%s\n' "$@" "end }"
}
found "two words of one field" 2 < <(hook \
  'if at.kind == "final" and at.kind == "pause" then return end')
has "with both" "$out" \
  "'at.kind == \"pause\"' is never true here: 'at.kind == \"final\"' holds since line 2"
found "within the block" 3 < <(hook 'if at.kind == "final" then' \
  'if "pause" == at.kind then return end' 'end')
found "behind a return" 3 < <(hook 'if at.kind ~= "final" or not at.node then return end' \
  'if at.kind == "pause" then return end')
found "a branch that an earlier one has taken" 3 < <(hook 'if at.node == "a" then return end' \
  'if at.agent then return elseif at.node == "a" then return end')
found "numbers without one between them" 2 < <(hook \
  'return at.since.events > 5 and at.since.events <= 5 and "x" or nil')
found "what is nil, and has a value" 2 < <(hook 'return not at.node and at.node == "a" and "x"')
found "the not of a comparison" 2 < <(hook 'if not at.kind == "final" then return end')
has "with the remedy" "$out" "write at.kind ~= …"
found "what permit is never shown" "2 3" <<'E'
return { name = "p", version = 1, permit = function(effect, at)
  if at.kind == "tool_round" then return end
  if at.calls then return end
end }
E

# ---- what is not ----
found "one that may be true: or, other branches, other values, jumps, shadows" "" < <(hook \
  'if at.kind == "final" or at.kind == "pause" then return end' \
  'if at.node == "a" then at.kind:len() elseif at.node == "b" then return end' \
  'if at.node == "a" then goto on end' 'if at.node ~= "c" then return end' '::on::' \
  'if at.node == "a" then' 'local at = { node = "b" }' 'if at.node == "b" then return end' 'end' \
  'for _, call in ipairs(at.calls or {}) do' \
  'if call.tool == "a" and (call.class == "once" or call.tool == "b") then return end' 'end')
found "a parameter that gets another value" "" < <(hook 'if at.node == "a" then' \
  'at = at.next' 'if at.node == "b" then return end' 'end')

# ---- of random policies ----
named=0 wrong=
for seed in $(seq 60); do
  perl "$root/tests/lua/policy_tool/never_true.pl" "$seed" >p.lua 2>true
  run policy check p.lua
  grep -oE "p.lua:[0-9]+: .* is never true here" <<<"$out" | cut -d : -f 2 | sort -u >named
  named=$((named + $(grep -c '' named)))
  wrong+=$(comm -12 named <(sort -u true) | sed "s/^/seed $seed line /")
done
is "none that is named is true for any view" "$wrong" ""
echo "# $named named"
ok "and many are named" test "$named" -ge 60
finish
