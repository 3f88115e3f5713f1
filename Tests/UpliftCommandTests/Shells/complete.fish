# Prints what fish offers for each line of standard input, then a line "==": complete.fish COMPLETIONS
source $argv[1]
while read -l line
    complete -C $line | string replace -r '\t.*' ''
    echo ==
end
