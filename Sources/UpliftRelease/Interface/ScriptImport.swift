internal import UpliftSystem
package import Uplift

/// Writes the scripts of another tool into a directory that has no scripts.
///
/// They get the numbers from 1 on, in the order in which the other tool runs them.
package struct ScriptImport {
  private let source: String
  private let directory: String

  package init(of source: String, into directory: String) {
    (self.source, self.directory) = (source, directory)
  }

  /// Writes all scripts; if one of them cannot be taken over, none is written.
  package func write() throws(ImportFailure) -> ImportedScripts {
    let tool: ToolScripts
    do throws(UpgradeError) {
      guard try !isSame() else {
        throw .path(
          source, "is the directory that the scripts would be written to",
          fix: "name an empty directory for the new scripts, as in --migrations NEW")
      }
      tool = try ToolScripts(in: Path(source))
    } catch {
      throw ImportFailure(error)
    }
    let files = try ImportedFile.all(of: tool, in: Path(source))
    let path = Path(directory)
    do throws(UpgradeError) {
      try NewScript.locked(directory) { () throws(UpgradeError) in
        try ImportedFiles(directory: path, files: files).write()
      }
    } catch {
      throw ImportFailure(error)
    }
    let scripts = files.map {
      ImportedScripts.Script(
        path: path.appending($0.name.utf8).shown, name: $0.name, version: $0.version,
        from: $0.from)
    }
    return ImportedScripts(scripts: scripts, passedOver: tool.passedOver)
  }

  /// True if both paths lead to one directory.
  private func isSame() throws(UpgradeError) -> Bool {
    guard let one = try identity(source), let other = try identity(directory) else { return false }
    return one == other
  }

  private func identity(_ path: String) throws(UpgradeError) -> FileFacts.Identity? {
    do throws(SystemError) {
      return try System.facts(of: Path(path), followingLinks: true)?.identity
    } catch {
      if error.isNotADirectory { return nil }
      throw UpgradeError(error, at: Path(path))
    }
  }
}

/// The scripts that an import has written, in the order of their numbers.
package struct ImportedScripts: Sendable {
  package struct Script: Hashable, Sendable {
    package let path: String
    package let name: String
    package let version: Version
    /// The path of the old script, below the directory of the other tool.
    package let from: String
  }

  package let scripts: [Script]
  /// The files of the other tool that were passed over.
  package let passedOver: [String]
}

/// The reasons why nothing was imported; there is at least one.
package struct ImportFailure: Error, Hashable {
  package let errors: [UpgradeError]
  /// The first of them.
  package let first: UpgradeError

  init(_ error: UpgradeError) {
    (errors, first) = ([error], error)
  }

  /// Nil without an error.
  init?(_ errors: [UpgradeError]) {
    guard let first = errors.first else { return nil }
    (self.errors, self.first) = (errors, first)
  }
}
