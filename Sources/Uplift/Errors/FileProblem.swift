extension UpgradeError {
  /// The reason why a file is not a database that can be used or copied.
  @nonexhaustive
  public enum FileProblem: Hashable, Sendable {
    /// The file has no bytes.
    case empty
    /// The file does not begin as a database does.
    ///
    /// `kind` names the kind of file that it is instead, for example `a gzip file`; nil if it is
    /// unknown.
    case notADatabase(kind: String?)
    /// The size of the file is not the one that its header says: it was cut short, or has grown.
    case truncated(Truncated)
    /// There is a journal or a log beside the seed, and it holds a part of the seed's content.
    ///
    /// Close the program that has the seed open, or make a new seed with `VACUUM INTO`.
    case journalBeside(String)
    /// The content is damaged; `words` say how, and may be SQLite's.
    case malformed(words: String)
    /// The path names a directory, a pipe, a socket or a device.
    case notAFile
    /// The seed has another text encoding than the database, and a script is to read the seed.
    ///
    /// SQLite cannot use both on one connection.
    case otherEncoding(OtherEncoding)
    /// The seed changed while it was used; start again when the deployment is complete.
    case changed

    /// A file whose size is not the one that its header says.
    public struct Truncated: Hashable, Sendable {
      /// The size of the file.
      public let bytes: Int64
      /// The size that it should have.
      public let expected: Int64
    }
  }
}

extension UpgradeError.FileProblem {
  /// The text encodings of the seed and of the database, as SQLite names them: `UTF-16le`.
  public struct OtherEncoding: Hashable, Sendable {
    public let seed: String
    public let database: String
  }
}

/// The problem, made from its facts.
extension UpgradeError.FileProblem {
  package static func truncated(bytes: Int64, expected: Int64) -> UpgradeError.FileProblem {
    .truncated(Truncated(bytes: bytes, expected: expected))
  }

  package static func otherEncoding(seed: String, database: String) -> UpgradeError.FileProblem {
    .otherEncoding(OtherEncoding(seed: seed, database: database))
  }
}

extension UpgradeError.FileProblem {
  /// True if SQLite cannot read the text of the schema, which may be that of a newer SQLite.
  var isUnreadableSchema: Bool {
    guard case .malformed(let words) = self else { return false }
    return words.hasPrefix("malformed database schema")
  }
}
