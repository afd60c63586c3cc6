#!/bin/bash
# commands.t - one table of commands: help, man page and completions agree, and errors name a
# remedy.
. "$(dirname "$0")/../tap.sh"

exits 0 "ckrun help" help
overview=$out
declared=$(sed -n 's/^    \.name = "\(.*\)",$/\1/p' "$root"/core/host/command/*.c | sort)
files=$(ls "$root"/core/host/command/*.c | sed "s|.*/||; s|\.c$||" | sort)
listed=$(sed -n '/^commands:/,/^$/s/^  \([a-z][a-z]*\( [a-z][a-z-]*\)\{0,1\}\)  .*/\1/p' \
  <<<"$overview" | sort)
is "each command is one file named like it" "$(tr ' -' __ <<<"$declared" | sort)" "$files"
is "help lists every command" "$listed" "$declared"

run help --man
man=$out
ok "the man page is there" test "$code" = 0
run help --man --all
all=$out
ok "man is roff: every line that begins with a dot is a request" test -z \
  "$(grep '^\.' <<<"$all" | grep -vE '^\.(TH|SH|TP|PP|B|BR|I|HP|EX|EE)( |$)')"
ok "and says no character but those of ASCII" test -z "$(LC_ALL=C grep -n '[^ -~]' <<<"$all")"
has "it has each exit code" "$(sed -n '/^.SH EXIT/,/^.SH ENV/p' <<<"$man" | grep -c '^.fB')" \
  "$(sed -n '/^exit codes:/,/^$/p' <<<"$overview" | grep -c '^  [0-9]')"
if command -v groff >/dev/null; then
  is "groff has no warning" "$(LC_ALL=C groff -man -ww -z <<<"$all" 2>&1)" ""
else
  skip "no groff"
fi
refused 2 "the man page of what is none" "no man page of 'rnu'" help --man rnu
for file in policy profile; do
  exits 0 "the man page of $file" help --man $file
  has "it is of section 5" "$out" ".TH CKRUN-${file^^} 5 "
done
has "that of policies has each hook" \
  "$(ckrun() { "$CKRUN" "$@"; }; ckrun help --man policy | grep -c '^\.B [a-z_]*$')" \
  "$(grep -c '^  X(' "$root/lua/policy/hooks.h")"
run help --completion bash
bash_text=$out
ok "bash completions are bash" bash -n <<<"$bash_text"
while read -r command; do
  exits 0 "ckrun $command --help" $command --help
  help=$out
  run help $command
  is "help $command says the same" "$out" "$help"
  page=ckrun\\-${command// /\\-}
  has "the man page names $command" "$man" ".BR ${page/accept-/accept\\-} (1)"
  run help --man $command
  man_of=$out
  has "it has a page of its own" "$man_of" ".TH CKRUN-$(tr 'a-z ' A-Z- <<<"$command") 1 "
  has "which is among all" "$all" "$man_of"
  has "the completions have $command" "$bash_text" "$command;"
  for option in $(grep -oE -- '^  (-., )?--[a-z-]+' <<<"$help" | grep -oE -- '--[a-z-]+'); do
    has "the man page has $option of $command" "$man$man_of" \
      "\\-\\-$(sed 's/^--//; s/-/\\-/g' <<<"$option")"
    has "the completions have $option of $command" \
      "$(grep -F "'$command') options=" <<<"$bash_text")" "$option "
  done
done <<<"$declared"

# complete WORDS…: the shell's completions of the last word.
complete_bash() {
  (
    PATH=$(dirname "$CKRUN"):$PATH
    eval "$bash_text"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    compopt() { :; }
    _ckrun
    echo "${COMPREPLY[*]}"
  )
}
is "completes commands" "$(complete_bash ckrun re)" "resolve resume"
is "completes a group's commands" "$(complete_bash ckrun store '')" \
  "accept-rollback backup copy salvage stats verify"
is "completes options" "$(complete_bash ckrun resume --d)" "--directory --dry-run --detach"
is "completes choices of an option" "$(complete_bash ckrun sessions list --status fail)" \
  "failing failed"
is "completes choices behind a group" "$(complete_bash ckrun --json sessions log s --kind bound)" \
  "boundary"
is "a value of an option is no operand" \
  "$(complete_bash ckrun sessions export --format markdown --chec)" "--checkpoint"
is "nor is that of an option of all commands" \
  "$(complete_bash ckrun --key env:K sessions log s --kind bound)" "boundary"
for given in "--result 1" "--json --result 1" "--store s.db --key env:K"; do
  is "an operand behind $given is completed" \
    "$(complete_bash ckrun resolve s e $given re)" "$(complete_bash ckrun resolve s e re)"
done
is "which is one of its choices" "$(complete_bash ckrun resolve s e re)" retry
run help --completion fish
has "fish completions are there" "$out" "complete -c ckrun"
run help --completion zsh
has "zsh completions are there" "$out" "#compdef ckrun"
refused 2 "completions of another shell" "tcsh" help --completion tcsh

exits 0 "ckrun --version" --version
is "the version is that of the header" "$out" \
  "ckrun $(sed -n 's/^#define CK_VERSION "\(.*\)"/\1/p' "$root"/core/base/version.h)"
exits 0 "ckrun help of a group" help sessions
has "it lists the group" "$out" "sessions checkpoints"
has "and its aliases" "$out" "sessions resume"
exits 0 "ckrun of a group with --help" sessions --help
exits 0 "an alias has help" sessions resume --help

while IFS='|' read -r name text arguments; do
  refused 2 "$name" "$text" $arguments
done <<'LIST'
nothing|no command was given|
an unknown command|did you mean 'run'?|rnu
an unknown group|did you mean 'sessions'?|sesions list
an unknown command of a group|did you mean 'sessions list'?|sessions lst
a group without a command|needs a command|store
an unknown option|did you mean --session?|run x --sesion y
an option of another command|unknown option --dry-run|sessions list --dry-run
a value that is missing|--session needs a value|run x --session
a value for a flag|--json takes no value|sessions list --json=1
an operand that is missing|SESSION is missing|sessions show
a word too many|one word too many|sessions show a b
an unknown status|did you mean running?|sessions list --status runing
an unknown kind|did you mean boundary?|sessions log x --kind bundary
a number that is none|whole number|sessions log x --last -1
help of an unknown command|did you mean 'resume'?|help resum
LIST

ok "nothing was made by all this" test ! -e "$dir/store" -a ! -e "$dir/home"
"$CKRUN" help >/dev/full 2>"$dir/err"
is "output that cannot be written is an error" "$?" 74
has "and is told" "$(cat "$dir/err")" "stdout: No space left on device"
set +o pipefail
"$CKRUN" help | head -n 1 >/dev/null
is "a reader that went away is none" "${PIPESTATUS[0]}" 0
exits 0 "the version as JSON" --json --version
is "is an object, too" "ckrun $(json "$out" '$d->{version}')" "$("$CKRUN" --version)"
finish
