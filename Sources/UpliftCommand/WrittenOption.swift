/// A word of the command line that begins with a dash: an option, and its value if it is written
/// with `=`.
struct WrittenOption {
  let option: Option
  private let attached: String?

  init(_ word: String) throws(CommandLineError) {
    if word == "-h" {
      (option, attached) = (.help, nil)
      return
    }
    // Searched by bytes, because each character would cost a look-up in Unicode's tables.
    let mark = word.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = String(word[..<(mark ?? word.endIndex)])
    let letters = String(decoding: name.utf8.dropFirst(2), as: UTF8.self)
    guard name.hasPrefix("--"), let option = Option(rawValue: letters) else {
      if let advice = Synonym.advice(forOption: name) {
        throw .synonymOfOption(name, advice: advice)
      }
      let names = Option.allCases.map(\.name)
      throw .unknownOption(name, meant: NearMiss.of(name, among: names))
    }
    self.option = option
    attached = mark.map { String(word[word.utf8.index(after: $0)...]) }
    if !option.takesValue, let attached { throw .superfluousValue(option, attached) }
  }

  /// True for `--help` and for `--version` without a value, which are verbs by themselves.
  ///
  /// `uplift adopt --version 3` has a value in the next word.
  func isVerb(after verb: Verb?) -> Bool {
    option == .help || option == .version && attached == nil && verb != .adopt
  }

  /// The value, from this word or from the next; empty for an option that takes none.
  ///
  /// The next word is not a value if it begins with a dash: in `--data --json` the value is
  /// missing.
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
