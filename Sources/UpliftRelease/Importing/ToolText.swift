internal import Uplift
internal import UpliftSystem

/// The text of a script of another tool, as it becomes a script of Uplift.
///
/// The SQL stays as it is, byte for byte. Only Play's `#` comments become SQL comments, and a
/// directive or a comment may be put in front. If the file has a section that undoes the one above,
/// the text ends before that section; a file such as `1_words.up.sql` has no sections.
struct ToolText {
  let bytes: [UInt8]
  /// True if the tool runs scripts in the order of their file names, compared as text.
  let isSortedByName: Bool

  /// Reads the file and checks what will be written; errors name the place in the file.
  init(of script: ToolScript) throws(ReleaseError) {
    let path = script.path
    let original = try translatingUpgradeError { () throws(UpgradeError) in
      try Script.text(of: path)
    }
    let marks = ToolMarks(original)
    try Self.check(marks, original, path)
    // Tools with a file for each direction divide no file.
    let down = script.layout == .file ? marks.first(.down)?.line : nil
    let text = Array(original[..<(down ?? original.count)])
    let head = marks.tool == .play ? marks.first(.up)?.line : nil
    // Blanks instead of comments leave every other byte where it is.
    let checked = head.map { Self.replacingHashes(in: text, through: $0, byBlanks: true) } ?? text
    if let up = marks.first(.up), marks.needsUp,
      let statement = Self.firstStatement(checked, before: up.line)
    {
      throw .importing(path, original, at: statement, .statementAboveSection)
    }
    try Self.check(checked, of: marks, in: script)
    isSortedByName = marks.tool == .dbmate
    let isEmpty = try Self.isEmpty(checked, path)
    let kept = head.map { Self.replacingHashes(in: text, through: $0, byBlanks: false) } ?? text
    var notes = marks.runsAlone || script.runsAlone ? "-- uplift: no-transaction\n" : ""
    if isEmpty { notes += "-- nothing in \(script.from.oneLine)\n" }
    let start = kept.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    bytes = kept[..<start] + Array(notes.utf8) + kept[start...]
  }

  private static func check(
    _ marks: ToolMarks, _ text: [UInt8], _ path: Path
  ) throws(ReleaseError) {
    if let place = marks.upBelowDown {
      throw .importing(path, text, at: place.comment, .sectionBelowDown)
    }
    if marks.needsUp, marks.first(.up) == nil {
      throw .importing(path, text, at: marks.first?.comment ?? 0, .noUpSection)
    }
    if let place = marks.unknown {
      let line = text[place.comment...].prefix { $0 != 0x0a && $0 != 0x0d }
      throw .importing(
        path, text, at: place.comment, .unknownMark(String(decoding: line, as: UTF8.self)))
    }
  }

  /// Refuses what the other tool replaces before SQLite sees the text.
  private static func check(
    _ text: [UInt8], of marks: ToolMarks, in script: ToolScript
  ) throws(ReleaseError) {
    if script.name.style == .flyway || marks.tool == .myBatis,
      let offset = firstIndex(of: "${", in: text)
    {
      throw .importing(script.path, text, at: offset, .placeholder)
    }
    if marks.tool == .play, let offset = firstIndex(of: ";;", in: text) {
      throw .importing(script.path, text, at: offset, .doubledSemicolon)
    }
  }

  /// Checks the text in the same way as the text of a script; true if it has neither a statement
  /// nor a comment.
  private static func isEmpty(_ text: [UInt8], _ path: Path) throws(ReleaseError) -> Bool {
    do {
      try Script.check(text, file: path.shown)
      return false
    } catch .scriptText(let wrong) where wrong.problem == .noStatement {
      return true
    } catch {
      throw .upgrade(error)
    }
  }

  private static func firstIndex(of pair: String, in text: [UInt8]) -> Int? {
    text.indices.first { text[$0...].starts(with: pair.utf8) }
  }

  /// Replaces Play's comments (`#`) above a mark by SQL comments or blanks.
  private static func replacingHashes(
    in text: [UInt8], through mark: Int, byBlanks: Bool
  ) -> [UInt8] {
    var result: [UInt8] = []
    var line = 0
    while line < text.count {
      let end = text[line...].firstIndex(of: 0x0a).map { $0 + 1 } ?? text.count
      let bytes = text[line..<end]
      let isHash = line <= mark && bytes.first { $0 > 0x20 } == UInt8(ascii: "#")
      if isHash, byBlanks {
        result += bytes.map { $0 < 0x20 ? $0 : 0x20 }
      } else if isHash {
        result += Array("--".utf8) + bytes.drop { $0 <= 0x20 }.dropFirst()
      } else {
        result += bytes
      }
      line = end
    }
    return result
  }

  /// The offset of the first statement that begins before an offset.
  private static func firstStatement(_ text: [UInt8], before end: Int) -> Int? {
    text.withUnsafeBufferPointer { head in
      var reader = TokenReader(head, from: text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
      while let (token, range) = reader.nextIfReadable(), range.lowerBound < end {
        if ![.lineComment, .blockComment, .semicolon].contains(token) { return range.lowerBound }
      }
      return nil
    }
  }
}

extension String {
  /// The text with a `_` for each control character, so that it stays in one line.
  fileprivate var oneLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) ? "_" : $0 }))
  }
}

extension ReleaseError {
  /// The error at an offset of a file.
  fileprivate static func importing(
    _ path: Path, _ text: [UInt8], at offset: Int, _ problem: ImportProblem
  ) -> ReleaseError {
    let head = text[..<Swift.min(offset, text.count)]
    let line = head.count { $0 == 0x0a } + 1
    let start = head.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    let column = head[start...].count { $0 & 0xc0 != 0x80 } + 1
    return .importing(file: path.shown, line: line, column: column, problem)
  }
}
