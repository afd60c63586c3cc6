# signed.sh - a flow of several files, with a profile and a policy, the keys that sign it, and what
# scripts do with both. Sourced, behind tap.sh.
export CKRUN_COUNTERS=off
here=$dir/here away=$dir/away
trust=$dir/keys/trusted.pem
mkdir -p "$here/lib" "$away" "$dir/keys"
cd "$here" || exit 1

# A flow, a module below it and one that this requires, a profile with a policy, and its module.
cat >flow.lua <<'END'
local flow, words = require "ck.flow", require "./lib/words"
return flow.graph { name = "travels", start = "note", edges = { note = flow.done }, nodes = {
  note = flow.exec { argv = { "sh", "-c", words.line } } } }
END
cat >lib/words.lua <<END
return { line = "echo " .. require "./who" .. " >>'$dir/noted'; pwd >>'$dir/places'; echo null" }
END
echo 'return "signed"' >lib/who.lua
cat >profile.lua <<'END'
return { name = "mine", extends = "default", policies = { "./loud.lua" } }
END
cat >loud.lua <<'END'
local word = require "./lib/word"
return { name = "loud", version = 1, options = { word = "quiet" },
  checkpoint = function(at, opt)
    if at.kind == "node_complete" then return { reason = opt.word .. word } end
  end }
END
echo 'return " and clear"' >lib/word.lua
files="--profile ./profile.lua --option loud.word=heard"

db=${CKRUN_STORE#sqlite:}
store=$dir/store
sign() { "$CKRUN" flow sign flow.lua --with "file:$dir/keys/$1.key" $files "${@:2}" 2>/dev/null; }
submit() { "$CKRUN" submit flow.lua $files --signature flow.sig --session "$1" >/dev/null 2>&1; }
worker() { run worker --until-idle --trust "$@"; }
runs() { grep -c . "$dir/noted" 2>/dev/null; }
digest() { b2sum -l 256 "$1" | cut -d' ' -f1; }
# leave: the worker's machine has other files at the places of the flow's: nobody's to choose.
leave() {
  mv "$here" "$dir/gone"
  mkdir -p "$here"
  cat >"$here/flow.lua" <<END
local flow = require "ck.flow"
return flow.graph { name = "travels", start = "note", edges = { note = flow.done }, nodes = {
  note = flow.exec { argv = { "sh", "-c", "echo evil >>'$dir/noted'; echo null" } } } }
END
  echo 'return { name = "mine", extends = "default" }' >"$here/profile.lua"
  echo '{"cassette":1}' >"$here/tape.jsonl"
  sqlite3 "$db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
  cp -r "$store" "$dir/kept"
  cd "$away" || exit 1
}
back() { rm -rf "$store" "$dir/noted" "$dir/places"; cp -r "$dir/kept" "$store"; }
