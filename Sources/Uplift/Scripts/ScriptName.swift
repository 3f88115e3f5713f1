/// The name of a script's file, read for its number.
package struct ScriptName: Hashable {
  let number: WrittenNumber

  typealias Problem = UpgradeError.NameProblem

  /// Nil if the file is not a script: it is hidden, or its extension is not `.sql`.
  ///
  /// A `.sql` file without a readable number is an error, because it would silently never run.
  init?(_ file: UnsafeBufferPointer<UInt8>) throws(Problem) {
    guard file.count > 4, file[0] != UInt8(ascii: "."), Self.isScript(file) else { return nil }
    // A name becomes a String. If it is not UTF-8, the String would name another file.
    if file.contains(where: { $0 >= 0x80 }), String(validating: file, as: UTF8.self) == nil {
      throw .notUTF8
    }
    let stem = file.dropLast(4)
    let written = Self.number(in: stem)
    switch WrittenNumber.read(written) {
    case .success(let number):
      if !number.version.isDotted, Self.isDate(stem) {
        throw .date
      }
      self.number = number
    case .failure(.zero): throw .zero
    case .failure(.partTooLarge): throw .partTooLarge
    case .failure(.tooLarge): throw .tooLarge
    case .failure(.notANumber) where stem.first.map(Self.isDigit) == true:
      throw .notANumber(String(decoding: written, as: UTF8.self))
    case .failure(.notANumber): throw .noNumber
    }
  }

  /// The part of a script's name that is its number, and the part after it.
  package static func parts(of name: String) -> (number: String, rest: String) {
    Array(name.utf8).withUnsafeBufferPointer { file in
      let stem = file.dropLast(4)
      let number = Self.number(in: stem)
      return (
        String(decoding: number, as: UTF8.self),
        String(decoding: stem[number.endIndex...], as: UTF8.self)
      )
    }
  }

  /// The number that a file of this name has; nil if it is not the name of a script.
  package static func version(of name: String) -> Version? {
    do throws(Problem) {
      return try Array(name.utf8).withUnsafeBufferPointer { file throws(Problem) in
        guard !isForGoingDown(file) else { return nil }
        return try ScriptName(file)?.number.version
      }
    } catch {
      return nil
    }
  }

  /// True for a script that undoes another: `1_x.down.sql`, `1_x.down.db.sql`.
  package static func isForGoingDown(_ file: some BidirectionalCollection<UInt8>) -> Bool {
    endingsForGoingDown.contains { ending in
      file.count > ending.count
        && file.suffix(ending.count).elementsEqual(ending) { $0 | 0x20 == $1 | 0x20 }
    }
  }

  private static let endingsForGoingDown = [Array(".down.sql".utf8), Array(".down.db.sql".utf8)]

  /// True for the extension `.sql`, in upper or lower case.
  private static func isScript(_ file: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = file.count - 4
    return file[start] == UInt8(ascii: ".") && file[start + 1] | 0x20 == UInt8(ascii: "s")
      && file[start + 2] | 0x20 == UInt8(ascii: "q") && file[start + 3] | 0x20 == UInt8(ascii: "l")
  }

  private typealias Text = UnsafeBufferPointer<UInt8>.SubSequence

  /// The part before the first separator; `1.4.2-1` keeps its step.
  ///
  /// In `1.4.2-1.fix` the step has more than digits. It is kept, so that the name is refused. If
  /// `1.fix` counted as words, the script would get the number of the release itself. A database at
  /// that number would never run it.
  private static func number(in stem: Text) -> Text {
    let head = stem.prefix { !isSeparator($0) }
    let rest = stem[head.endIndex...]
    guard rest.first == UInt8(ascii: "-"), head.contains(UInt8(ascii: ".")) else { return head }
    let step = rest.dropFirst().prefix { !isSeparator($0) }
    let isStep = step.first.map(isDigit) == true
    return isStep ? stem[..<step.endIndex] : head
  }

  /// True if the name begins with three numbers, as in `2025-01-15_words`.
  ///
  /// They are a date, and only its year would be read as the script's number.
  private static func isDate(_ stem: Text) -> Bool {
    // In most names a word follows the number.
    let rest = stem.drop { !isSeparator($0) }.dropFirst()
    guard rest.first.map(isDigit) == true else { return false }
    let parts = stem.split(
      maxSplits: 3, omittingEmptySubsequences: false, whereSeparator: isSeparator)
    return parts.count > 2 && parts.prefix(3).allSatisfy { !$0.isEmpty && $0.allSatisfy(isDigit) }
  }

  package static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
  }

  package static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
