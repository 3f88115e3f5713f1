internal import Uplift

/// The name of a script of another tool, without its extension: its number and its words.
struct ToolName {
  /// How the number is written.
  enum Style: Hashable {
    /// `0001_words`, `20180114171611_words`
    case plain
    /// `1.4.2_words`, `1.4.2-1_words`
    case dotted
    /// `2018-01-14-171611_words`, `2018_01_14_171611_words`
    case date
    /// `V1_2__words`, `V1.2__words`
    case flyway
  }

  let number: ToolNumber
  let style: Style
  private let rest: ArraySlice<UInt8>

  private init(_ number: ToolNumber, _ style: Style, _ rest: ArraySlice<UInt8>) {
    (self.number, self.style, self.rest) = (number, style, rest)
  }

  /// Nil if the name does not begin with a number that a tool would write.
  init?(_ stem: ArraySlice<UInt8>) {
    let digits = stem.prefix { ScriptName.isDigit($0) || $0 == UInt8(ascii: ".") }
    let rest = stem[digits.endIndex...]
    guard stem.first.map(ScriptName.isDigit) == true else {
      guard stem.first.map({ $0 | 0x20 }) == UInt8(ascii: "v") else { return nil }
      self.init(flyway: stem.dropFirst())
      return
    }
    guard rest.first.map(ScriptName.isSeparator) ?? true else { return nil }
    if digits.contains(UInt8(ascii: ".")) {
      self.init(dotted: digits, rest)
    } else if let date = Self.date(stem) {
      self.init(ToolNumber(date.parts), .date, date.rest)
    } else {
      self.init(ToolNumber([digits]), .plain, rest)
    }
  }

  /// `1_2__words` or `1.2__words`, after the letter.
  init?(flyway text: ArraySlice<UInt8>) {
    let mark = text.indices.first { text[$0...].starts(with: "__".utf8) } ?? text.endIndex
    let parts = text[..<mark].split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
    }
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(ScriptName.isDigit) }) else { return nil }
    self.init(ToolNumber(parts), .flyway, text[mark...])
  }

  /// The step after a dash is the fourth part, also in `1.4-1`.
  private init?(dotted digits: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) {
    var parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count <= 4, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    var rest = rest
    let step = rest.dropFirst().prefix { !ScriptName.isSeparator($0) }
    if rest.first == UInt8(ascii: "-"), parts.count < 4, !step.isEmpty,
      step.allSatisfy(ScriptName.isDigit)
    {
      while parts.count < 3 { parts.append([]) }
      parts.append(step)
      rest = rest[step.endIndex...]
    }
    self.init(ToolNumber(parts), .dotted, rest)
  }

  /// The numbers of a date, with those of a time after it; at most six numbers, all with the same
  /// separator.
  private static func date(
    _ stem: ArraySlice<UInt8>
  ) -> (parts: [ArraySlice<UInt8>], rest: ArraySlice<UInt8>)? {
    var parts: [ArraySlice<UInt8>] = []
    var rest = stem
    let separator = stem.first { !ScriptName.isDigit($0) }
    while parts.count < 6, parts.isEmpty || rest.first == separator {
      let start = parts.isEmpty ? rest : rest.dropFirst()
      let digits = start.prefix(while: ScriptName.isDigit)
      let after = start[digits.endIndex...]
      guard !digits.isEmpty, after.first.map(ScriptName.isSeparator) ?? true else { break }
      parts.append(digits)
      rest = after
    }
    guard parts.count >= 3, parts[0].count == 4, isNumber(parts[0], 1900...2199),
      isNumber(parts[1], 1...12), isNumber(parts[2], 1...31)
    else { return nil }
    return (parts, rest)
  }

  private static func isNumber(_ digits: ArraySlice<UInt8>, _ range: ClosedRange<Int>) -> Bool {
    Int(String(decoding: digits, as: UTF8.self)).map(range.contains) ?? false
  }

  /// The words, with one `_` for each run of characters that are neither letters nor digits.
  ///
  /// Long words are cut, because a file's name has at most 255 bytes.
  var words: String {
    var words = String.UnicodeScalarView()
    var isBetween = false
    var count = 0
    for scalar in String(decoding: rest, as: UTF8.self).unicodeScalars {
      guard Self.isKept(scalar) else {
        isBetween = true
        continue
      }
      isBetween = isBetween && !words.isEmpty
      count += UTF8.width(scalar) + (isBetween ? 1 : 0)
      guard count <= 150 else { break }
      if isBetween { words.append("_") }
      isBetween = false
      words.append(scalar)
    }
    return String(words)
  }

  private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .nonspacingMark, .spacingMark, .decimalNumber:
      return true
    default: return false
    }
  }

  /// The name of the script with its new number, in at least `width` digits.
  func newName(_ version: Version, width: Int) -> String {
    let digits = String(version.number)
    let number = String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    let words = words
    let name = number + (words.isEmpty ? "" : "_" + words) + ".sql"
    // Words that begin with numbers would make a date of the name.
    return ScriptName.version(of: name) == version ? name : "\(number)_script_\(words).sql"
  }
}
