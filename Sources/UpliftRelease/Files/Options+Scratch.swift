internal import Uplift

extension Upgrader.Options {
  /// The options for the upgrade of a database in a scratch directory, of which no backup is made.
  func onScratch(ifMissing: Upgrader.IfMissing) -> Upgrader.Options {
    var options = self
    options.ifMissing = ifMissing
    options.backup = nil
    return options
  }
}
