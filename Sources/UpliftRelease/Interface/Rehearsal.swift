public import Uplift

extension Upgrader {
  /// Runs the pending steps on a copy of the database, and tells how long they take, how much room
  /// they need, and what they change.
  ///
  /// The copy is made in `directory`, by default in that of temporary files, and removed. The
  /// database is not changed, and programs can use it meanwhile; in rollback mode they cannot write
  /// while it is copied. A step in Swift runs on the copy, and its effects outside the database are
  /// not undone.
  ///
  /// If a step fails, ``Rehearsal/failure`` has the error. It throws if the database would be
  /// refused, or if it cannot be copied.
  public func rehearse(
    in directory: String? = nil,
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Rehearsal {
    try Rehearsing(
      upgrader: self, directory: directory, isCancelled: isCancelled, onEvent: onEvent
    ).run()
  }
}

/// The report of ``Upgrader/rehearse(in:isCancelled:onEvent:)``.
public struct Rehearsal: Hashable, Sendable {
  /// The version of the database.
  public let start: Version
  /// The version that an upgrade would lead to.
  public let target: Version
  /// The copying of the database; nil if nothing is pending, so that no copy was made.
  public let copy: Copy?
  /// The steps that ran on the copy, in order.
  public let steps: [Step]
  /// The tables before and after the steps, sorted by name.
  public let tables: [Table]
  /// The objects that are gone after the steps, as `index guests_by_name`.
  public let gone: [String]
  /// The room that an upgrade needs, for each place.
  public let room: [Room]
  /// The error of the step that failed on the copy; nil if all of them ran.
  ///
  /// Its version is that of the copy.
  public let failure: UpgradeError?

  /// The copying of the database.
  public struct Copy: Hashable, Sendable {
    /// The bytes of the copy.
    public let size: Int64
    /// The time that it took.
    public let duration: Duration
  }

  /// A step that ran on the copy, with a commit of its own.
  public struct Step: Hashable, Sendable {
    /// The version of the database after the step.
    public let version: Version
    /// The name of the step; for a script of a directory, the name of its file.
    public let name: String
    /// The time that the step and its commit took.
    public internal(set) var duration: Duration
    /// The bytes of the database before the step.
    public let sizeBefore: Int64
    /// The bytes of the database after the step.
    public internal(set) var sizeAfter: Int64
    /// The passes of a script that repeats; nil for any other.
    public internal(set) var passes: Int?
  }

  /// A table, and how many rows it had.
  public struct Table: Hashable, Sendable {
    /// The name of the table.
    public let name: String
    /// The rows before the first step; nil if there was no such table, or if they cannot be
    /// counted.
    public let rowsBefore: Int64?
    /// The rows after the last step; nil if there is no such table, or if they cannot be counted.
    public let rowsAfter: Int64?
  }

  /// The room on a disk that an upgrade needs.
  public struct Room: Hashable, Sendable {
    /// The directory of the database, or the one of temporary files.
    public let directory: String
    /// The bytes that an upgrade needs at most, in addition to the database as it is.
    public let needed: Int64
    /// The bytes that are free now; nil if the system does not say.
    public let free: Int64?

    /// False if an upgrade would fill the disk.
    public var isEnough: Bool { free.map { needed <= $0 } ?? true }
  }
}
