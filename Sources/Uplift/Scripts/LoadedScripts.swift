/// The steps that are to run, each read and checked once, and kept until it is committed.
///
/// A first boot checks them all before there is a database, and runs what it has checked.
final class LoadedScripts {
  private var read: [Version: Script] = [:]

  func load(_ steps: some Sequence<Migration>) throws(UpgradeError) {
    for step in steps where read[step.version] == nil {
      read[step.version] = try Resources.script(step)
    }
  }

  subscript(version: Version) -> Script? { read[version] }

  func discard(_ version: Version) {
    read[version] = nil
  }
}
