internal import Uplift
internal import UpliftSQLite
internal import UpliftSystem

extension Arguments {
  /// Prepares a connection as the program does, and then loads the extensions; nil if there is
  /// nothing to do.
  func prepare(like source: Upgrader) -> Upgrader.Prepare? {
    let own = source.prepare
    guard !extensions.isEmpty else { return own }
    let files = extensions.map { ExtensionFile(path: Path($0)) }
    return { handle in
      try own?(handle)
      for file in files { try file.load(into: handle) }
    }
  }
}

/// An extension that the command loads into each connection.
private struct ExtensionFile: Sendable {
  let path: Path

  func load(into handle: OpaquePointer) throws(UpgradeError) {
    guard Engine.loadsExtensions else {
      throw unloadable(
        "this SQLite was built without extensions",
        fix: "use an uplift whose SQLite can load extensions, or call Uplift as a library with "
          + "prepare")
    }
    try check()
    // For a name without a slash, the system would search its own directories.
    let isName = !path.bytes.contains(UInt8(ascii: "/"))
    let file = isName ? Path(".").appending(path.bytes) : path
    do {
      try Engine.loadExtension(file.bytes, into: handle)
    } catch {
      // SQLite's message may be about another file name, with an ending, which it tried last.
      throw unloadable(
        System.words(onLoading: file) ?? error.message,
        fix: "use an extension that is built for this machine and writes nothing; "
          + "a statically linked uplift may not be able to load any")
    }
  }

  /// Checks that it is a file that can be read.
  private func check() throws(UpgradeError) {
    let missing = UpgradeError.missing(
      "the extension", path.shown,
      fix: "install the extension, or write its path with its ending, such as .so")
    let facts: FileFacts?
    do throws(SystemError) {
      facts = try System.facts(of: path, followingLinks: true)
      if facts?.kind == .file { _ = try OpenFile.reading(path) }
    } catch {
      throw UpgradeError(error, reading: path, missing: missing)
    }
    guard let facts else { throw missing }
    guard facts.kind == .file else { throw .notAFile(path.shown) }
  }

  private func unloadable(_ reason: String, fix: String) -> UpgradeError {
    UpgradeError(
      .preparation, "the extension \(path.shown.quoted) cannot be loaded: \(reason)", fix: fix)
  }
}

/// Lets SQLite put temporary files into the data directory if no other directory can be written, as
/// in a read-only container.
struct TemporaryFiles: Sendable {
  /// The data directory; nil if SQLite does not use it.
  private let directory: Path?

  /// Chooses the data directory if the environment names no directory and none of the usual ones
  /// can be written.
  ///
  /// Must be called before SQLite is used.
  init(inside directory: Path) {
    self.directory = System.hasTemporaryDirectory ? nil : directory
    if let directory = self.directory { System.setTemporaryDirectory(directory) }
  }

  /// Removes the temporary files that a killed process left in the data directory.
  func discardLeftovers() {
    if let directory { System.discardTemporaryFiles(in: directory) }
  }
}
