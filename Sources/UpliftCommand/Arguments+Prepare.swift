internal import Uplift
internal import UpliftSQLite
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

/// The extensions that the command loads into each connection.
private struct ExtensionFiles: Sendable {
  private let paths: [Path]

  init(_ paths: [Path]) {
    self.paths = paths
  }

  /// Loads all of them, in their order.
  func load(into handle: OpaquePointer) throws {
    for path in paths {
      guard Engine.loadsExtensions else {
        throw Self.unloadable(
          path, "this SQLite was built without extensions",
          fix: "use an uplift whose SQLite can load extensions, or call Uplift as a library with "
            + "prepare")
      }
      if let fault = fault(of: path) { throw fault }
      try load(path, into: handle)
    }
  }

  /// Why a path is not loaded; nil if it is.
  private func fault(of path: Path) -> UpgradeError? {
    do throws(SystemError) {
      return try check(path)
    } catch {
      return UpgradeError(error, reading: path, missing: missing(path))
    }
  }

  private func check(_ path: Path) throws(SystemError) -> UpgradeError? {
    guard let facts = try System.facts(of: path, followingLinks: true) else {
      return missing(path)
    }
    guard facts.kind == .file else { return .notAFile(path.shown) }
    _ = try OpenFile.reading(path)
    return nil
  }

  private func load(_ path: Path, into handle: OpaquePointer) throws(UpgradeError) {
    // For a name without a slash, the system would search its own directories.
    let isName = !path.bytes.contains(UInt8(ascii: "/"))
    let file = isName ? Path(".").appending(path.bytes) : path
    do {
      try Engine.loadExtension(file.bytes, into: handle)
    } catch {
      // SQLite's message may be about another file name, with an ending, which it tried last.
      let words = System.words(onLoading: file) ?? error.message
      throw Self.unloadable(
        path, words,
        fix: "use an extension that is built for this machine and writes nothing; "
          + "a statically linked uplift may not be able to load any")
    }
  }

  private func missing(_ path: Path) -> UpgradeError {
    .missing(
      "the extension", path.shown,
      fix: "install the extension, or write its path with its ending, such as .so")
  }

  private static func unloadable(_ path: Path, _ reason: String, fix: String) -> UpgradeError {
    UpgradeError(
      .preparation, "the extension \(path.shown.quoted) cannot be loaded: \(reason)", fix: fix)
  }
}
