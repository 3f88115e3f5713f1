/// The pending steps, read and checked.
///
/// Each is kept until it is committed.
///
/// The first boot checks all of them before it makes the database. The text that runs is the text
/// that was checked, because no script is read twice.
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
