/// The name of a script's file, read for its number.
package enum ScriptName {
  /// The number of a script; nil if the file is hidden, or its extension is not `.sql`.
  ///
  /// A `.sql` file without a readable number is an error, because it would silently never run.
  static func number(
    of file: UnsafeBufferPointer<UInt8>, at path: @autoclosure () -> String
  ) throws(UpgradeError) -> Version? {
    guard file.first != UInt8(ascii: "."), ends(file, with: ".sql") else { return nil }
    // As a String, a name that is not UTF-8 would be that of another file.
    if file.contains(where: { $0 >= 0x80 }), String(validating: file, as: UTF8.self) == nil {
      throw .name(path(), "the name is not UTF-8", fix: "rename it in UTF-8")
    }
    let stem = file.dropLast(4)
    let written = number(in: stem)
    do throws(WrittenNumber.Problem) {
      let version = try WrittenNumber.read(written)
      if version.isDotted || !isDate(stem) { return version }
    } catch {
      switch error {
      case .zero: throw zero(path())
      case .partTooLarge:
        throw .name(
          path(), "a part of the number is too large: the first goes to 2146, others to 99",
          fix: "use smaller parts, or plain numbers: each part after the first has two digits of "
            + "user_version")
      case .tooLarge:
        throw .name(
          path(), "the number is larger than 2147483647, the largest that user_version holds",
          fix: "use a smaller number; a date and a two-digit count fit, as in 2017070101")
      case .notANumber where stem.first.map(isDigit) == true:
        let number = String(decoding: written, as: UTF8.self)
        throw .name(
          path(), "the name begins with \(number.quoted), which is not a number",
          fix: isForGoingDown(file) ? forwardOnly : "rename it to NUMBER_WORDS.sql")
      case .notANumber: throw noNumber(file, path())
      }
    }
    throw .name(
      path(), "the name begins with three numbers, as a date does, and only the first would count",
      fix: "write a date and a two-digit count as in 2017070101, or begin the words with a letter")
  }

  /// The number of a script of this name; a script that goes down is an error.
  static func number(ofScript name: String) throws(UpgradeError) -> Version {
    let bytes = Array(name.utf8)
    if isForGoingDown(bytes) { throw goingDown(name) }
    let version = try bytes.withUnsafeBufferPointer { file throws(UpgradeError) in
      try number(of: file, at: name)
    }
    guard let version else { throw noNumber(bytes, name) }
    return version
  }

  /// The same; nil if it is not the name of a script.
  package static func version(of name: String) -> Version? {
    do {
      return try number(ofScript: name)
    } catch {
      return nil
    }
  }

  private static func noNumber(
    _ file: some BidirectionalCollection<UInt8>, _ path: String
  ) -> UpgradeError {
    let rename =
      "rename it to NUMBER_WORDS.sql"
      + (ends(file, with: ".up.sql") ? "" : ", or give it another extension if it is not a script")
    return .name(
      path, "the name does not begin with a number",
      fix: isForGoingDown(file) ? forwardOnly : rename)
  }

  static func zero(_ path: String) -> UpgradeError {
    .name(
      path, "the number is 0, the first script is 1",
      fix: "number the scripts 1, 2, 3, …; 0 is the version of a database that no script has "
        + "changed")
  }

  static func goingDown(_ path: String) -> UpgradeError {
    .name(path, "the name says that the script undoes another", fix: forwardOnly)
  }

  private static let forwardOnly =
    "Uplift only goes forward: leave the script out, or give it another name if it goes up"

  /// The part of a script's name that is its number, and the part after it.
  package static func parts(of name: String) -> (number: String, rest: String) {
    let stem = name.utf8.dropLast(4)
    let number = number(in: stem)
    let rest = stem[number.endIndex...]
    return (String(decoding: number, as: UTF8.self), String(decoding: rest, as: UTF8.self))
  }

  /// True for a script that undoes another: `1_x.down.sql`, `1_x.down.db.sql`.
  package static func isForGoingDown(_ file: some BidirectionalCollection<UInt8>) -> Bool {
    // Most names have another letter before `.sql`.
    guard let last = file.dropLast(4).last, [0x62, 0x6e].contains(last | 0x20) else { return false }
    return ends(file, with: ".down.sql") || ends(file, with: ".down.db.sql")
  }

  /// True if a name is longer than an ending and has it, in upper or lower case.
  private static func ends(
    _ file: some BidirectionalCollection<UInt8>, with ending: String
  ) -> Bool {
    let ending = ending.utf8
    guard file.count > ending.count else { return false }
    return file.suffix(ending.count).elementsEqual(ending) { byte, wanted in
      byte == wanted || wanted > 0x60 && byte | 0x20 == wanted
    }
  }

  /// The part before the first separator; `1.4.2-1` keeps its step.
  ///
  /// `1.4.2-1.fix` keeps `1.fix`, and is refused: as the script `1.4.2` it would never run in a
  /// database of that release.
  private static func number<Text: Collection<UInt8>>(in stem: Text) -> Text.SubSequence {
    let head = stem.prefix { !isSeparator($0) }
    let rest = stem[head.endIndex...]
    guard rest.first == UInt8(ascii: "-"), head.contains(UInt8(ascii: ".")) else { return head }
    let step = rest.dropFirst().prefix { !isSeparator($0) }
    let isStep = step.first.map(isDigit) == true
    return isStep ? stem[..<step.endIndex] : head
  }

  /// True for a date, as in `2025-01-15_words`: only its year would be read as the number.
  private static func isDate(_ stem: some Collection<UInt8>) -> Bool {
    // In most names a word follows the number.
    let rest = stem.drop { !isSeparator($0) }.dropFirst()
    guard rest.first.map(isDigit) == true else { return false }
    let parts = stem.split(
      maxSplits: 3, omittingEmptySubsequences: false, whereSeparator: isSeparator)
    return parts.count > 2 && parts.prefix(3).allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}

extension UpgradeError {
  /// An error about the name of a file or of a step.
  static func name(_ path: String, _ problem: String, fix: String) -> UpgradeError {
    UpgradeError(.scripts, "\(path.quoted): \(problem)", fix: fix)
  }
}

/// The grammar of a version in a file name or a text, plain (`0003`) or dotted (`1.4.2-1`).
enum WrittenNumber {
  enum Problem: Error { case notANumber, zero, tooLarge, partTooLarge }

  /// The version that the whole text is.
  static func read(_ text: some Collection<UInt8>) throws(Problem) -> Version {
    guard text.contains(UInt8(ascii: ".")) else {
      guard let version = Version(try value(of: text)) else { throw .tooLarge }
      guard version > .zero else { throw .zero }
      return version
    }
    let halves = text.split(
      separator: UInt8(ascii: "-"), maxSplits: 1, omittingEmptySubsequences: false)
    var parts = try halves[0].split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false
    ).map { part throws(Problem) in try value(of: part) }
    guard (2...3).contains(parts.count) else { throw .notANumber }
    // The step is always the fourth part, also in `1.4-1`.
    if parts.count == 2 { parts.append(0) }
    parts.append(halves.count == 2 ? try value(of: halves[1]) : 0)
    // Each part but the first has two digits, so that the whole fits.
    guard parts[0] <= 2146, parts.dropFirst().allSatisfy({ $0 <= 99 }) else { throw .partTooLarge }
    let number = parts.reduce(0) { $0 * 100 + $1 }
    guard number > 0 else { throw .zero }
    return Version(unchecked: Int32(number), isDotted: true)
  }

  /// The value of ASCII digits, cut to one that is too large; neither `+1` nor `٣` is a number.
  private static func value(of digits: some Collection<UInt8>) throws(Problem) -> Int {
    guard !digits.isEmpty, digits.allSatisfy(ScriptName.isDigit) else { throw .notANumber }
    return digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
  }
}
