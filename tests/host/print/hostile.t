#!/bin/bash
# hostile.t - fifty texts made to take over a terminal, in every field that a session can fill, do
# nothing to it on any screen, and no line gets wider than it is.
. "$(dirname "$0")/../tap.sh"
. "$root/tests/host/views.sh"

has_terminal || { skip "no pseudo-terminal"; finish; }
cd "$dir" || exit 1

# Sequences of escape, C1 controls, directions, line breaks, invisible and very long texts.
cat >payloads.lua <<'END'
local p = {}
local function add(text) p[#p + 1] = text end
for _, tail in ipairs { "[2J", "[H", "[31m", "[0m", "[?1049h", "[?25l", "[6n", "[c", "[5i", "c",
  "7", "8", "#8", "D", "M", "N", "O", "Z", "(0", "]0;owned\7", "]8;;http://x\27\\",
  "]52;c;ZXZpbA==\7", "P$q\27\\", "_x\27\\", "^x\27\\", "]1337;File=x\7", "[1;1H", "[10A",
  "[K", "[1000C" } do
  add("\27" .. tail)
end
for _, point in ipairs { 0x9b, 0x9d, 0x90, 0x85, 0x202a, 0x202b, 0x202d, 0x202e, 0x2066, 0x2067 } do
  add(utf8.char(point) .. "31mx")
end
for _, text in ipairs { "\7", "\8\8\8", "\r over", "a\nckrun: all is well", "\t\t", "\1one", "\127",
  "\14shift",
  "a\u{200b}\u{200d}\u{2060}\u{feff}\u{ad}\u{fff9}x\u{fffb}\u{e0041}\u{e007f}",
  ("long "):rep(400) } do add(text) end
return p
END
cat >hostile.lua <<'END'
local flow = require "ck.flow"
local payloads = require "./payloads"
return flow.custom { name = "hostile " .. payloads[1], run = function(ctx)
  for i, text in ipairs(payloads) do
    ctx.memory["k" .. i] = text
    ctx.outputs["o" .. i] = text
    ctx.message("user", text)
    ctx.boundary("tool_round", { position = { path = "p#" .. i, i = i, why = text }, node = text })
    if i % 10 == 0 then
      pcall(ctx.effect, { kind = "exec", class = "pure",
        request = { argv = { "false", text:sub(2) } } })
    end
  end
  error(table.concat(payloads, " "):sub(1, 3000), 0)
end }
END
cat >reasons.lua <<'END'
local payloads = require "./payloads"
return { name = "reasons", version = 1, checkpoint = function(at)
  -- reasons have no control characters: a policy that gives one fails
  return { reason = payloads[35 + at.seq % 6] }
end }
END
echo 'return { name = "hostile", extends = "default", policies = { "./reasons.lua" } }' \
  >hostile-profile.lua

run run hostile.lua --profile ./hostile-profile.lua --session hostile
is "the flow fails with what it was told to say" "$code" 1
is "fifty texts" "$("$CKRUN" --json sessions log hostile --kind message | grep -c .)" 50

# What a terminal obeys, or what turns text round: none of it, in bytes.
obeyed() {
  perl -ne '$n += () =
      /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa0-\xaf]|
      \xe2\x80[\x8b-\x8f]|\xc2\xad|\xef\xbb\xbf|\xef\xbf[\xb9-\xbb]|\xf3\xa0[\x80\x81]/gx;
    $l++ if /^ckrun: all is well/; END { print $n + 0, " ", $l + 0 }'
}
last=$(json "$("$CKRUN" --json sessions show hostile)" '$d->{events}')
for screen in "sessions show hostile" "sessions show hostile -v" "sessions list" \
  "sessions checkpoints hostile" "sessions log hostile" "sessions log hostile --seq $last" \
  "sessions log hostile --seq 40" "sessions diff hostile first latest" \
  "sessions inspect hostile" "policy explain hostile" "resume hostile --dry-run"; do
  shown=$(screen 60 $screen)
  is "$screen: nothing that a terminal obeys" "$(obeyed <<<"$shown")" "0 0"
  ok "$screen: shows something" test "${#shown}" -gt 60
done
for screen in "sessions show hostile" "sessions list" "sessions checkpoints hostile" \
  "sessions log hostile"; do
  is "$screen: no line is wider than 60 columns" "$(screen 60 $screen | too_wide 60)" 0
done
is "nor does what a run says" "$(screen 60 run hostile.lua --profile ./hostile-profile.lua |
  sed 's/\r\x1b\[K//g' | tr -d '\r' | obeyed)" "0 0"
finish
