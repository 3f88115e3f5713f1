internal import Uplift
internal import UpliftSystem

/// The scripts in a directory of another tool.
///
/// Every name is taken over, reported as passed over, or reported as an error.
struct ToolScripts {
  private(set) var all: [ToolScript] = []
  /// The files that are no scripts, and those that undo scripts, by their names.
  private(set) var passedOver: [String] = []
  private(set) var errors: [UpgradeError] = []

  init(in directory: Path) throws(UpgradeError) {
    for name in try directory.sortedNames() { try add(directory.appending(name), name) }
    all.sort { one, other in
      one.number == other.number
        ? one.from < other.from
        : one.number.lexicographicallyPrecedes(other.number) { ($0.count, $0) < ($1.count, $1) }
    }
    refuseOddOnes()
  }

  private mutating func add(_ path: Path, _ name: [UInt8]) throws(UpgradeError) {
    let shown = String(decoding: name, as: UTF8.self)
    if shown.hasPrefix(".") || ScriptName.isForGoingDown(name) {
      passedOver.append(shown)
    } else if let ending = [".up.sql", ".sql"].first(where: shown.lowercased().hasSuffix) {
      add(path, shown, shown.dropLast(ending.count), ending)
    } else if try path.facts()?.kind == .directory {
      try addDirectory(path, shown)
    } else if ToolScript.parts(of: shown[...]) != nil {
      refuse(
        path, "has the number of a step and is not a script in SQL",
        fix: "write it in SQL under the same number, or as a step in Swift; then move it away")
    } else {
      passedOver.append(shown)
    }
  }

  /// Adds the script in a directory of its own, as Diesel, Prisma and sqlx have it.
  private mutating func addDirectory(_ path: Path, _ shown: String) throws(UpgradeError) {
    let names = try path.sortedNames()
    let scripts = ["up.sql", "migration.sql"].filter { names.contains(Array($0.utf8)) }
    guard let script = scripts.first, scripts.count == 1 else {
      return refuse(
        path, "is a directory without exactly one of up.sql and migration.sql",
        fix: "leave one script in it, or move it away")
    }
    for name in names where !name.elementsEqual(script.utf8) {
      passedOver.append("\(shown)/" + String(decoding: name, as: UTF8.self))
    }
    add(path.appending(script.utf8), "\(shown)/\(script)", shown[...], "/")
  }

  private mutating func add(_ path: Path, _ from: String, _ name: Substring, _ ending: String) {
    guard let (number, words) = ToolScript.parts(of: name) else {
      return refuse(
        path, "does not begin with a number, as in 1_words.sql or V1__words.sql",
        fix: "give it the number of its place in the order, or move it away")
    }
    all.append(
      ToolScript(path: path, from: from, ending: ending, number: number, words: words))
  }

  /// A tool names and places all its scripts in one way, so one of another kind is the odd one.
  private mutating func refuseOddOnes() {
    // Prisma puts `0_init` before its time stamps.
    let groups = Dictionary(grouping: all.filter { !$0.number.isEmpty }, by: \.style)
    let usual = groups.values.max { ($0.count, $1[0].from) < ($1.count, $0[0].from) }?.first
    for (before, script) in zip([nil] + all, all) {
      if let usual, script.style != usual.style,
        !script.number.isEmpty || script.ending != usual.ending
      {
        refuse(
          script.path, "is numbered or placed in another way than \(usual.from.quoted)",
          fix: "name all scripts in one way, or move those of another tool away")
      } else if let before, before.number == script.number {
        refuse(
          script.path, "has the same number as \(before.from.quoted)",
          fix: "give one of them another number, or move it away")
      }
    }
  }

  private mutating func refuse(_ path: Path, _ problem: String, fix: String) {
    errors.append(.notImported(path, problem, fix: fix))
  }
}

extension Path {
  /// The names in a directory, sorted, so that errors come in the same order on every file system.
  fileprivate func sortedNames() throws(UpgradeError) -> [[UInt8]] {
    do {
      return try System.names(in: self).sorted { $0.lexicographicallyPrecedes($1) }
    } catch {
      let isMissing = error.isNotThere || error.isNotADirectory
      throw isMissing ? .missingDirectory(shown) : UpgradeError(error, at: self)
    }
  }
}

/// A script of another tool: `1_words.sql`, `V1_2__words.sql`, `1_words.up.sql` or
/// `1_words/up.sql`.
struct ToolScript {
  let path: Path
  /// The path below the directory of the tool, for a message.
  let from: String
  /// The ending of the name, or `/` for a directory with the script in it.
  let ending: String
  /// The parts of `0012`, `1.4.2`, or a date such as `2018-01-14-171611`, compared as numbers.
  ///
  /// Each has any number of digits, and no zeros in front; zero has no parts.
  let number: [Substring]
  /// The name after the number.
  let words: Substring

  /// The ending, and the digits of a time stamp, which some tools sort as text.
  var style: String {
    let isTimeStamp = number.count == 1 && number[0].count >= 8
    return isTimeStamp ? "\(number[0].count)\(ending)" : ending
  }

  /// The number that a name begins with, and the rest of the name; nil if there is no number.
  ///
  /// Digits and separators are parts of it up to the last separator, or to the end of the name.
  static func parts(of name: Substring) -> (number: [Substring], words: Substring)? {
    let isDigit = { (character: Character) in character.isASCII && character.isNumber }
    let name = name.first == "V" || name.first == "v" ? name.dropFirst() : name
    var head = name.prefix { isDigit($0) || "_-. ".contains($0) }
    if head.endIndex < name.endIndex {
      while let last = head.last, isDigit(last) { head.removeLast() }
    }
    guard let first = head.first, isDigit(first) else { return nil }
    var number = head.split { !isDigit($0) }.map { $0.drop { $0 == "0" } }
    while number.last?.isEmpty == true { number.removeLast() }
    return (number, name[head.endIndex...])
  }
}

/// The text of a script of another tool, as it becomes a script of Uplift.
extension ToolScript {
  private enum Meaning { case runs, runsAlone, undoes }

  /// What the comments mean that divide a file, or tell a tool how to run it: goose, sql-migrate,
  /// dbmate, sqlx.
  private static let meanings: [String: Meaning] = [
    "+goose up": .runs, "+goose down": .undoes, "+goose no transaction": .runsAlone,
    "+goose statementbegin": .runs, "+goose statementend": .runs,
    "+migrate up": .runs, "+migrate up notransaction": .runsAlone,
    "+migrate statementbegin": .runs, "+migrate statementend": .runs,
    "+migrate down": .undoes, "+migrate down notransaction": .undoes,
    "migrate:up": .runs, "migrate:up transaction:true": .runs,
    "migrate:up transaction:false": .runsAlone,
    "migrate:down": .undoes, "migrate:down transaction:true": .undoes,
    "migrate:down transaction:false": .undoes,
    "no-transaction": .runsAlone,
  ]

  /// The SQL as it is, byte for byte; a directive may be put in front.
  ///
  /// If the file has a section that undoes the one above, the text ends before that section.
  func newText() throws(UpgradeError) -> [UInt8] {
    let original = try Script.text(of: path)
    let start = original.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    let (end, isAlone) = try section(of: original[start...])
    let text = original[..<end]
    try Script.check(Array(text), file: path.shown)
    guard isAlone, Self.changesNoValue(text[start...]) else { return Array(text) }
    return Array(text[..<start] + "-- uplift: no-transaction\n".utf8 + text[start...])
  }

  /// The offset at which the section to run ends; `isAlone` if the tool uses no transaction for it.
  ///
  /// A mark is a comment whose first word is that of a tool.
  private func section(
    of text: ArraySlice<UInt8>
  ) throws(UpgradeError) -> (end: Int, isAlone: Bool) {
    let tools = Set(Self.meanings.keys.map { $0.prefix { $0 != " " } })
    var isAlone = false
    for (number, line) in zip(1..., text.split(separator: 0x0a, omittingEmptySubsequences: false)) {
      let comment = line.drop { $0 == 0x20 || $0 == 0x09 }
      guard comment.starts(with: "--".utf8) else { continue }
      let words = String(decoding: comment.dropFirst(2), as: UTF8.self).lowercased()
        .split(whereSeparator: \.isWhitespace)
      guard let first = words.first, tools.contains(first) else { continue }
      switch Self.meanings[words.joined(separator: " ")] {
      case .runs: break
      case .runsAlone: isAlone = true
      case .undoes: return (line.startIndex, isAlone)
      case nil:
        let shown = String(decoding: comment.prefix { $0 != 0x0d }, as: UTF8.self)
        throw UpgradeError(
          .scripts, "\(shown.quoted) is a mark that means nothing to Uplift",
          fix: "do in the text what the mark asks for, then remove the mark",
          at: UpgradeError.Place(
            file: path.shown, line: number, column: comment.startIndex - line.startIndex + 1))
      }
    }
    return (text.endIndex, isAlone)
  }

  /// True if the text holds nothing but pragmas and `VACUUM`, so that it may run twice.
  private static func changesNoValue(_ text: ArraySlice<UInt8>) -> Bool {
    let statements = SQLWords(Array(text)).words.split { $0.isKeyword(";") }
    return !statements.isEmpty
      && statements.allSatisfy { statement in
        ["pragma", "vacuum"].contains { statement.first?.isKeyword($0) == true }
      }
  }
}
