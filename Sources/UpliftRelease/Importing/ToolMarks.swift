internal import Uplift

/// The marks of a file, line by line, as the other tools find them.
struct ToolMarks {
  struct Place {
    let mark: ToolMark
    /// The offset of the mark's line.
    let line: Int
    /// The offset of the comment.
    let comment: Int
  }

  /// The tool whose marks count; nil if no mark counts.
  let tool: ToolMark.Tool?
  /// The marks of this tool.
  private let places: [Place]
  /// True if the first line is `-- no-transaction`, as sqlx wants it.
  private let startsAlone: Bool

  init(_ text: [UInt8]) {
    let all = text.withUnsafeBufferPointer { Self.all(in: $0) }
    // `-- Up` and `-- Down` may be ordinary comments beside the marks of a tool.
    let named = all.first { $0.mark.tool != .unnamed }?.mark.tool
    let isPair =
      all.contains { $0.mark.kind == .up } && all.contains { $0.mark.kind != .up }
    let tool = named ?? (isPair ? .unnamed : nil)
    self.tool = tool
    places = all.filter { $0.mark.tool == tool }
    let first = text.prefix { $0 != 0x0a }.filter { $0 > 0x20 }
    startsAlone = first.elementsEqual("--no-transaction".utf8)
  }

  private static func all(in text: UnsafeBufferPointer<UInt8>) -> [Place] {
    var places: [Place] = []
    var line = 0
    while line < text.count {
      let end = text[line...].firstIndex(of: 0x0a) ?? text.count
      let start = line == 0 && text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : line
      let shown = text[start..<end].drop { $0 == 0x20 || $0 == 0x09 }
      let isPlay = shown.first == UInt8(ascii: "#")
      if isPlay || shown.starts(with: "--".utf8),
        let mark = ToolMark(shown.dropFirst(isPlay ? 1 : 2)), !isPlay || mark.tool == .play
      {
        places.append(Place(mark: mark, line: line, comment: shown.startIndex))
      }
      line = end + 1
    }
    return places
  }

  /// The first mark of a section.
  func first(_ kind: ToolMark.Kind) -> Place? { places.first { $0.mark.kind == kind } }

  /// The first mark of all.
  var first: Place? { places.first }

  /// A mark of the section that goes up, below one that goes down.
  var upBelowDown: Place? {
    guard let down = first(.down) else { return nil }
    return places.first { $0.mark.kind == .up && $0.line > down.line }
  }

  /// A mark above the section that goes down, with words that mean nothing to Uplift.
  var unknown: Place? {
    let end = first(.down)?.line ?? .max
    return places.first { $0.mark.meaning == .unknown && $0.line < end }
  }

  /// True if the tool runs the file without a transaction.
  var runsAlone: Bool { startsAlone || places.contains { $0.mark.meaning == .runsAlone } }

  /// True if the tool ignores or refuses what is above the first mark.
  var needsUp: Bool { tool != nil && tool != .unnamed && tool != .myBatis }
}
