extension UpgradeError {
  /// The reason why a script's text is refused before the first script runs.
  @nonexhaustive
  public enum TextProblem: Hashable, Sendable {
    /// The text has bytes that are not UTF-8; save it as UTF-8.
    case notUTF8
    /// The text is UTF-16, as some editors save it; save it as UTF-8.
    case utf16
    /// The text has a zero byte, at which SQLite would stop reading; remove it.
    case zeroByte
    /// A carriage return is not followed by a line feed; save the text with LF or CRLF line ends.
    case loneCarriageReturn
    /// A comment that begins here has no `*/`; the file may be cut short.
    case unterminatedComment
    /// A string that begins here has no closing quote; the file may be cut short.
    case unterminatedString
    /// A quoted name that begins here has no closing quote; the file may be cut short.
    case unterminatedIdentifier
    /// A `CREATE TRIGGER` that begins here has no `END;`, so the file may be cut short.
    case unterminatedTrigger
    /// There is neither a statement nor a comment.
    ///
    /// Remove the file, or write in a comment why the script is empty.
    case noStatement
    /// The script has the line `-- uplift: unfinished`; write the script, then remove the line.
    case unfinished
    /// A statement, with the comments before it, has more than 2147483647 bytes; divide the script.
    ///
    /// SQLite counts no further.
    case statementTooLong
    /// There is not enough memory for the script's bytes; divide the script.
    case tooLarge(bytes: Int64)
    /// A statement is a command of the sqlite3 shell, for example `.import`; write it in SQL.
    case dotCommand(String)
    /// No directive has these words after `-- uplift:`.
    ///
    /// The directives are `no-transaction`, `reads-seed` and `unfinished`.
    case unknownDirective(String)
    /// A directive follows a statement; put it at the top.
    case lateDirective
    /// A script has both the directive `no-transaction` and the directive `reads-seed`; remove one.
    ///
    /// A script that reads the seed is committed together with its version.
    case conflictingDirectives
    /// SQLite cannot prepare a statement of a `no-transaction` script; these are its words.
    case notPrepared(String)
    /// A `no-transaction` script has another statement than `VACUUM` and the pragmas for it: move it
    /// into a script without the directive, or remove it.
    case refused(Refused)
    /// The script reads the seed, and there is no seed; name a seed.
    case noSeed
    /// The number of a script that reads the seed is not the seed's version.
    ///
    /// Release the script with the seed that it was written for: `uplift bake --content` gives both
    /// the same number.
    case otherSeed(OtherSeed)
    /// This comment begins a section of another tool's file.
    ///
    /// The section undoes the statements above it. Leave it out, because Uplift only goes forward.
    /// If the comment has another meaning, change it.
    case downSection(String)
    /// The name belongs to a directory, a pipe, a socket or a device; remove or rename it.
    case notAFile
    /// The file was removed after its directory was listed.
    ///
    /// Ship the file, or start again when the deployment is complete.
    case notThere
    /// The file changed while it was read; start again when the deployment is complete.
    case changed

    /// A script that reads the seed, and a seed of another version.
    public struct OtherSeed: Hashable, Sendable {
      /// The number of the script.
      public let script: Version
      /// The version of the seed.
      public let seed: Version
    }
  }
}

/// The problem, made from its facts.
extension UpgradeError.TextProblem {
  package static func otherSeed(script: Version, seed: Version) -> UpgradeError.TextProblem {
    .otherSeed(OtherSeed(script: script, seed: seed))
  }
}
