package import UpliftSQLite
package import UpliftSystem

/// The extensions that the command loads into each connection.
package struct ExtensionFiles: Sendable {
  private let paths: [Path]

  package init(_ paths: [Path]) {
    self.paths = paths
  }

  /// Loads all of them, in their order.
  package func load(into handle: OpaquePointer) throws {
    for path in paths {
      guard Engine.loadsExtensions else {
        throw ExtensionError(.preparation(UpgradeError.noExtensions, extensionPath: path.shown))
      }
      if let fault = fault(of: path) { throw ExtensionError(fault) }
      try load(path, into: handle)
    }
  }

  /// Why a path is not loaded; nil if it is.
  private func fault(of path: Path) -> UpgradeError? {
    do throws(SystemError) {
      return try check(path)
    } catch {
      return UpgradeError(error, reading: path, missing: .missing(.extension, path: path.shown))
    }
  }

  private func check(_ path: Path) throws(SystemError) -> UpgradeError? {
    guard let facts = try System.facts(of: path, followingLinks: true) else {
      return .missing(.extension, path: path.shown)
    }
    guard facts.kind == .file else { return .path(path.shown, .notAFile) }
    _ = try OpenFile.reading(path)
    return nil
  }

  private func load(_ path: Path, into handle: OpaquePointer) throws(ExtensionError) {
    // For a name without a slash, the system would search its own directories.
    let isName = !path.bytes.contains(UInt8(ascii: "/"))
    let file = isName ? Path(".").appending(path.bytes) : path
    do {
      try Engine.loadExtension(file.bytes, into: handle)
    } catch {
      // SQLite's message may be about another file name, with an ending, which it tried last.
      let words = System.words(onLoading: file) ?? error.message
      throw ExtensionError(.preparation(words, extensionPath: path.shown))
    }
  }
}

/// The error of an extension; the `prepare` closure of the command throws it.
struct ExtensionError: Error {
  private let error: UpgradeError

  init(_ error: UpgradeError) {
    self.error = error
  }

  /// The same error with the version that the database has reached.
  func upgradeError(_ reached: Version?) -> UpgradeError {
    guard case .preparation(let facts) = error else { return error }
    return .preparation(facts.reason, extensionPath: facts.extensionPath, reached: reached)
  }
}

extension Connection {
  /// Lets the program add its collations, functions and modules, if it has any.
  ///
  /// `path` is the database's. `reached` is the version of the database, for an error.
  package borrowing func prepare(
    by prepare: Upgrader.Prepare?, at path: String, reached: Version? = nil
  ) throws(UpgradeError) {
    guard let prepare else { return }
    do throws(PreparationFault) {
      try self.prepare(prepare)
    } catch {
      if deadline.mustStopNow { throw .cancelled(reached: reached) }
      switch error {
      case .sqlite(let error) where error.code == .error:
        throw .preparation(error.message, reached: reached)
      case .sqlite(let error): throw UpgradeError(error, at: path, reached: reached)
      case .thrown(let error as ExtensionError): throw error.upgradeError(reached)
      case .thrown(let error): throw .preparation(String(describing: error), reached: reached)
      }
    }
  }
}
