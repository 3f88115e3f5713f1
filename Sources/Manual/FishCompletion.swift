internal import UpliftCommand

/// The completion for fish.
enum FishCompletion {
  static var text: String {
    """
    # fish completion for uplift \(Program.version)

    \(functions)

    complete -c uplift -f
    \(verbs.joined(separator: "\n"))

    \(OfferedOption.all.map(line).joined(separator: "\n"))

    """
  }

  private static var verbs: [String] {
    OfferedOption.verbs.map { verb in
      "complete -c uplift -n 'not __uplift_words >/dev/null' -a \(verb.rawValue) -d \(quoted(verb.summary))"
    }
      + OfferedOption.verbs.filter { $0 != .help }.map { verb in
        "complete -c uplift -n __uplift_needs_topic -a \(verb.rawValue) -d \(quoted(verb.summary))"
      }
  }

  private static func line(_ offered: OfferedOption) -> String {
    let option = offered.option
    let verbs = offered.verbs.map(\.rawValue).joined(separator: " ")
    let condition =
      offered.isRepeatable
      ? "__uplift_has \(verbs)"
      : "__uplift_offers \(option.name)\(offered.values == nil ? "" : "=") \(verbs)"
    let value =
      switch offered.values {
      case nil: ""
      case .directories: " -x -a '(__uplift_directories)'"
      case .files: " -r -F"
      case .words(let words): " -x -a '\(words.joined(separator: " "))'"
      case .scriptNumbers: " -x -k -a '(__uplift_numbers)'"
      case .backupNumbers: " -x -k -a '(__uplift_backups)'"
      case .nothing: " -x"
      }
    return
      "complete -c uplift -n '\(condition)' -l \(option.rawValue)\(value) -d \(quoted(offered.row.summary))"
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }

  private static let functions = #"""
    # Prints the words that are neither options nor their values: the verb first. Fails if there are none.
    function __uplift_words
      set -l tokens (commandline -opc)
      set -l found
      set -l is_value 0
      for token in $tokens[2..]
        if test $is_value = 1
          set is_value 0
          continue
        end
        switch $token
          case \#(OfferedOption.valued.joined(separator: " "))
            set is_value 1
            continue
          case '-*'
            continue
        end
        set -a found $token
      end
      if not set -q found[1]
        return 1
      end
      printf '%s\n' $found
    end

    function __uplift_needs_topic
      set -l words (__uplift_words)
      test (count $words) = 1; and test "$words[1]" = help
    end

    # Succeeds if the verb, by default up, is one of the arguments.
    function __uplift_has
      set -l words (__uplift_words); or set words up
      contains -- $words[1] $argv
    end

    # The same, if the option is not there yet: __uplift_offers OPTION VERB..., with = after an option
    # that takes a value.
    function __uplift_offers
      __uplift_has $argv[2..]; or return 1
      set -l option (string replace '=' '' -- $argv[1])
      set -l tokens (commandline -opc)
      # The last word may be this option, and its value is what is completed.
      if test "$option" != "$argv[1]"; and test "$tokens[-1]" = "$option"
        return 0
      end
      not string match -q -- $option $tokens; and not string match -q -- "$option=*" $tokens
    end

    # Prints the last value of an option, or fails.
    function __uplift_value
      set -l value
      set -l is_value 0
      for token in (commandline -opc)
        if test $is_value = 1
          set value $token
          set is_value 0
        else if test "$token" = "$argv[1]"
          set is_value 1
        else if string match -q -- "$argv[1]=*" $token
          set value (string replace -- "$argv[1]=" '' $token)
        end
      end
      if not set -q value[1]
        return 1
      end
      if string match -q '~/*' -- $value
        set value $HOME(string sub -s 2 -- $value)
      end
      printf '%s\n' $value
    end

    # fish gives the whole word to its own function, even if it begins with an option and =.
    function __uplift_directories
      __fish_complete_directories (string replace -r -- '^--[a-z-]+=' '' (commandline -ct))
    end

    # Prints the number of each file whose name matches, and the name.
    function __uplift_files
      for file in $argv[2..]
        set -l name (string replace -r '.*/' '' -- $file)
        set -l number (string match -r -- $argv[1] $name)
        if set -q number[2]; and not string match -q -i '*.down.sql' -- $name
          printf '%s\t%s\n' $number[2] $name
        end
      end | sort -V
    end

    function __uplift_numbers
      set -l directory (__uplift_value --migrations); or set directory (__uplift_value --resources)/Migrations
      or set directory Resources/Migrations
      set -l files $directory/*
      __uplift_files '^(?|0*([1-9][0-9]*)|([0-9]+(?:\.[0-9]+)+(?:-[0-9]+)?))(?:[ _-].*)?\.(?i:sql)$' $files
    end

    function __uplift_backups
      set -l directory (__uplift_value --backup); or return
      set -l files $directory/*
      __uplift_files '-([0-9]+|[0-9]+(?:\.[0-9]+)+(?:-[0-9]+)?)\.[^.]+$' $files
    end
    """#
}
