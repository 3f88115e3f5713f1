/// Why an upgrade did not reach its target.
///
/// A program needs the ``kind`` and the ``exitCode``; people need `description`, which is one clause,
/// and the ``remedy``, which is one line. An upgrade that fails leaves the database as it was, or at
/// the last script that succeeded. Only a `no-transaction` script may leave a part of its changes.
public struct UpgradeError: Error, Hashable, Sendable {
  /// What kind of error it is; each kind has an exit code.
  public let kind: Kind
  /// What was found, without the place and the version.
  public let message: String
  /// What to do.
  public let remedy: String
  /// The statement at fault, or the byte of a script's text; nil if no script is at fault.
  public let place: Place?
  /// SQLite's code, if SQLite refused a statement of a script.
  public let sqlite: SQLiteCode?
  /// The orphans that a script made.
  public let orphans: Orphans?
  /// The version of the database after the error; nil if it is not known.
  public package(set) var reached: Version?

  package init(
    _ kind: Kind, _ message: String, fix remedy: String, at place: Place? = nil,
    reached: Version? = nil, sqlite: SQLiteCode? = nil, orphans: Orphans? = nil
  ) {
    self.kind = kind
    self.message = message
    self.remedy = remedy
    self.place = place
    self.sqlite = sqlite
    self.orphans = orphans
    self.reached = reached
  }

  /// The exit code for a service that stops because of this error.
  public var exitCode: Int32 { kind.exitCode }

  /// The place and what was found.
  package var words: String { place.map { "\($0): \(message)" } ?? message }

  /// The error as the command prints it: the words, the line of the script with a caret if there is
  /// one, and what to do.
  public var report: String {
    var lines = [description]
    if let line = place?.excerpt { lines += ["  " + line.text, "  " + line.padding + "^"] }
    return (lines + [remedy]).joined(separator: "\n")
  }

  /// A result code of SQLite.
  public struct SQLiteCode: Hashable, Sendable {
    /// The extended result code, which sqlite.org/rescode.html explains.
    public let number: Int32
    /// Its name, for example `SQLITE_CONSTRAINT_UNIQUE`.
    public let name: String

    package init(number: Int32, name: String) {
      self.number = number
      self.name = name
    }
  }

  /// The kind of an error; its raw value is the `kind` in the command's JSON, the same from release
  /// to release.
  @nonexhaustive
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The scripts that ship are wrong: a name, a number, a text, or one that is missing.
    case scripts
    /// The seed is not a database that can be used, or it is newer than the target.
    case seed
    /// The program's ``Upgrader/Prepare`` has thrown an error, or an extension cannot be loaded.
    case preparation
    /// The seed, the scripts, the database, a backup or a directory is not there.
    case missing
    /// A path cannot be used.
    case path
    /// A step failed, or has a statement that no script may run; the steps before it are kept.
    case failed
    /// A script that repeats would never end; what its passes have changed is kept.
    case endless
    /// The disk failed or is full, or its file system lacks a function that Uplift needs.
    case disk
    /// Another process held the database for longer than ``Upgrader/Options/patience``.
    case busy
    /// The operating system does not allow to read or write a file.
    case denied
    /// The process, or the machine, has as many open files as it may have.
    case tooManyFiles
    /// SQLite reported an error that no other kind describes, and that is not about a script.
    case sqlite
    /// The task was cancelled, or `isCancelled` returned true.
    case cancelled
    /// The database or the backup is newer than the target.
    case newer
    /// The database is older than the lowest version from which scripts ship.
    case tooOld
    /// The file is not a whole database.
    case damaged
    /// The database has tables and no version, or a number that is none.
    case unversioned
    /// The database belongs to another application.
    case foreign
    /// There is a journal or a log without its database.
    case orphaned
    /// Another process replaced or removed the database's file during an upgrade.
    case moved

    /// The exit code for a service that stops because of such an error.
    public var exitCode: Int32 {
      switch self {
      case .failed, .endless: 1
      case .path: 64
      case .scripts, .seed, .preparation: 65
      case .missing: 66
      case .disk, .sqlite: 74
      case .busy, .tooManyFiles: 75
      case .newer, .tooOld: 76
      case .denied: 77
      case .damaged, .unversioned, .foreign, .orphaned, .moved: 78
      case .cancelled: 143
      }
    }
  }
}

extension UpgradeError: CustomStringConvertible {
  /// One clause: the place, what was found, and the version of the database.
  public var description: String {
    let version = "the database is at "
    guard let reached, !message.contains(version) else { return words }
    return "\(words); \(version)\(reached)"
  }
}

extension UpgradeError {
  /// The orphans that a script made.
  ///
  /// An orphan is a row whose foreign key leads to no row. Those from before the script do not count.
  public struct Orphans: Hashable, Sendable {
    /// The first orphans, at most ten.
    public let rows: [Orphan]
    /// The number of all orphans.
    public let count: Int

    package init(rows: [Orphan], count: Int) {
      self.rows = rows
      self.count = count
    }

    var words: String {
      "\(count) new foreign-key \(count == 1 ? "violation" : "violations"): "
        + rows.map(\.words).joined(separator: ", ") + (count > rows.count ? ", …" : "")
    }

    func remedy(readsSeed: Bool) -> String {
      if rows.allSatisfy({ $0.fault == .noTable }) {
        return "to rebuild a table, make the new one under another name, drop the old one, then "
          + "rename the new one; if the table is to go, delete or change the rows that refer to it "
          + "first"
      }
      return readsSeed
        ? "correct the rows in the script, and keep those that users' rows refer to: AND NOT EXISTS "
          + "(SELECT …) in the DELETE; see New content"
        : "correct the rows in the script, and delete or change those that refer to removed rows: "
          + "foreign keys do not cascade while a script runs"
    }
  }

  /// A row whose foreign key leads to no row.
  public struct Orphan: Hashable, Sendable {
    /// The table that has the row.
    public let table: String
    /// The row's identifier; nil in a table without row identifiers.
    public let row: Int64?
    /// The columns of the foreign key.
    public let columns: [String]
    /// The table that the foreign key leads to.
    public let parent: String
    /// The problem of the foreign key itself; nil if SQLite could enforce it.
    public let fault: Fault?

    package init(
      table: String, row: Int64?, columns: [String], parent: String, fault: Fault? = nil
    ) {
      self.table = table
      self.row = row
      self.columns = columns
      self.parent = parent
      self.fault = fault
    }

    var words: String {
      let names = columns.map(\.quoted).joined(separator: ", ")
      let which = row.map { "row \($0)" } ?? "a row"
      let start = "\(which) of \(table.quoted) (\(names)) refers to no row of \(parent.quoted)"
      return switch fault {
      case nil: start
      case .noTable: start + ", which is not there"
      case .noColumns: start + ", which does not have the columns"
      case .noKey: start + ", whose columns are not a key"
      }
    }

    /// The reason why SQLite cannot enforce a foreign key.
    @nonexhaustive
    public enum Fault: Hashable, Sendable {
      /// The table that the foreign key leads to does not exist.
      case noTable
      /// The parent lacks a column of the foreign key, or its key has another number of columns.
      case noColumns
      /// The columns in the parent are neither its primary key nor unique.
      case noKey
    }
  }
}
