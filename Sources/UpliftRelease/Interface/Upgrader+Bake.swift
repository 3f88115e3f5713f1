public import Uplift

extension Upgrader {
  /// Makes the seed anew: a copy of it, with all steps up to the target.
  ///
  /// The database of the upgrader is not used. The new seed is packed by `VACUUM`, checked and
  /// synced, and takes the place of the old one in one rename. The same seed, the same steps and
  /// the same SQLite give the same bytes.
  ///
  /// ```swift
  /// import UpliftRelease
  ///
  /// try upgrader.bake()
  /// ```
  @discardableResult
  public func bake(
    _ options: BakeOptions = BakeOptions(),
    isCancelled: @escaping () -> Bool = { Task.isCancelled },
    onEvent: @escaping (Event) -> Void = { _ in }
  ) throws(UpgradeError) -> Bake {
    try Baking(self, options, isCancelled: isCancelled, onEvent: onEvent).run()
  }
}
