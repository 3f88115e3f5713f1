# Prints what an interactive zsh offers for each line of standard input, then a line "==":
# complete.zsh COMPLETIONS
zmodload zsh/zpty
place=$(mktemp -d)
cp $1 $place/_uplift
cat >$place/setup <<'SETUP'
PROMPT=
fpath=($1 $fpath)
autoload -U compinit
compinit -D -u
zstyle ':completion:*' insert-tab false
setopt no_auto_list no_auto_menu
# Writes the matches to a file, too.
compadd() {
  # Some calls only fill arrays.
  if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- ${(Q)hits} >>$out
  fi
  builtin compadd "$@"
}
next() { print -r -- '==' >>$out; zle kill-whole-line }
zle -N next
bindkey '^T' next
bindkey '^I' complete-word
out=$1/out
print ready
SETUP
zpty z zsh -f -i
zpty -w z ". $place/setup $place"
while zpty -r z text && [[ $text != *ready* ]]; do :; done
: >$place/out
while IFS= read -r line; do
  zpty -w -n z "$line"$'\t\x14'
done
zpty -w z ' exit'
while zpty -r z text; do :; done
cat $place/out
rm -rf $place
