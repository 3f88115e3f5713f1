public import Uplift

extension Upgrader {
  /// Choices for ``Upgrader/rehearse(_:isCancelled:onEvent:)``.
  public struct RehearseOptions: Hashable, Sendable {
    /// The directory for the copy; nil for the directory of temporary files.
    public var directory: String?

    /// A copy among the temporary files.
    public init() {}
  }

  /// Runs the pending steps on a copy of the database, and tells how long they take, how much room
  /// they need, and what they change.
  ///
  /// The copy is removed. The database is not changed, and programs can use it meanwhile. In rollback mode they cannot
  /// write while it is copied.
  ///
  /// A step in Swift runs on the copy. Its effects outside the database are not undone.
  ///
  /// If a step fails, ``Rehearsal/failure`` has the error. It throws if the database would be
  /// refused, or if it cannot be copied.
  public func rehearse(
    _ options: RehearseOptions = RehearseOptions(),
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Rehearsal {
    try Rehearsing(self, options, isCancelled: isCancelled, onEvent: onEvent).run()
  }
}
