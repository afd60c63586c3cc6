#!/bin/bash
# formats.t - the formats that help names for sessions import and export are those that there are.
. "$(dirname "$0")/../tap.sh"
words() { tr -cs 'a-z0-9_-' '\n' | sort -u | tr '\n' ' '; }

"$CKRUN" help sessions import >"$dir/help"
named=$(tr -s ' \n' ' ' <"$dir/help" | sed 's/.*--format FORMAT //; s/,* or the path.*//' | words)
modules=$(cd "$root/lua/ck/import" && ls ./*.lua | sed 's|^./||; s|\.lua$||')
documents=$(sed -n 's/.*{"\([a-z]*-checkpoint\)",.*/\1/p' "$root/core/host/run/import_run.c")
is "help names each importer, and no other" "$named" \
  "$(printf '%s ' archive $modules $documents | words)"
: >"$dir/nothing"
for format in $named; do
  run sessions import "$dir/nothing" --format "$format"
  is "$format is known" "$(grep -c 'there is no format' <<<"$err")" 0
done
refused 2 "a format that is none" "there is no format 'openal'" sessions import "$dir/nothing" \
  --format openal

# Of export: what the option takes, what the command says when it is given none.
run help --completion fish
taken=$(grep "subcommand_from export\|sessions export" <<<"$out" | grep -- '-l format' |
  sed "s/.* -a '\([^']*\)'.*/\1/" | words)
run sessions export none
said=$(sed 's/.*says as what: //; s/ or / /' <<<"$err" | words)
is "export takes the formats that it names" "$taken" "$said"
ok "which are several" test "$(wc -w <<<"$said")" -gt 5
finish
