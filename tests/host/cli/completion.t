#!/bin/bash
# completion.t - the shells complete sessions, checkpoints, effects, policies and profiles, those of
# the store that the line names, and run nothing that is stored.
. "$(dirname "$0")/../tap.sh"
cd "$dir" || exit 1
mkdir bin && ln -s "$CKRUN" bin/ckrun
export PATH=$dir/bin:$PATH

exits 0 "a session" run "$flow" --cassette "$cassette" --session air
cat >ask.lua <<'END'
local flow = require "ck.flow"
return flow.custom { name = "ask", run = function(ctx)
  if ctx.task then
    return ctx.effect { kind = "ask", class = "once", request = { question = ctx.task } }.result
  end
  ctx.fork { { scope = "one$(touch ran)`touch ran`", task = "a" }, { scope = "two", task = "b" } }
  ctx.join { "one$(touch ran)`touch ran`", "two" }
end }
END
run --store "sqlite:$dir/plain/s.db" run ask.lua --session asks
run --json --store "sqlite:$dir/plain/s.db" answer asks
keys=$(perl -ne '/"effect":"(.*?)"/ && print "$1\n"' <<<"$out" | sort)
is "a store with questions, one under a name that is a command" \
  "$(grep -c 'touch ran' <<<"$keys")" 1

# proposed WORD…: what bash proposes for the last word; it breaks words at ':' and '=' before that.
bash_text=$("$CKRUN" help --completion bash)
proposed() {
  (
    set +u
    eval "$bash_text"
    compopt() { :; }
    COMP_LINE=$* COMP_WORDS=()
    for word; do
      while [[ $word = ?*[:=]* && $word != [:=] ]]; do
        part=${word%%[:=]*}
        COMP_WORDS+=("$part" "${word:${#part}:1}")
        word=${word:${#part}+1}
      done
      COMP_WORDS+=("$word")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    _ckrun
    printf '%s\n' "${COMPREPLY[@]}"
  )
}
checkpoints=$("$CKRUN" sessions checkpoints air | cut -f2)
is "sessions" "$(proposed ckrun sessions show '')" air
is "checkpoints of the session" "$(proposed ckrun sessions inspect air checkpoint_)" "$checkpoints"
is "those of an option" "$(proposed ckrun sessions fork air --checkpoint ch)" "$checkpoints"
is "none of a session that is not there" "$(proposed ckrun sessions inspect no checkpoint_)" ""
has "policies" "$(proposed ckrun run f.lua --policy every_b)" every_boundary
has "files, too" "$(proposed ckrun run f.lua --policy ./as)" ./ask.lua
has "profiles" "$(proposed ckrun run f.lua --profile expl)" explore
is "options" "$(proposed ckrun sessions fork air --checkp)" --checkpoint

# ---- the store that the line names ----

for given in "--store sqlite:$dir/plain/s.db" "--store=sqlite:$dir/plain/s.db" \
  "--store '$dir/plain/s.db'" "--json --store $dir/plain/s.db"; do
  is "sessions of the store of ${given//$dir/DIR}" "$(proposed ckrun $given sessions show '')" asks
done
is "one named behind the command" "$(proposed ckrun sessions --store $dir/plain/s.db show '')" asks
is "a store that is not there has none, and is not made" \
  "$(proposed ckrun --store $dir/no.db sessions show '')$(ls no.db 2>/dev/null)" ""

# ---- what is stored is not run ----

got=$(proposed ckrun --store $dir/plain/s.db answer asks --effect main)
is "effects of the session" "$(while read -r line; do eval "printf '%s\n' $line"; done <<<"$got" |
  sort)" "$keys"
ok "none of which was run" test ! -e ran
is "quoted, so that the shell takes the key itself" "$(grep -c '\\\$\\(touch' <<<"$got")" 1

# ---- fish ----

if command -v fish >/dev/null; then
  "$CKRUN" help --completion fish >ckrun.fish
  fished() { fish -c "source ckrun.fish; complete -C '$1'" 2>&1 | cut -f1; }
  is "fish: sessions" "$(fished "ckrun sessions show ")" air
  is "fish: of the store that the line names" \
    "$(fished "ckrun --store $dir/plain/s.db sessions show ")" asks
  is "fish: checkpoints" "$(fished "ckrun sessions fork air --checkpoint ch" | sort)" \
    "$(sort <<<"$checkpoints")"
  is "fish: effects" "$(fished "ckrun --store $dir/plain/s.db answer asks --effect main" | sort)" \
    "$keys"
  ok "fish: none of which was run" test ! -e ran
else
  skip "no fish"
fi
finish
