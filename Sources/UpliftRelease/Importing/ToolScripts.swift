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

  init(in path: Path) throws(UpgradeError) {
    for name in try Self.names(in: path) { try add(path.appending(name), name) }
    all.sort { ($0.number, $0.from) < ($1.number, $1.from) }
    refuseUnclearOrder()
  }

  private mutating func add(_ path: Path, _ name: [UInt8]) throws(UpgradeError) {
    let shown = String(decoding: name, as: UTF8.self)
    let number = ToolScript.Number.read(Substring(shown))
    // Flyway's `U2__words` undoes `V2__words`.
    let isUndo = shown.hasPrefix("U") && ToolScript.Number.read("V" + shown.dropFirst()) != nil
    if shown.hasPrefix(".") || ScriptName.isForGoingDown(name) || isUndo {
      passedOver.append(shown)
    } else if let end = [".up.db.sql", ".up.sql", ".sql"].first(where: {
      shown.count > $0.count && shown.lowercased().hasSuffix($0)
    }) {
      add(path, shown, shown.dropLast(end.count), end == ".sql" ? .file : .pair)
    } else if try NewFile.facts(path)?.kind == .directory {
      try addDirectory(path, shown, isNumbered: number != nil)
    } else if number != nil {
      refuse(
        path, "has the number of a step and is not a script in SQL",
        fix: "write it in SQL under the same number, or as a step in Swift; then move it away")
    } else {
      passedOver.append(shown)
    }
  }

  /// Adds the script in a directory of its own, as Diesel, Prisma and sqlx have it.
  private mutating func addDirectory(
    _ path: Path, _ shown: String, isNumbered: Bool
  ) throws(UpgradeError) {
    let names = try Self.names(in: path)
    let scripts = ["up.sql", "migration.sql"].filter { names.contains(Array($0.utf8)) }
    if isNumbered, scripts.count == 1, let script = scripts.first {
      for name in names where !name.elementsEqual(script.utf8) {
        passedOver.append("\(shown)/" + String(decoding: name, as: UTF8.self))
      }
      add(path.appending(script.utf8), "\(shown)/\(script)", Substring(shown), .directory)
    } else if isNumbered {
      refuse(
        path, "is a numbered directory without exactly one of up.sql and migration.sql",
        fix: "leave one script in it, or move it away")
    } else if try hasScripts(path, names) {
      refuse(
        path, "is a directory with scripts or directories of its own",
        fix: "move its scripts into the directory above, or move it away")
    } else {
      passedOver.append(shown + "/")
    }
  }

  private func hasScripts(_ path: Path, _ names: [[UInt8]]) throws(UpgradeError) -> Bool {
    for name in names where name.first != UInt8(ascii: ".") {
      if name.suffix(4).elementsEqual(".sql".utf8) { return true }
      if try NewFile.facts(path.appending(name))?.kind == .directory { return true }
    }
    return false
  }

  private mutating func add(
    _ path: Path, _ from: String, _ name: Substring, _ layout: ToolScript.Layout
  ) {
    guard let script = ToolScript(path, from, name, layout) else {
      return refuse(
        path, "does not begin with a number, as in 1_words.sql or V1__words.sql",
        fix: "give it the number of its place in the order, or move it away")
    }
    all.append(script)
  }

  /// A tool names and places all its scripts in one way, so one of another kind is the odd one.
  private mutating func refuseUnclearOrder() {
    // Prisma puts `0_init` before its time stamps.
    let counted = all.filter { !$0.number.isZero }
    let groups = Array(Dictionary(grouping: counted.isEmpty ? all : counted, by: \.style).values)
    let usual = groups.max { ($0.count, $1[0].from) < ($1.count, $0[0].from) }?.first
    for (index, script) in all.enumerated() {
      var style = script.style
      if script.number.isZero, let usual { style.digits = usual.style.digits }
      if let usual, style != usual.style {
        refuse(
          script.path, "is numbered or placed in another way than \(usual.from.quoted)",
          fix: "name all scripts in one way, or move those of another tool away")
      } else if index > 0, script.number == all[index - 1].number {
        refuse(
          script.path, "has the same number as \(all[index - 1].from.quoted)",
          fix: "give one of them another number, or move it away")
      }
    }
  }

  private mutating func refuse(_ path: Path, _ problem: String, fix: String) {
    errors.append(.notImported(path, problem, fix: fix))
  }

  /// The names, sorted, so that errors come in the same order on every file system.
  private static func names(in path: Path) throws(UpgradeError) -> [[UInt8]] {
    do {
      return try System.names(in: path).sorted { $0.lexicographicallyPrecedes($1) }
    } catch {
      if error.isNotThere || error.isNotADirectory { throw .missingDirectory(path.shown) }
      throw error.isDenied ? .unreadable(path.shown, error.words) : UpgradeError(error, at: path)
    }
  }
}

/// A script of another tool: `1_words.sql`, `1_words.up.sql`, `V1_2__words.sql` or
/// `1_words/up.sql`.
struct ToolScript {
  enum Layout { case file, pair, directory }

  struct Style: Hashable {
    let layout: Layout
    /// Flyway's `V1_2__words`.
    let isFlyway: Bool
    /// The digits of a time stamp, which some tools sort as text; 0 for any other number.
    var digits: Int
  }

  let path: Path
  /// The path below the directory of the tool, for a message.
  let from: String
  let style: Style
  let number: Number
  /// The name after the number.
  private let rest: Substring

  /// Nil if the name, which is without its ending, does not begin with a number.
  init?(_ path: Path, _ from: String, _ name: Substring, _ layout: Layout) {
    guard let (number, rest) = Number.read(name) else { return nil }
    (self.path, self.from, self.number, self.rest) = (path, from, number, rest)
    style = Style(
      layout: layout, isFlyway: name.first?.isNumber == false, digits: number.digitsOfTimeStamp)
  }

  /// A few parts, each with any number of digits, compared as numbers: `0012`, `1.4.2`, or a date
  /// such as `2018-01-14-171611`.
  struct Number: Hashable, Comparable {
    /// Without zeros in front, so that zero is empty.
    private let parts: [Substring]

    /// The number that a name begins with, and the rest of the name.
    ///
    /// Digits and separators are parts of it up to the last separator, or to the end of the name.
    static func read(_ name: Substring) -> (Number, rest: Substring)? {
      let name = name.first == "V" || name.first == "v" ? name.dropFirst() : name
      var head = name.prefix { isDigit($0) || "_-. ".contains($0) }
      if head.endIndex < name.endIndex {
        while let last = head.last, isDigit(last) { head.removeLast() }
      }
      guard let first = head.first, isDigit(first) else { return nil }
      var parts = head.split { !isDigit($0) }.map { $0.drop { $0 == "0" } }
      while parts.last?.isEmpty == true { parts.removeLast() }
      return (Number(parts: parts), name[head.endIndex...])
    }

    private static func isDigit(_ character: Character) -> Bool {
      character.isASCII && character.isNumber
    }

    static func < (one: Number, other: Number) -> Bool {
      for (left, right) in zip(one.parts, other.parts) where left != right {
        return left.count != right.count ? left.count < right.count : left < right
      }
      return one.parts.count < other.parts.count
    }

    var isZero: Bool { parts.isEmpty }

    var digitsOfTimeStamp: Int { parts.count == 1 && parts[0].count >= 8 ? parts[0].count : 0 }
  }

  /// The words after the number, with one `_` for each run of other characters.
  func newName(_ version: Version) -> String {
    let digits = String(version.number)
    let number = String(repeating: "0", count: max(4 - digits.utf8.count, 0)) + digits
    var words = rest.split { !$0.isLetter && !$0.isNumber }.joined(separator: "_")
    // The name of a file has at most 255 bytes.
    while words.utf8.count > 150 { words.removeLast() }
    return number + (words.isEmpty ? "" : "_" + words) + ".sql"
  }
}

/// The text of a script of another tool, as it becomes a script of Uplift.
extension ToolScript {
  private enum Meaning { case up, upAlone, down, alone, nothing }

  /// What the comments mean that divide a file, or tell a tool how to run it.
  private static let marks: [String: Meaning] = [
    // goose
    "+goose up": .up, "+goose down": .down, "+goose no transaction": .alone,
    "+goose statementbegin": .nothing, "+goose statementend": .nothing,
    "+goose envsub off": .nothing,
    // sql-migrate
    "+migrate up": .up, "+migrate up notransaction": .upAlone,
    "+migrate down": .down, "+migrate down notransaction": .down,
    "+migrate statementbegin": .nothing, "+migrate statementend": .nothing,
    // dbmate
    "migrate:up": .up, "migrate:up transaction:true": .up,
    "migrate:up transaction:false": .upAlone,
    "migrate:down": .down, "migrate:down transaction:true": .down,
    "migrate:down transaction:false": .down,
  ]

  /// The SQL as it is, byte for byte; a directive or a comment may be put in front.
  ///
  /// If the file has a section that undoes the one above, the text ends before that section.
  func newText() throws(UpgradeError) -> [UInt8] {
    let original = try Script.text(of: path)
    // Tools with a file for each direction divide no file.
    let marks = style.layout == .file ? Self.marks(in: original) : []
    let end = marks.first { $0.meaning == .down }?.line ?? original.count
    let text = Array(original[..<end])
    let statements = Self.statements(in: text)
    if let odd = Self.oddMark(in: marks) {
      throw refused(
        at: odd.comment, of: original,
        "\(odd.shown.quoted) is a mark that means nothing to Uplift here",
        fix: "do in the text what the mark asks for, then remove the mark")
    }
    let up = marks.first { $0.meaning == .up || $0.meaning == .upAlone }
    if let up, let early = statements.first, early.offset < up.line {
      throw refused(
        at: early.offset, of: original, "a statement above the section to run",
        fix: "move it into the section, or remove it if the tool never ran it")
    }
    if style.isFlyway, let offset = text.firstRange(of: "${".utf8)?.lowerBound {
      throw refused(
        at: offset, of: original, "\("${".quoted) begins a text that the other tool replaces",
        fix: "write what the tool put in its place")
    }
    let start = Self.start(of: text)
    let words = statements.map(\.word)
    // sqlx wants its mark in the first line.
    let isAlone =
      text[start...].starts(with: "-- no-transaction".utf8)
      || marks.contains { $0.line < end && ($0.meaning == .alone || $0.meaning == .upAlone) }
    var note = ""
    if isAlone, !words.isEmpty, words.allSatisfy({ $0 == "vacuum" || $0 == "pragma" }) {
      note = "-- uplift: no-transaction\n"
    }
    do throws(UpgradeError) {
      try Script.check(text, file: path.shown)
    } catch {
      guard error.message == Script.holdsNothing else { throw error }
      note = "-- nothing in \(from.filter { !$0.isNewline })\n"
    }
    return text[..<start] + Array(note.utf8) + text[start...]
  }

  /// The error at an offset of the file.
  private func refused(
    at offset: Int, of text: [UInt8], _ problem: String, fix: String
  ) -> UpgradeError {
    let head = text[..<offset]
    let start = head.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    return UpgradeError(
      .scripts, problem, fix: fix,
      at: UpgradeError.Place(
        file: path.shown, line: head.count { $0 == 0x0a } + 1,
        column: head[start...].count { $0 & 0xc0 != 0x80 } + 1))
  }

  /// The first mark that must not stand where it does; nil if there is one section to run, and then
  /// perhaps one that undoes it.
  private static func oddMark(in marks: [Mark]) -> Mark? {
    var (hasUp, isDown) = (false, false)
    for mark in marks {
      switch mark.meaning {
      case .up where hasUp, .upAlone where hasUp, .down where !hasUp: return mark
      case .up, .upAlone: hasUp = true
      case .down: isDown = true
      case nil where !isDown: return mark
      default: continue
      }
    }
    return hasUp ? nil : marks.first
  }

  /// A comment whose first word is that of a tool; one without a meaning asks for something that
  /// Uplift does not know.
  private struct Mark {
    let meaning: Meaning?
    let shown: String
    /// The offset of the line.
    let line: Int
    /// The offset of the comment.
    let comment: Int
  }

  /// The marks, line by line, as the tools find them.
  private static func marks(in text: [UInt8]) -> [Mark] {
    let tools = ["+goose", "+migrate", "migrate:up", "migrate:down"]
    return text[start(of: text)...].split(separator: 0x0a).compactMap { line in
      let comment = line.drop { $0 == 0x20 || $0 == 0x09 }
      // A comment may be very long; a mark never is.
      guard comment.starts(with: "--".utf8), comment.count < 200 else { return nil }
      let words = String(decoding: comment.dropFirst(2), as: UTF8.self).lowercased()
        .split(whereSeparator: \.isWhitespace)
      guard let first = words.first, tools.contains(String(first)) else { return nil }
      let shown = String(decoding: comment.prefix { $0 != 0x0d }, as: UTF8.self)
      return Mark(
        meaning: marks[words.joined(separator: " ")], shown: shown, line: line.startIndex,
        comment: comment.startIndex)
    }
  }

  /// The first word of each statement, in lower case, and its offset.
  private static func statements(in text: [UInt8]) -> [(word: String, offset: Int)] {
    var statements: [(word: String, offset: Int)] = []
    // A search may read sixteen bytes after the text.
    (text + [UInt8](repeating: 0, count: 16)).withUnsafeBufferPointer { padded in
      let text = UnsafeBufferPointer(rebasing: padded[..<text.count])
      var reader = TokenReader(text, from: start(of: text))
      var isFirst = true
      while let (token, range) = reader.nextIfReadable() {
        if token == .lineComment || token == .blockComment { continue }
        if isFirst, token != .semicolon {
          let word = String(decoding: text[range], as: UTF8.self).lowercased()
          statements.append((word, range.lowerBound))
        }
        isFirst = token == .semicolon
      }
    }
    return statements
  }

  /// The offset after a byte-order mark.
  private static func start(of text: some Collection<UInt8>) -> Int {
    text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
  }
}

extension UpgradeError {
  /// The error for a file or directory that cannot become a script.
  static func notImported(_ path: Path, _ problem: String, fix: String) -> Self {
    UpgradeError(.scripts, "\(path.shown.quoted) \(problem)", fix: fix)
  }
}
