internal import UpliftCommand

/// The completion for zsh.
enum ZshCompletion {
  static var text: String {
    #"""
    #compdef uplift
    # zsh completion for uplift \#(Program.version)

    _uplift() {
      local word option='' verb=''
      for word in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $option ]]; then
          option=''
        elif [[ $word == (\#(OfferedOption.valued.joined(separator: "|"))) ]]; then
          option=$word
        elif [[ $word != -* ]]; then
          verb=$word
          break
        fi
      done

      local -a options
      case ${verb:-up} in
        \#(OfferedOption.verbs.map(options).joined(separator: "\n").indented(by: 4))
      esac
      _arguments -S : "${options[@]}" '1:verb:_uplift_verbs'
    }

    _uplift_verbs() {
      local -a verbs=(
        \#(OfferedOption.verbs.map(described).joined(separator: "\n").indented(by: 4))
      )
      _describe -t verbs verb verbs
    }

    _uplift_topics() {
      local -a topics=(
        \#(OfferedOption.verbs.filter { $0 != .help }.map(described).joined(separator: "\n").indented(by: 4))
      )
      _describe -t topics verb topics
    }

    \#(functions)

    _uplift "$@"

    """#
  }

  private static func options(of verb: Verb) -> String {
    var specs = OfferedOption.of(verb).map(spec)
    switch verb {
    case .help: specs.append("'2:verb:_uplift_topics'")
    case .new: specs.append("'*:word: '")
    default: break
    }
    return
      "\(verb.rawValue))\n  options=(\n    \(specs.joined(separator: "\n").indented(by: 4))\n  ) ;;"
  }

  /// An option as `_arguments` wants it.
  private static func spec(_ offered: OfferedOption) -> String {
    let option = offered.option
    let help = offered.row.summary.escaped("\\[]:")
    guard let values = offered.values else { return quoted("\(option.name)[\(help)]") }
    let action =
      switch values {
      case .directories: "_files -/"
      case .files: "_files"
      case .words(let words): "(\(words.joined(separator: " ")))"
      case .scriptNumbers: "_uplift_numbers"
      case .backupNumbers: "_uplift_backups"
      case .nothing: " "
      }
    let star = offered.isRepeatable ? "*" : ""
    let placeholder = (offered.row.value?.placeholder ?? "").escaped(":")
    return quoted("\(star)\(option.name)=[\(help)]:\(placeholder):\(action)")
  }

  private static func described(_ verb: Verb) -> String {
    quoted("\(verb.rawValue):\(verb.summary.escaped("\\:"))")
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }

  private static let functions = #"""
    # Sets `directory` to the last value of an option, without its quotes; fails if there is none.
    _uplift_value() {
      local word is_value='' found=1
      for word in "${(@)words[2,CURRENT-1]}"; do
        if [[ -n $is_value ]]; then
          directory=${(Q)word} is_value='' found=0
        elif [[ $word == $1 ]]; then
          is_value=1
        elif [[ $word == $1=* ]]; then
          directory=${(Q)${word#*=}} found=0
        fi
      done
      if [[ $directory == '~/'* ]]; then directory=$HOME/${directory#'~/'}; fi
      return found
    }

    # Offers the first group of a pattern as a number, for each file in `directory`.
    _uplift_files() {
      setopt local_options no_bash_rematch no_rematch_pcre
      local file
      local -a numbers=()
      local -a match mbegin mend
      for file in $directory/*(Nn); do
        file=${file:t}
        if [[ ${file:l} == *.down.sql ]]; then continue; fi
        if [[ $file =~ $1 ]]; then
          numbers+=("${match[1]}:${file//:/\\:}")
        elif [[ -n $2 && $file =~ $2 ]]; then
          numbers+=("${match[1]}:${file//:/\\:}")
        fi
      done
      _describe -V -t numbers version numbers
    }

    _uplift_numbers() {
      local directory=''
      _uplift_value --migrations ||
        { _uplift_value --resources && directory+=/Migrations } || directory=Resources/Migrations
      local ending='([ _-].*)?[.][sS][qQ][lL]$'
      _uplift_files "^0*([1-9][0-9]*)$ending" "^([0-9]+([.][0-9]+)+(-[0-9]+)?)$ending"
    }

    _uplift_backups() {
      local directory=''
      _uplift_value --backup || return 1
      _uplift_files '-([0-9]+|[0-9]+([.][0-9]+)+(-[0-9]+)?)[.][^.]+$'
    }
    """#
}

extension String {
  /// The text with a backslash before each of these characters.
  func escaped(_ special: String) -> String {
    String(flatMap { special.contains($0) ? ["\\", $0] : [$0] })
  }
}
