internal import Uplift
internal import UpliftSystem

extension Arguments {
  /// Prepares a connection as the program does, and then loads the extensions; nil if there is
  /// nothing to do.
  func prepare(like source: Upgrader) -> Upgrader.Prepare? {
    let own = source.prepare
    guard !extensions.isEmpty else { return own }
    let files = ExtensionFiles(extensions.map { Path($0) })
    return { handle in
      try own?(handle)
      try files.load(into: handle)
    }
  }
}
