#!/bin/bash
# watch.t - policy test --watch runs the tests again when a Lua file beside them changes, whatever
# is wrong in between, and ends at a signal.
. "$(dirname "$0")/../../host/tap.sh"
cd "$dir" || exit 1

# answer WORD: the policy says it; put in its place as editors do.
answer() {
  echo "return { name = \"p\", version = 1, in_doubt = function() return \"$1\" end }" >new
  mv new p.lua
}
answer tell
cat >p_test.lua <<'END'
local test = require "ck.test"
return { test_it = function()
  test.equal(test.policy("./p.lua").in_doubt {}, "tell")
end }
END
# next_run: what the next run prints, up to its plan.
next_run() {
  local line
  while IFS= read -r line <&3; do
    echo "$line"
    [[ $line == 1..* ]] && return
  done
}

for at in p_test.lua .; do
  answer tell
  mkfifo "out.fifo"
  "$CKRUN" policy test --watch "$at" >out.fifo 2>err &
  watching=$!
  exec 3<out.fifo
  is "$at: the tests run at once" "$(next_run | grep -c "^ok 1 - ")" 1
  answer stop
  is "$at: again, when the policy changes" "$(next_run | grep -c "^not ok 1 - ")" 1
  echo 'what' >new
  mv new p.lua
  is "$at: also to what is none" "$(next_run | grep -c "^not ok 1 - ")" 1
  echo "nothing" >notes.txt
  answer tell
  is "$at: and back; other files are none of its business" "$(next_run | grep -c "^ok 1 - ")" 1
  kill -TERM "$watching"
  wait "$watching"
  is "$at: a signal ends it" $? 0
  is "$at: nothing more was run" "$(cat <&3)" ""
  has "$at: what failed was told" "$(cat err)" "1 of 1 tests failed"
  exec 3<&-
  rm out.fifo
done
refused 3 "a folder that is not there" "nowhere" policy test --watch nowhere/p.lua
finish
