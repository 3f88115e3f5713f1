import TestSupport
import Uplift

extension Site {
  /// The upgrader that a service would use at boot, in this process.
  func upgrader(
    target: Version? = 3, options: Upgrader.Options = Upgrader.Options()
  ) -> Upgrader {
    Upgrader(
      database: database,
      seed: scratch.bytes("resources/app.db") == nil ? nil : .file(seed),
      migrations: .directory(scripts),
      target: target,
      options: options
    )
  }

  func upgrade(
    target: Version? = 3, options: Upgrader.Options = Upgrader.Options()
  ) throws(UpgradeError) -> Upgrade {
    try upgrader(target: target, options: options).upgrade()
  }
}
