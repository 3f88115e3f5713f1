/// What the name of a file in the directory of scripts says.
struct ScriptName: Hashable {
  let file: String
  let number: WrittenNumber

  /// Nil for what is no script: hidden files, editors' leftovers, other extensions.
  ///
  /// A `.sql` file without a readable number is an error: it would silently never run.
  init?(file: String) throws(UpgradeError) {
    let bytes = Array(file.utf8)
    let suffix = bytes.suffix(4).map { $0 | 0x20 }
    guard bytes.first != UInt8(ascii: "."), bytes.count > 4, suffix == Array(".sql".utf8) else {
      return nil
    }
    self.file = file
    switch WrittenNumber.read(Self.number(in: bytes.dropLast(4))) {
    case .success(let number): self.number = number
    case .failure(let problem): throw .scriptName(file: file, NameProblem(problem))
    }
  }

  private typealias NameProblem = UpgradeError.NameProblem

  /// The part before the first separator; `1.4.2-1` keeps its step.
  private static func number(in stem: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let head = stem.prefix { !isSeparator($0) }
    let rest = stem[head.endIndex...]
    guard head.contains(UInt8(ascii: ".")), rest.first == UInt8(ascii: "-") else { return head }
    let step = rest.dropFirst().prefix { !isSeparator($0) }
    let isStep = !step.isEmpty && step.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 }
    return isStep ? stem[..<step.endIndex] : head
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: " ")
  }
}

extension UpgradeError.NameProblem {
  fileprivate init(_ problem: WrittenNumber.Problem) {
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
