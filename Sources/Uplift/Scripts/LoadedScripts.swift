/// The pending steps, read and checked; each is kept until it is committed.
///
/// The first boot checks all of them before it makes the database. The text that runs is the text
/// that was checked, because no script is read twice.
final class LoadedScripts {
  private var scripts: [Version: Script] = [:]

  /// Reads and checks steps; `seed` is the version of the seed, nil if there is none.
  func load(_ steps: some Sequence<Migration>, seed: Version?) throws(UpgradeError) {
    for step in steps { try script(step).checkNumber(seed: seed) }
  }

  subscript(version: Version) -> Script? { scripts[version] }

  func discard(_ version: Version) {
    scripts[version] = nil
  }

  func script(_ step: Migration) throws(UpgradeError) -> Script {
    if let script = self[step.version] { return script }
    let script = try Script(reading: step)
    scripts[step.version] = script
    return script
  }
}
