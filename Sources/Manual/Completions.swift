internal import UpliftCommand

/// The completions of the shells, from lists of words: the verbs, the options of each verb, and
/// what an option has as its value.
enum Completions {
  private static let verbs = list(Verb.typed.map(\.rawValue))

  private static func list(_ words: [String]) -> String { words.joined(separator: " ") }

  /// For bash, which splits a line at `=`, too.
  static var bash: String {
    """
    # bash completion for uplift \(Program.version)
    _uplift() {
      local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} verb='' word words
      if [[ $current == = ]]; then current=''; fi
      if [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD - 2]}; fi
      for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in \(verbs.replacing(" ", with: " | "))) verb=$word; break ;; esac
      done
      COMPREPLY=()
      case $verb:$option in
    \(bashValues)
      esac
      case $verb:$current in
    \(Verb.typed.map { "    \($0.rawValue):-*) words='\(names($0))' ;;" }.joined(separator: "\n"))
        :* | help:*) words='\(verbs) --help --version' ;;
        *) return ;;
      esac
      COMPREPLY=($(compgen -W "$words" -- "$current"))
    }
    complete -F _uplift uplift

    """
  }

  private static var bashValues: String {
    // An option means the same kind of value for each of its verbs, or has a row for each.
    Option.table.compactMap { option in
      let command: String
      switch option.value {
      case nil: return nil
      // Readline completes file names itself, because it knows how they are quoted.
      case .directory: command = "compopt -o dirnames; return"
      case .file: command = "compopt -o default; return"
      case .oneOf(let words):
        command = "COMPREPLY=($(compgen -W '\(list(words))' -- \"$current\")); return"
      default: command = "return"
      }
      let verbs = option.verbs.map { "\($0.rawValue):\(option.name)" }
      return "    \(verbs.joined(separator: " | "))) \(command) ;;"
    }.joined(separator: "\n")
  }

  private static func names(_ verb: Verb) -> String {
    list(Option.of(verb).map(\.name) + ["--help"])
  }

  static var zsh: String {
    """
    #compdef uplift
    # zsh completion for uplift \(Program.version)
    local -a options verbs=(
    \(Verb.typed.map { "  " + quoted("\($0.rawValue):\(escaped($0.summary))") }.joined(separator: "\n"))
    )
    case ${words[(r)(\(verbs.replacing(" ", with: "|")))]} in
    \(Verb.typed.map(zshOptions).joined(separator: "\n"))
    esac
    if (( $#options )); then
      _arguments : '1:verb: ' '--help[\(Verb.help.summary)]' $options
    else
      _describe -t verbs verb verbs
    fi

    """
  }

  private static func zshOptions(_ verb: Verb) -> String {
    if verb == .help { return "  help) options=('2:verb:(\(verbs))') ;;" }
    let options = Option.of(verb).map { option in
      let value: String? =
        switch option.value {
        case nil: nil
        case .directory: ":directory:_files -/"
        case .file: ":file:_files"
        case .oneOf(let words): ":word:(\(list(words)))"
        default: ":value: "
        }
      let name = (option.isRepeatable ? "*" : "") + option.name + (value == nil ? "" : "=")
      return quoted("\(name)[\(escaped(option.help))]\(value ?? "")")
    }
    return "  \(verb.rawValue)) options=(\(options.joined(separator: " "))) ;;"
  }

  static var fish: String {
    let seen = "__fish_seen_subcommand_from"
    var lines = ["# fish completion for uplift \(Program.version)", "complete -c uplift -f"]
    for verb in Verb.typed {
      let offer = "-a \(verb.rawValue) -d \(quoted(verb.summary))"
      lines.append("complete -c uplift -n 'not \(seen) \(verbs)' \(offer)")
      lines.append("complete -c uplift -n '\(seen) help' \(offer)")
    }
    for option in Option.table {
      let value =
        switch option.value {
        case nil: ""
        case .directory: " -x -a '(__fish_complete_directories)'"
        case .file: " -r -F"
        case .oneOf(let words): " -x -a '\(list(words))'"
        default: " -x"
        }
      let verbs = list(option.verbs.map(\.rawValue))
      lines.append(
        "complete -c uplift -n '\(seen) \(verbs)' -l \(option.name.dropFirst(2))\(value) "
          + "-d \(quoted(option.help))")
    }
    return lines.joined(separator: "\n") + "\ncomplete -c uplift -l help -d 'show the options'\n"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }

  /// For zsh, in which these characters end a part of a description.
  private static func escaped(_ text: String) -> String {
    String(text.flatMap { "\\[]:".contains($0) ? ["\\", $0] : [$0] })
  }
}
