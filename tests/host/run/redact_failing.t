#!/bin/bash
# redact_failing.t - whatever a redact hook makes of an outcome, what was done is not done again; a
# policy that masks within texts takes a program's output of any length.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1

# ---- long outputs ----
cat >cards.lua <<'END'
return { name = "cards", version = 1, redact = function(item)
  local value = ck.mask(item.value, "\\b\\d{4}([ -]?\\d{4}){3}\\b")
  return ck.mask(value, "Ada Lovelace")
end }
END
cat >long.sh <<'END'
#!/bin/sh
echo called >>calls
echo "card 4111 1111 1111 1111"
head -c 1100000 /dev/zero | tr '\0' a
END
cat >lines.sh <<'END'
#!/bin/sh
echo called >>calls
yes 'Ada Lovelace' | head -n 60000
END
chmod +x long.sh lines.sh
for name in long lines; do
  : >calls
  echo 'local flow = require "ck.flow"
    return flow.exec { argv = { "./'$name'.sh" }, class = "once", output_max = 2000000 }' >$name.lua
  exits 0 "$name: a policy masks within a long output" --json run $name.lua --policy ./cards.lua \
    --session $name
  is "the program is called once" "$(wc -l <calls | tr -d ' ')" 1
  ok "nothing of what is masked is in a file" test -z \
    "$(grep -rlaE '4111 1111|Ada Lovelace.{0,3}Ada' store*)"
done

# ---- a hook that fails at an outcome ----
cat >refusing.lua <<'END'
return { name = "refusing", version = 1, redact = function(item)
  if item.kind == "outcome" then error("no") end end }
END
cat >pay.sh <<'END'
#!/bin/sh
echo called >>paid
echo "Rosebud-12"
END
chmod +x pay.sh
for class in pure idempotent once; do
  : >paid
  cat >$class.lua <<END
local flow = require "ck.flow"
return flow.graph { start = "pay", nodes = {
  pay = flow.exec { argv = { "./pay.sh" }, class = "$class" },
  tell = flow.lua(function(ctx) return ctx.outputs.pay.exit end),
}, edges = { pay = "tell", tell = flow.done } }
END
  exits 5 "$class: a hook that fails at what a program gave" run $class.lua \
    --policy ./refusing.lua --session $class
  has "is told" "$err" "policy \"refusing\", redact: $dir/refusing.lua:2: it failed"
  is "and pauses the session" "$("$CKRUN" sessions list 2>/dev/null | awk -F'\t' \
    '$1 == "'$class'" { print $2 }')" paused
  exits 0 "resumed" --json resume $class --policy ./refusing.lua
  is "the flow goes on with what is no text" "$(json "$out" '$d->{result}')" 0
  is "the program was called once" "$(wc -l <paid | tr -d ' ')" 1
  ok "nothing of its output is in a file" test -z "$(grep -rla 'Rosebud-12' store*)"
done
finish
