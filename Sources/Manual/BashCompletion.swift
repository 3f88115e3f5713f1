internal import UpliftCommand

/// The completion for bash.
///
/// bash splits the words of a command line at `=` and `:` too, so the function joins them again,
/// and offers only what follows the last of these characters.
enum BashCompletion {
  static var text: String {
    """
    # bash completion for uplift \(Program.version)

    _uplift() {
      \(joinWords.indented(by: 2))

      local verb='' option='' given=' ' dashes='' resources='' migrations='' backup=''
      \(readWords.indented(by: 2))

      local prefix='' choices=''
      \(chooseValue.indented(by: 2))

      \(reply.indented(by: 2))
    }

    \(functions)

    complete -F _uplift uplift

    """
  }

  private static let joinWords = #"""
    local IFS=$' \t\n' index part line=${COMP_LINE:0:COMP_POINT}
    local -a words=()
    for ((index = 0; index <= COMP_CWORD; index++)); do
      part=${COMP_WORDS[index]}
      # The last word ends at the cursor.
      if ((index == COMP_CWORD)); then part=${line#"${line%%[![:blank:]]*}"}; fi
      if ((index == 0)) || [[ $line == [[:blank:]]* || -z $line ]]; then
        words+=("$part")
      else
        words[${#words[@]} - 1]+=$part
      fi
      line=${line#*"$part"}
    done
    local current=${words[${#words[@]} - 1]}
    """#

  private static let readWords = #"""
    for ((index = 1; index < ${#words[@]} - 1; index++)); do
      part=${words[index]}
      if [[ -z $option && -z $dashes && $part == --*=* ]]; then
        option=${part%%=*} part=${part#*=} given+="$option "
      fi
      if [[ -n $option ]]; then
        case $option in
          --resources) resources=$part ;;
          --migrations) migrations=$part ;;
          --backup) backup=$part ;;
        esac
        option=
      elif [[ -n $dashes || $part != -* ]]; then
        if [[ -z $verb ]]; then verb=$part; elif [[ $verb == help ]]; then verb='help '; fi
      elif [[ $part == -- ]]; then
        dashes=1
      else
        given+="$part "
        case $part in
          \#(OfferedOption.valued.joined(separator: " | "))) option=$part ;;
        esac
      fi
    done
    """#

  /// Offers values, verbs or options.
  private static var chooseValue: String {
    #"""
    if [[ -z $option && -z $dashes && $current == --*=* ]]; then
      option=${current%%=*} prefix=$option= current=${current#*=}
    fi
    if [[ -n $option ]]; then
      case ${verb:-up}:$option in
        \#(values.indented(by: 4))
        *) return ;;
      esac
    elif [[ -z $dashes && ($current == -* || ($verb != '' && $verb != new && $verb != help)) ]]; then
      case ${verb:-up} in
        \#(options.indented(by: 4))
      esac
      for part in $choices; do
        if [[ ' \#(repeatable) ' == *" $part "* ]]; then continue; fi
        if [[ $given == *" $part "* ]]; then choices=" $choices " choices=${choices/ $part / }; fi
      done
    elif [[ -z $verb ]]; then
      choices='\#(names(of: OfferedOption.verbs))'
    elif [[ $verb == help ]]; then
      choices='\#(names(of: OfferedOption.verbs.filter { $0 != .help }))'
    fi
    """#
  }

  private static let reply = #"""
    # bash replaces only what follows the last = or :, if it splits words at them.
    local typed=$prefix$current breaks='' before=''
    if [[ $COMP_WORDBREAKS == *=* ]]; then breaks+='='; fi
    if [[ $COMP_WORDBREAKS == *:* ]]; then breaks+=':'; fi
    if [[ -n $breaks ]]; then before=${typed%"${typed##*["$breaks"]}"}; fi
    COMPREPLY=()
    while IFS= read -r part; do
      if [[ -n $part ]]; then COMPREPLY+=("${part#"$before"}"); fi
    done < <(compgen -P "$prefix" -W "$choices" -- "$current")
    """#

  private static var values: String {
    var groups: [(values: OfferedOption.Values, patterns: [String])] = []
    for offered in OfferedOption.all {
      guard let values = offered.values, values != .nothing else { continue }
      let isSame =
        offered.verbs
        == OfferedOption.all.filter { $0.option == offered.option }
        .flatMap(\.verbs)
      let patterns =
        isSame
        ? ["*:\(offered.option.name)"]
        : offered.verbs.map { "\($0.rawValue):\(offered.option.name)" }
      if let same = groups.firstIndex(where: { $0.values == values }) {
        groups[same].patterns += patterns
      } else {
        groups.append((values, patterns))
      }
    }
    return groups.map { group in
      group.patterns.joined(separator: " | ") + ")\n  \(command(for: group.values)) ;;"
    }.joined(separator: "\n")
  }

  private static func command(for values: OfferedOption.Values) -> String {
    switch values {
    // Readline completes file names itself, because it knows how they are quoted.
    case .directories: "compopt -o dirnames; return"
    case .files: "compopt -o default; return"
    case .words(let words): "choices='\(words.joined(separator: " "))'"
    case .scriptNumbers:
      #"compopt -o nosort; choices=$(_uplift_numbers "$migrations" "$resources")"#
    case .backupNumbers: #"compopt -o nosort; choices=$(_uplift_backups "$backup")"#
    case .nothing: "return"
    }
  }

  private static var options: String {
    OfferedOption.verbs.map { verb in
      let names = OfferedOption.of(verb).map(\.option.name).joined(separator: " ")
      return "\(verb.rawValue)) choices='\(names)' ;;"
    }.joined(separator: "\n")
  }

  private static var repeatable: String {
    OfferedOption.all.filter(\.isRepeatable).map(\.option.name).joined(separator: " ")
  }

  private static func names(of verbs: [Verb]) -> String {
    verbs.map(\.rawValue).joined(separator: " ")
  }

  private static let functions = #"""
    # Prints a directory that was typed, without its quotes.
    _uplift_directory() {
      local directory=$1
      if [[ $directory == '~/'* ]]; then directory=$HOME/${directory:2}; fi
      directory=${directory//[\"\']/}
      printf '%s\n' "${directory//\\/}"
    }

    # Prints the numbers of the scripts: _uplift_numbers MIGRATIONS RESOURCES
    _uplift_numbers() (
      shopt -u failglob
      directory=${1:-${2:-Resources}/Migrations}
      directory=$(_uplift_directory "$directory")
      ending='([ _-].*)?\.[sS][qQ][lL]$'
      for file in "$directory"/*; do
        name=${file##*/}
        if [[ $name == *.[dD][oO][wW][nN].[sS][qQ][lL] ]]; then continue; fi
        if [[ $name =~ ^0*([1-9][0-9]*)$ending || $name =~ ^([0-9]+([.][0-9]+)+(-[0-9]+)?)$ending ]]
        then
          printf '%s\n' "${BASH_REMATCH[1]}"
        fi
      done | sort -V
    )

    # Prints the numbers of the backups in a directory.
    _uplift_backups() (
      shopt -u failglob
      directory=$(_uplift_directory "$1")
      if [[ -z $directory ]]; then return; fi
      for file in "$directory"/*; do
        if [[ ${file##*/} =~ -([0-9]+|[0-9]+([.][0-9]+)+(-[0-9]+)?)\.[^.]+$ ]]; then printf '%s\n' "${BASH_REMATCH[1]}"; fi
      done | sort -V -u
    )
    """#
}

extension String {
  /// The text with blanks before each line but the first.
  func indented(by width: Int) -> String {
    split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\n" + String(repeating: " ", count: width))
  }
}
