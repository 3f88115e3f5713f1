internal import Uplift
internal import UpliftSystem

extension Arguments {
  /// Prepares a connection as the program does, and then loads the extensions; nil if there is
  /// nothing to do.
  ///
  /// No extension is loaded from the resources or from a directory of scripts.
  func prepare(like source: Upgrader) -> Upgrader.Prepare? {
    let own = source.prepare
    guard !extensions.isEmpty else { return own }
    let resources = resources ?? (namesFiles ? nil : "Resources")
    let migrations: [String] = source.migrations.sources.compactMap { source in
      if case .directory(let path) = source { path } else { nil }
    }
    let files = ExtensionFiles(
      extensions.map { Path($0) },
      outside: ([resources].compactMap(\.self) + migrations).map { Path($0) })
    return { handle in
      try own?(handle)
      try files.load(into: handle)
    }
  }
}
