#!/bin/bash
# log.t - after kills, resumes, rewinds and undos the log shows once what was done once: what was
# left behind is marked where it is listed, and left out unless asked for.
. "$(dirname "$0")/../tap.sh"

cd "$dir" || exit 1
cat >family.lua <<'END'
--- The main scope says two things before it waits for its children, and takes no checkpoint there.
local flow = require "ck.flow"
local function work(ctx)
  for i = ctx.position and ctx.position.i + 1 or 1, 3 do
    ctx.message("user", ctx.task.name .. " begins " .. i)
    ctx.effect { kind = "tool", class = "idempotent",
      request = { name = "work", arguments = { n = i } } }
    ctx.boundary("user_checkpoint", { position = { path = "part#" .. i, i = i } })
  end
  return ctx.task.name
end
return flow.custom {
  name = "family",
  tools = { work = { class = "idempotent", argv = { "./work" } } },
  run = function(ctx)
    if ctx.task then return work(ctx) end
    if not ctx.position then
      ctx.message("user", "main begins")
      ctx.fork { { scope = "one", task = { name = "one" }, agent = "first" } }
      ctx.message("user", "main waits")
      ctx.join { "one" }
      ctx.boundary("user_checkpoint", { position = { path = "between" } })
    end
    if not ctx.position or ctx.position.path == "between" then
      ctx.message("user", "main goes on")
      ctx.fork { { scope = "two", task = { name = "two" }, agent = "second" } }
      ctx.join { "two" }
    end
    ctx.message("assistant", "main is done")
    return { done = true }
  end,
}
END
# Kills the program at the calls whose numbers are in the file `deaths`.
cat >work <<END
#!/bin/sh
echo x >>"$dir/called"
nth=\$(grep -c "" "$dir/called")
case " \$(cat "$dir/deaths") " in *" \$nth "*) kill -9 \$PPID; sleep 1 ;; esac
echo '"ok"'
END
chmod +x work

# play SESSION DEATHS: runs it to its end, over as many deaths; the number of processes.
play() {
  : >called
  echo "$2" >deaths
  local turns=1
  "$CKRUN" run family.lua --session "$1" >out 2>err </dev/null
  while [ $? = 137 ] && [ "$turns" -lt 20 ]; do
    turns=$((turns + 1))
    "$CKRUN" resume "$1" >out 2>err </dev/null
  done 2>/dev/null
  echo "$turns"
}
shown() { "$CKRUN" --json sessions log "$@" | grep -c "main $what"; }
agree() { perl "$root/tests/host/inspect/log.pl" "$CKRUN" "$@" >"$dir/agreed" 2>"$dir/differ"; }

is "a run that is never killed" "$(play whole "")" 1
is "one that is killed in each part" "$(play killed "1 3 5 7 9 11")" 7
is "one that is killed twice at the same place" "$(play twice "2 3 8 9")" 5
what=begins
is "the message was said in each attempt" "$(shown killed --all)" 4
for session in whole killed twice; do
  for what in begins waits 'goes on' 'is done'; do
    is "$session: main ${what// /-} once" "$(shown "$session")" 1
  done
done
exits 0 "the tail of a child" --json sessions tail killed first
is "tells each part once" "$(grep -o 'one begins [123]' <<<"$(json "$out" '$d->{section}')" | \
  tr '\n' ' ')" "one begins 1 one begins 2 one begins 3 "

# In the middle: killed and not yet resumed, rewound, resumed from there, and the rewind undone.
: >called
echo "3 6" >deaths
exits 137 "a session that is killed" run family.lua --session bent
exits 137 "resumed and killed once more" resume bent
"$CKRUN" sessions log bent --all >before
ok "it is compared before its rewind" agree bent
exits 0 "rewound" sessions rewind bent --to first --report "Once more."
ok "it is compared behind its rewind" agree bent
echo >deaths
exits 0 "a rewind undone" sessions undo bent
ok "it is compared behind the undo" agree bent
exits 0 "and it goes on to its end" resume bent
ok "a transcript that is followed from its beginning says the same of all" agree whole killed \
  twice bent
out=$(cat agreed) err=$(cat differ)
ok "and scopes had done things again in them" test "$(cut -d' ' -f4 agreed)" -gt 8
exits 0 "an export of the one that was killed" sessions export killed --format cassette -o killed.c
exits 0 "and of the one that was not" sessions export whole --format cassette -o whole.c
recorded() { perl -MJSON::PP -ne 'my $d = decode_json($_);
  delete @$d{qw(session at)}; print JSON::PP->new->canonical->encode($d), "\n"' "$1"; }
is "are recordings of as many lines" "$(grep -c '' killed.c)" "$(grep -c '' whole.c)"
finish
