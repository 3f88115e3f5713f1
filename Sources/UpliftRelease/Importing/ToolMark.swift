internal import Uplift

/// A comment that tells another tool where to divide a file, or how to run it.
struct ToolMark {
  enum Tool: Hashable {
    case goose, micrate, sqlMigrate, dbmate, rambler, myBatis, play
    /// `-- Up` and `-- Down`, as Node's sqlite has them.
    case unnamed
  }

  enum Kind: Hashable { case up, down, option }

  let tool: Tool
  let kind: Kind
  /// The words after the mark, in lower case.
  let options: [String]

  /// Nil for any other comment.
  init?(_ comment: UnsafeBufferPointer<UInt8>.SubSequence) {
    // A comment may be very long; a mark never is.
    guard comment.count < 200 else { return nil }
    let text = String(decoding: comment, as: UTF8.self).lowercased()
    let words = text.utf8.drop { " \t-=".utf8.contains($0) }
      .split { " \t\r".utf8.contains($0) }.map { String($0) ?? "" }
    guard let first = words.first else { return nil }
    let isDown = DownSection(comment) != nil || Self.isDown(words)
    let tool = Self.tool(first) ?? (isDown ? .unnamed : nil)
    switch (tool, words.dropFirst().first) {
    case (let tool?, _) where isDown: self.init(tool, .down, [])
    case (.goose, "up"), (.micrate, "up"), (.sqlMigrate, "up"):
      self.init(tool ?? .goose, .up, words.dropFirst(2))
    case (.goose, _), (.micrate, _), (.sqlMigrate, _):
      self.init(tool ?? .goose, .option, words.dropFirst())
    case (.dbmate, _):
      self.init(.dbmate, first == "migrate:up" ? .up : .option, words.dropFirst())
    case (.rambler, "up") where words.count == 2: self.init(.rambler, .up, [])
    case (.play, _) where first == "!ups": self.init(.play, .up, [])
    case (nil, _) where Self.isUnnamedUp(words): self.init(.unnamed, .up, [])
    // Node's sqlite divides a file at `-- Down, if need be`, too.
    case (nil, _) where first.prefix(while: \.isLetter) == "down":
      self.init(.unnamed, .option, words.dropFirst())
    default: return nil
    }
  }

  private init(_ tool: Tool, _ kind: Kind, _ options: ArraySlice<String>) {
    (self.tool, self.kind, self.options) = (tool, kind, Array(options))
  }

  private static func tool(_ word: String) -> Tool? {
    switch word {
    case "+goose": .goose
    case "+micrate": .micrate
    case "+migrate": .sqlMigrate
    case "migrate:up", "migrate:down": .dbmate
    case "rambler": .rambler
    case "//@undo", "//": .myBatis
    case "!ups", "!downs": .play
    default: nil
    }
  }

  private static func isDown(_ words: [String]) -> Bool {
    let plain = words.map { $0.filter { !":=-[]@".contains($0) } }.filter { !$0.isEmpty }
    switch (words.first, words.dropFirst().first) {
    case ("+micrate", "down"), ("//@undo", _), ("//", "@undo"), ("!downs", _): return true
    case ("rambler", "down"): return words.count == 2
    default: return plain == ["down"] || plain == ["down", "migration"]
    }
  }

  private static func isUnnamedUp(_ words: [String]) -> Bool {
    let plain = words.map { $0.filter { !":=-".contains($0) } }.filter { !$0.isEmpty }
    return plain == ["up"] || plain == ["up", "migration"]
  }
}

extension ToolMark {
  /// The meaning of the words after a mark.
  enum Meaning: Hashable { case nothing, runsAlone, unknown }

  var meaning: Meaning {
    switch (tool, kind, options.joined(separator: " ")) {
    case (_, .down, _), (_, .up, ""): .nothing
    case (.goose, .option, "statementbegin"), (.goose, .option, "statementend"),
      (.goose, .option, "envsub off"), (.micrate, .option, "statementbegin"),
      (.micrate, .option, "statementend"), (.sqlMigrate, .option, "statementbegin"),
      (.sqlMigrate, .option, "statementend"), (.dbmate, .up, "transaction:true"):
      .nothing
    case (.goose, .option, "no transaction"), (.sqlMigrate, .up, "notransaction"),
      (.dbmate, .up, "transaction:false"):
      .runsAlone
    default: .unknown
    }
  }
}
