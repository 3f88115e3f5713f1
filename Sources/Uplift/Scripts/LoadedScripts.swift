/// The pending steps, read and checked; each is kept until it is committed.
///
/// The first boot checks all of them before it makes the database. The text that runs is the text
/// that was checked, because no script is read twice.
final class LoadedScripts {
  /// The scripts that this object has read.
  private(set) var own: [Version: Script] = [:]
  /// Scripts that were read before, for many databases; they are not discarded.
  private let shared: [Version: Script]

  init(shared: [Version: Script] = [:]) {
    self.shared = shared
  }

  /// Reads and checks steps; `seed` is the version of the seed, nil if there is none.
  func load(_ steps: some Sequence<Migration>, seed: Version?) throws(UpgradeError) {
    for step in steps { try script(step).checkNumber(seed: seed) }
  }

  subscript(version: Version) -> Script? { own[version] ?? shared[version] }

  func discard(_ version: Version) {
    own[version] = nil
  }

  func script(_ step: Migration) throws(UpgradeError) -> Script {
    if let script = self[step.version] { return script }
    let script = try Script(reading: step)
    own[step.version] = script
    return script
  }
}
