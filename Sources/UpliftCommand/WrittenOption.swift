/// One word that begins with a dash: an option, and a value where the word holds one.
struct WrittenOption {
  let option: Option
  private let attached: String?

  init(_ word: String) throws(CommandLineError) {
    if word == "-h" {
      (option, attached) = (.help, nil)
      return
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard name.hasPrefix("--"), let option = Option(rawValue: String(name.dropFirst(2))) else {
      let names = Option.allCases.map(\.name)
      throw .unknownOption(name, meant: NearMiss.of(name, among: names))
    }
    self.option = option
    attached = parts.count == 2 ? String(parts[1]) : nil
    if !option.takesValue, let attached { throw .superfluousValue(option, attached) }
  }

  /// The option's value; empty for an option that takes none.
  ///
  /// A value that begins with a dash has to be attached: `--data --json` has forgotten one.
  func value(or rest: inout ArraySlice<String>) throws(CommandLineError) -> String {
    guard option.takesValue else { return "" }
    let value: String
    if let attached {
      value = attached
    } else if let next = rest.first, !next.hasPrefix("-") {
      value = next
      rest = rest.dropFirst()
    } else {
      throw .missingValue(option)
    }
    guard !value.isEmpty else { throw .emptyValue(option) }
    return value
  }
}
