/// What the name of a file in the directory of scripts says.
struct ScriptName: Hashable {
  let number: WrittenNumber

  /// Nil for what is no script: hidden files, editors' leftovers, other extensions.
  ///
  /// A `.sql` file without a readable number is an error: it would silently never run.
  init?(_ file: UnsafeBufferPointer<UInt8>) throws(WrittenNumber.Problem) {
    guard file.count > 4, file[0] != UInt8(ascii: "."), Self.isScript(file) else { return nil }
    number =
      if let plain = Self.plainNumber(in: file) { plain } else {
        try WrittenNumber.read(Self.number(in: file.dropLast(4))).get()
      }
  }

  /// The number of nearly every script, up to nine digits and what ends them; nil for any other,
  /// which is read with more care.
  private static func plainNumber(in file: UnsafeBufferPointer<UInt8>) -> WrittenNumber? {
    var number: Int32 = 0
    var end = 0
    while end < 9, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(file[end]) {
      number = number &* 10 &+ Int32(file[end] &- UInt8(ascii: "0"))
      end += 1
    }
    guard number > 0, isSeparator(file[end]) || end == file.count - 4 else { return nil }
    return WrittenNumber(version: Version(unchecked: number))
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
    let isStep = !step.isEmpty && step.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
    return isStep ? stem[..<step.endIndex] : head
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
  }
}

extension UpgradeError.NameProblem {
  init(_ problem: WrittenNumber.Problem) {
    switch problem {
    case .notANumber: self = .noNumber
    case .zero: self = .zero
    case .partTooLarge: self = .partTooLarge
    case .tooLarge(let digits):
      // A time stamp of 14 or 17 digits begins with its date.
      let date = String(digits.prefix(8)) + "01"
      self = .tooLarge(suggestion: digits.count >= 12 && Version(date) != nil ? date : nil)
    }
  }
}
