# honest.sh - what programs that cheat share: HONEST is the program that they stand in front of.
# Sets `url`, `path` of the store, `words`, the command without --store and --json. Sourced.
url=${CKRUN_STORE:-} words=("$@")
while :; do
  case ${words[0]:-} in
    --store) url=${words[1]} words=("${words[@]:2}") ;;
    --json) words=("${words[@]:1}") ;;
    *) break ;;
  esac
done
path=${url#sqlite:}

copy_store() { rm -rf older && mkdir older && cp -a "$path"* older; }
restore_store() { rm -rf "$path"* && cp -a older/* "${path%/*}"; }
