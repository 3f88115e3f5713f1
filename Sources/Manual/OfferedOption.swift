internal import UpliftCommand

/// An option, and the verbs for which it means the same.
struct OfferedOption {
  let option: Option
  private(set) var verbs: [Verb]
  let row: Option.Row
  /// What a shell offers for its value; nil if it takes none.
  let values: Values?
  /// True if it may be given several times.
  var isRepeatable: Bool { Arguments.repeatable.contains(option) }

  /// What a shell offers for a value.
  enum Values: Hashable {
    case directories, files, scriptNumbers, backupNumbers, nothing
    case words([String])
  }

  /// All of them, in the order of the table.
  ///
  /// An option that does something else for another verb occurs twice.
  static let all: [OfferedOption] = Option.allCases.flatMap { option in
    var found: [OfferedOption] = []
    for verb in verbs where isOption(option, of: verb) {
      let row = option.row(for: verb)
      if let same = found.firstIndex(where: { $0.row.summary == row.summary }) {
        found[same].verbs.append(verb)
      } else {
        found.append(
          OfferedOption(option: option, verbs: [verb], row: row, values: values(of: option, row)))
      }
    }
    return found
  }

  /// The verbs that a user can type.
  static let verbs = Verb.allCases.filter { $0 != .version }

  /// The names of the options that take a value.
  static let valued = Option.allCases.filter { option in
    all.contains { $0.option == option && $0.values != nil }
  }.map(\.name)

  /// Those of a verb.
  static func of(_ verb: Verb) -> [OfferedOption] { all.filter { $0.verbs.contains(verb) } }

  private static func isOption(_ option: Option, of verb: Verb) -> Bool {
    option == .help || option == .version || option.row.verbs.contains(verb)
  }

  private static func values(of option: Option, _ row: Option.Row) -> Values? {
    guard let value = row.value else { return nil }
    return switch value {
    case .directory: .directories
    case .file: .files
    case .oneOf(let words): .words(words)
    case .version where option == .to: .backupNumbers
    case .version: .scriptNumbers
    default: .nothing
    }
  }
}
