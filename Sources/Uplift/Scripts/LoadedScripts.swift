/// The pending steps, read and checked; each is kept until it is committed.
///
/// The first boot checks all of them before it makes the database. The text that runs is the text
/// that was checked, because no script is read twice.
final class LoadedScripts {
  private var read: [Version: Script] = [:]

  func load(_ steps: some Sequence<Migration>) throws(UpgradeError) {
    for step in steps { _ = try script(step) }
  }

  subscript(version: Version) -> Script? { read[version] }

  func discard(_ version: Version) {
    read[version] = nil
  }

  func script(_ step: Migration) throws(UpgradeError) -> Script {
    if let script = read[step.version] { return script }
    let script = try Script(reading: step)
    read[step.version] = script
    return script
  }
}
