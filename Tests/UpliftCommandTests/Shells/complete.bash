# Types each line of standard input into an interactive bash, with the key that inserts all
# completions, and prints the words that it inserted, then a line "==": complete.bash COMPLETIONS
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp "$1" "$place/completions"

{
  printf ' %s\n' "PS1=; bind 'set show-all-if-ambiguous on'; . '$place/completions'"
  printf ' %s\n' "uplift() { shift \$count; printf '%s\\n' \"\$@\"; echo ==; } >>'$place/out'"
  while IFS= read -r line; do
    # The words before the one that is completed.
    before=${line% *}
    read -ra words <<<"${before//\\ /_}"
    printf ' count=%d\n%s\e*\n' "$((${#words[@]} - 1))" "$line"
  done
  printf ' exit\n'
} >"$place/keys"

: >"$place/out"
timeout 120 script -qec 'bash --norc --noprofile -i' /dev/null <"$place/keys" >/dev/null
cat "$place/out"
