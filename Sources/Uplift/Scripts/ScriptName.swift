/// What the name of a file in the directory of scripts says.
struct ScriptName: Hashable {
  let number: WrittenNumber

  typealias Problem = UpgradeError.NameProblem

  /// Nil for what is no script: hidden files, editors' leftovers, other extensions.
  ///
  /// A `.sql` file without a readable number is an error: it would silently never run.
  init?(_ file: UnsafeBufferPointer<UInt8>) throws(Problem) {
    guard file.count > 4, file[0] != UInt8(ascii: "."), Self.isScript(file) else { return nil }
    // A name is shown and opened as text: what is not UTF-8 would be shown and opened as another.
    if file.contains(where: { $0 >= 0x80 }), String(validating: file, as: UTF8.self) == nil {
      throw .notUTF8
    }
    let stem = file.dropLast(4)
    let written = Self.number(in: stem)
    switch WrittenNumber.read(written) {
    case .success(let number):
      if !number.version.isDotted, Self.isDate(stem) {
        throw .date(suggestion: NumberSuggestion.date(in: stem))
      }
      self.number = number
    case .failure(.zero): throw .zero
    case .failure(.partTooLarge): throw .partTooLarge
    case .failure(.tooLarge(let digits)):
      throw .tooLarge(suggestion: NumberSuggestion.timeStamp(digits))
    case .failure(.notANumber) where stem.first.map(Self.isDigit) == true:
      throw .notANumber(
        String(decoding: written, as: UTF8.self), suggestion: NumberSuggestion.name(for: file))
    case .failure(.notANumber): throw .noNumber
    }
  }

  /// True for the script of a pair that undoes the other: `1_x.down.sql`, `1_x.down.db.sql`.
  static func isForGoingDown(_ file: some BidirectionalCollection<UInt8>) -> Bool {
    [".down.sql", ".down.db.sql"].contains { ending in
      file.count > ending.utf8.count
        && zip(file.reversed(), ending.utf8.reversed()).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
  }

  /// By its extension, in any case.
  private static func isScript(_ file: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = file.count - 4
    return file[start] == UInt8(ascii: ".") && file[start + 1] | 0x20 == UInt8(ascii: "s")
      && file[start + 2] | 0x20 == UInt8(ascii: "q") && file[start + 3] | 0x20 == UInt8(ascii: "l")
  }

  private typealias Text = UnsafeBufferPointer<UInt8>.SubSequence

  /// The part before the first separator; `1.4.2-1` keeps its step.
  private static func number(in stem: Text) -> Text {
    let head = stem.prefix { !isSeparator($0) }
    let rest = stem[head.endIndex...]
    guard rest.first == UInt8(ascii: "-"), head.contains(UInt8(ascii: ".")) else { return head }
    let step = rest.dropFirst().prefix { !isSeparator($0) }
    let isStep = !step.isEmpty && step.allSatisfy(isDigit)
    return isStep ? stem[..<step.endIndex] : head
  }

  /// True for a number that two more numbers follow, as in `2025-01-15_words`: a date, of which
  /// only the year would count.
  private static func isDate(_ stem: Text) -> Bool {
    // Most names go on with a word.
    let rest = stem.drop { !isSeparator($0) }.dropFirst()
    guard rest.first.map(isDigit) == true else { return false }
    let parts = stem.split(
      maxSplits: 3, omittingEmptySubsequences: false, whereSeparator: isSeparator)
    return parts.count > 2 && parts.prefix(3).allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) }
  }

  static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
