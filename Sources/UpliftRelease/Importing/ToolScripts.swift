internal import Uplift
internal import UpliftSystem

/// A script of another tool: `1_words.sql`, `1_words.up.sql`, `V1_2__words.sql` or
/// `1_words/up.sql`.
struct ToolScript {
  /// A tool writes all its names in one way.
  struct Style: Hashable {
    enum Layout { case file, pair, directory }

    let layout: Layout
    /// Flyway's `V1_2__words`.
    let isFlyway: Bool
  }

  let path: Path
  /// The path below the directory of the tool, for a message.
  let from: String
  let style: Style
  let number: Number
  /// The name after the number.
  private let rest: Substring

  /// Nil if the name, which is without its ending, does not begin with a number.
  fileprivate init?(_ path: Path, _ from: String, _ name: Substring, _ layout: Style.Layout) {
    guard let (number, rest, isFlyway) = Number.read(name) else { return nil }
    (self.path, self.from, self.number, self.rest) = (path, from, number, rest)
    style = Style(layout: layout, isFlyway: isFlyway)
  }

  /// A few parts, each with any number of digits, compared as numbers: `0012`, `1.4.2`, or a date
  /// such as `2018-01-14-171611`.
  struct Number: Hashable, Comparable {
    /// Without zeros in front, so that zero is empty.
    private let parts: [Substring]

    /// The number that a name begins with, and the rest of the name.
    ///
    /// Digits and separators are parts of it up to the last separator, or to the end of the name.
    static func read(_ name: Substring) -> (Number, rest: Substring, isFlyway: Bool)? {
      let isFlyway = name.first == "V" || name.first == "v"
      let name = isFlyway ? name.dropFirst() : name
      var head = name.prefix { isDigit($0) || "_-. ".contains($0) }
      if head.endIndex < name.endIndex {
        while let last = head.last, isDigit(last) { head.removeLast() }
      }
      guard let first = head.first, isDigit(first) else { return nil }
      var parts = head.split { !isDigit($0) }.map { $0.drop { $0 == "0" } }
      while parts.last?.isEmpty == true { parts.removeLast() }
      return (Number(parts: parts), name[head.endIndex...], isFlyway)
    }

    private static func isDigit(_ character: Character) -> Bool {
      character.isASCII && character.isNumber
    }

    static func < (one: Number, other: Number) -> Bool {
      for index in 0..<max(one.parts.count, other.parts.count) {
        let (left, right) = (one.part(index), other.part(index))
        if left.count != right.count { return left.count < right.count }
        if left != right { return left < right }
      }
      return false
    }

    private func part(_ index: Int) -> Substring { index < parts.count ? parts[index] : "" }

    /// True for a time stamp: some tools sort such names as numbers, and others as texts.
    var isTimeStamp: Bool { parts.count == 1 && parts[0].count >= 8 }
  }

  /// The words, with one `_` for each run of characters that are neither letters nor digits, below
  /// a number with at least `width` digits.
  func newName(_ version: Version, width: Int) -> String {
    let digits = String(version.number)
    let number = String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    var words = rest.split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    // The name of a file has at most 255 bytes.
    while words.utf8.count > 150 { words.removeLast() }
    return number + (words.isEmpty ? "" : "_" + words) + ".sql"
  }
}

/// The scripts in a directory of another tool.
///
/// Every name is taken over, reported as passed over, or reported as an error.
struct ToolScripts {
  private(set) var all: [ToolScript] = []
  /// The files that are no scripts, and those that undo scripts, by their names.
  private(set) var passedOver: [String] = []
  private(set) var errors: [UpgradeError] = []

  init(in path: Path) throws(UpgradeError) {
    // Sorted, so that errors come in the same order on every file system; `V1` before `U1`.
    for name in try Self.names(in: path).sorted(by: { $1.lexicographicallyPrecedes($0) }) {
      try add(path.appending(name), name, String(decoding: name, as: UTF8.self))
    }
    all.sort { ($0.number, $0.from) < ($1.number, $1.from) }
    passedOver.sort()
    errors.reverse()
  }

  private mutating func add(
    _ path: Path, _ name: [UInt8], _ shown: String
  ) throws(UpgradeError) {
    let lower = shown.lowercased()
    if shown.hasPrefix(".") || ScriptName.isForGoingDown(name) || isUndo(shown) {
      passedOver.append(shown)
    } else if lower.utf8.count > 4, lower.hasSuffix(".sql") {
      let up = [".up.sql", ".up.db.sql"].first { lower.hasSuffix($0) }
      add(path, shown, shown.dropLast(up?.count ?? 4), up == nil ? .file : .pair)
    } else if try Self.isDirectory(path) {
      try addDirectory(path, shown)
    } else if ToolScript.Number.read(Substring(shown)) != nil {
      refuse(
        path, "has the number of a step and is not a script in SQL",
        fix: "write it in SQL under the same number, or as a step in Swift; then move it away")
    } else {
      passedOver.append(shown)
    }
  }

  /// Adds the script in a directory of its own, as Diesel, Prisma and sqlx have it.
  private mutating func addDirectory(_ path: Path, _ shown: String) throws(UpgradeError) {
    let names = try Self.names(in: path)
    guard ToolScript.Number.read(Substring(shown)) != nil else {
      for name in names where name.first != UInt8(ascii: ".") {
        if try Self.isDirectory(path.appending(name)) || name.suffix(4).elementsEqual(".sql".utf8) {
          return refuse(
            path, "is a directory with scripts or directories of its own",
            fix: "move its scripts into the directory above, or move it away")
        }
      }
      return passedOver.append(shown + "/")
    }
    let inner = names.map { "\(shown)/" + String(decoding: $0, as: UTF8.self) }
    let scripts = ["up.sql", "migration.sql"].filter { inner.contains("\(shown)/\($0)") }
    guard scripts.count == 1 else {
      return refuse(
        path, "is a numbered directory without exactly one of up.sql and migration.sql",
        fix: "leave one script in it, or move it away")
    }
    let script = scripts[0]
    passedOver += inner.filter { $0 != "\(shown)/\(script)" }
    add(path.appending(script.utf8), "\(shown)/\(script)", Substring(shown), .directory)
  }

  private mutating func add(
    _ path: Path, _ from: String, _ name: Substring, _ layout: ToolScript.Style.Layout
  ) {
    guard let script = ToolScript(path, from, name, layout) else {
      return refuse(
        path, "does not begin with a number, as in 1_words.sql or V1__words.sql",
        fix: "give it the number of its place in the order, or move it away")
    }
    all.append(script)
  }

  private mutating func refuse(_ path: Path, _ problem: String, fix: String) {
    errors.append(.notImported(path, problem, fix: fix))
  }

  /// True if Flyway's `U2__words` undoes a script `V2__words` that is there.
  private func isUndo(_ name: String) -> Bool {
    guard name.hasPrefix("U"), let read = ToolScript.Number.read("V\(name.dropFirst())")
    else { return false }
    return all.contains { $0.style.isFlyway && $0.number == read.0 }
  }

  private static func isDirectory(_ path: Path) throws(UpgradeError) -> Bool {
    try NewFile.facts(path)?.kind == .directory
  }

  private static func names(in path: Path) throws(UpgradeError) -> [[UInt8]] {
    do {
      return try System.names(in: path)
    } catch {
      if error.isNotThere || error.isNotADirectory { throw .missingDirectory(path.shown) }
      throw error.isDenied
        ? .unreadable(path.shown, error.words) : UpgradeError(error, at: path)
    }
  }
}
