internal import UpliftSystem

/// A script of another tool.
struct ToolScript {
  /// How the tool lays out its files.
  enum Layout: Hashable {
    /// `1_words.sql`
    case file
    /// `1_words.up.sql`, as a rule with `1_words.down.sql` beside it
    case pair
    /// `1_words/up.sql` or `1_words/migration.sql`
    case directory
  }

  let name: ToolName
  let layout: Layout
  let path: Path
  /// The path below the directory of the tool, for a message.
  let from: String
  /// True if a file beside the script says that it runs without a transaction.
  let runsAlone: Bool
}
