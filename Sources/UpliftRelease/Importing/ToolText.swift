internal import Uplift
internal import UpliftSystem

/// The text of a script of another tool, as it becomes a script of Uplift.
///
/// The SQL stays as it is, byte for byte; a directive or a comment may be put in front. If the file
/// has a section that undoes the one above, the text ends before that section; a file such as
/// `1_words.up.sql` has no sections.
struct ToolText {
  let bytes: [UInt8]
  /// True for dbmate, which runs scripts in the order of their file names, compared as text.
  let isSortedByName: Bool

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

  /// A comment whose first word is that of a tool; one that `marks` does not have means something
  /// to that tool.
  private struct Mark {
    let words: String
    /// The offset of the line.
    let line: Int
    /// The offset of the comment.
    let comment: Int
    var meaning: Meaning? { marks[words] }
    var isUp: Bool { meaning == .up || meaning == .upAlone }
  }

  /// Reads the file and checks what will be written; errors name the place in the file.
  init(of script: ToolScript) throws(UpgradeError) {
    let path = script.path
    let original = try Script.text(of: path)
    func refused(at offset: Int, _ problem: String, fix: String) -> UpgradeError {
      .notImported(path, original, at: offset, problem, fix: fix)
    }
    // Tools with a file for each direction divide no file.
    let all = script.style.layout == .file ? Self.marks(in: original) : []
    let down = all.firstIndex { $0.meaning == .down }
    let marks = all[..<(down ?? all.count)]
    if let late = all[marks.count...].first(where: \.isUp) {
      throw refused(
        at: late.comment, "statements to run stand below the section that undoes them",
        fix: "put all that is to run above the section that undoes it")
    }
    if let unknown = marks.first(where: { $0.meaning == nil }) {
      let line = original[unknown.comment...].prefix { $0 != 0x0a && $0 != 0x0d }
      throw refused(
        at: unknown.comment,
        "\(String(decoding: line, as: UTF8.self).quoted) has words that mean nothing to Uplift",
        fix: "do in the text what the mark asks for, then remove the mark")
    }
    let text = Array(original[..<(down.map { all[$0].line } ?? original.count)])
    if let first = all.first {
      guard let up = marks.first(where: \.isUp) else {
        throw refused(
          at: first.comment,
          "the file has marks of another tool, and none says where its statements begin",
          fix: "put the mark above the statements that are to run, as in -- +goose Up or "
            + "-- migrate:up")
      }
      if let early = Self.statements(in: text).first, early.offset < up.line {
        throw refused(
          at: early.offset, "a statement above the section to run",
          fix: "move it into the section, or remove it if the tool never ran it")
      }
    }
    if script.style.isFlyway, let offset = text.firstRange(of: "${".utf8)?.lowerBound {
      throw refused(
        at: offset, "\("${".quoted) begins a text that the other tool replaces",
        fix: "write what the tool put in its place")
    }
    var notes = ""
    do throws(UpgradeError) {
      try Script.check(text, file: path.shown)
    } catch {
      guard error.message == Script.holdsNothing else { throw error }
      notes = "-- nothing in \(script.from.filter { !$0.isNewline })\n"
    }
    // sqlx wants it in the first line.
    let first = text.prefix { $0 != 0x0a }.filter { $0 > 0x20 }
    let isAlone =
      first.elementsEqual("--no-transaction".utf8)
      || marks.contains { $0.meaning == .alone || $0.meaning == .upAlone }
    let words = Self.statements(in: text).map(\.word)
    if isAlone, !words.isEmpty, words.allSatisfy({ $0 == "vacuum" || $0 == "pragma" }) {
      notes = "-- uplift: no-transaction\n"
    }
    let start = Self.start(of: text)
    bytes = text[..<start] + Array(notes.utf8) + text[start...]
    isSortedByName = all.first?.words.hasPrefix("migrate:") == true
  }

  /// The marks, line by line, as the tools find them.
  private static func marks(in text: [UInt8]) -> [Mark] {
    var marks: [Mark] = []
    var line = 0
    while line < text.count {
      let end = text[line...].firstIndex(of: 0x0a) ?? text.count
      let shown = text[(line == 0 ? start(of: text) : line)..<end]
        .drop { $0 == 0x20 || $0 == 0x09 }
      // A comment may be very long; a mark never is.
      if shown.starts(with: "--".utf8), shown.count < 200 {
        let words = String(decoding: shown.dropFirst(2), as: UTF8.self).lowercased()
          .split(whereSeparator: \.isWhitespace)
        if let first = words.first,
          ["+goose", "+migrate", "migrate:up", "migrate:down"].contains(first)
        {
          marks.append(
            Mark(words: words.joined(separator: " "), line: line, comment: shown.startIndex))
        }
      }
      line = end + 1
    }
    return marks
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

  /// The error at an offset of a file.
  fileprivate static func notImported(
    _ path: Path, _ text: [UInt8], at offset: Int, _ problem: String, fix: String
  ) -> Self {
    let head = text[..<offset]
    let line = head.count { $0 == 0x0a } + 1
    let start = head.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    let column = head[start...].count { $0 & 0xc0 != 0x80 } + 1
    return UpgradeError(
      .scripts, problem, fix: fix, at: Place(file: path.shown, line: line, column: column))
  }
}
