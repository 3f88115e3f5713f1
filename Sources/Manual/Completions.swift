internal import UpliftCommand

/// The completions of the shells, from lists of words: the verbs, the options of each verb, and
/// what an option has as its value.
enum Completions {
  /// What a shell offers for the value of an option.
  private enum Offer {
    case directories, files, nothing
    case words(String)

    init?(_ value: Option.Value?) {
      switch value {
      case nil: return nil
      case .directory: self = .directories
      case .file: self = .files
      case .oneOf(let words): self = .words(words.joined(separator: " "))
      default: self = .nothing
      }
    }
  }

  private static let verbs = Verb.typed.map(\.rawValue).joined(separator: " ")

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
      guard let offer = Offer(option.value) else { return nil }
      let command =
        switch offer {
        // Readline completes file names itself, because it knows how they are quoted.
        case .directories: "compopt -o dirnames; return"
        case .files: "compopt -o default; return"
        case .words(let words): "COMPREPLY=($(compgen -W '\(words)' -- \"$current\")); return"
        case .nothing: "return"
        }
      let verbs = option.verbs.map { "\($0.rawValue):\(option.name)" }
      return "    \(verbs.joined(separator: " | "))) \(command) ;;"
    }.joined(separator: "\n")
  }

  private static func names(_ verb: Verb) -> String {
    (Option.of(verb).map(\.name) + ["--help"]).joined(separator: " ")
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
        switch Offer(option.value) {
        case nil: nil
        case .directories: ":directory:_files -/"
        case .files: ":file:_files"
        case .words(let words): ":word:(\(words))"
        case .nothing: ":value: "
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
        switch Offer(option.value) {
        case nil: ""
        case .directories: " -x -a '(__fish_complete_directories)'"
        case .files: " -r -F"
        case .words(let words): " -x -a '\(words)'"
        case .nothing: " -x"
        }
      let verbs = option.verbs.map(\.rawValue).joined(separator: " ")
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
