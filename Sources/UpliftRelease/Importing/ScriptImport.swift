internal import UpliftSystem
package import Uplift

/// Writes the scripts of another tool into a directory that has no scripts.
///
/// They get the numbers from 1 on, in the order in which the other tool runs them.
package struct ScriptImport {
  private let source: Path
  private let directory: Path

  package init(of source: String, into directory: String) {
    (self.source, self.directory) = (Path(source), Path(directory))
  }

  /// Writes all scripts; if one of them cannot be taken over, none is written.
  package func write() throws(ImportFailure) -> ImportedScripts {
    let tool: ToolScripts
    do throws(UpgradeError) {
      tool = try ToolScripts(in: source)
      if try NewFile.facts(source)?.identity == NewFile.facts(directory)?.identity {
        throw .path(
          source.shown, "is the directory that the scripts would be written to",
          fix: "name an empty directory for the new scripts, as in --migrations NEW")
      }
    } catch {
      throw ImportFailure(errors: [error], first: error)
    }
    let files = try files(of: tool)
    do throws(UpgradeError) {
      try NewScript.locked(directory.shown) { () throws(UpgradeError) in try write(files) }
    } catch {
      throw ImportFailure(errors: [error], first: error)
    }
    return ImportedScripts(scripts: files.map(\.script), passedOver: tool.passedOver)
  }

  private typealias File = (script: ImportedScripts.Script, text: [UInt8])

  /// The new scripts, or every error that the old ones have.
  private func files(of tool: ToolScripts) throws(ImportFailure) -> [File] {
    var errors = tool.errors
    var files: [File] = []
    for (index, old) in tool.all.enumerated() {
      let version = Version(unchecked: Int32(clamping: index + 1))
      let name = old.newName(version)
      do throws(UpgradeError) {
        let path = directory.appending(name.utf8).shown
        let script = ImportedScripts.Script(
          path: path, name: name, version: version, from: old.from)
        let text = try old.newText()
        files.append((script, text))
        let before = index > 0 ? tool.all[index - 1].from : ""
        if text.firstRange(of: "-- migrate:up".utf8) != nil,
          !before.utf8.lexicographicallyPrecedes(old.from.utf8)
        {
          throw .notImported(
            old.path, "comes before \(before.quoted) in dbmate, which sorts numbers as text",
            fix: "give both numbers the same number of digits")
        }
      } catch {
        errors.append(error)
      }
    }
    if errors.isEmpty, files.isEmpty {
      errors.append(
        .notImported(
          source, "has no script of another tool",
          fix: "name the directory that has the numbered scripts in it"))
    }
    if let first = errors.first { throw ImportFailure(errors: errors, first: first) }
    return files
  }

  /// Writes the scripts that are not there yet; if one cannot be written, none of them stays.
  ///
  /// After a crash, the same import writes the scripts that are missing. Any other script in the
  /// directory is an error.
  private func write(_ files: [File]) throws(UpgradeError) {
    var missing = Dictionary(files.map { ($0.script.name, $0.text) }) { first, _ in first }
    for script in try Catalog(of: .directory(directory.shown)).all {
      let path = directory.appending(script.name.utf8)
      guard let text = missing.removeValue(forKey: script.name), try Script.text(of: path) == text
      else {
        throw .notImported(
          path, "is there already, and is not from this import",
          fix: "import into a directory without scripts, as in --migrations NEW")
      }
    }
    var written: [Path] = []
    do throws(UpgradeError) {
      for file in files where missing[file.script.name] != nil {
        let path = directory.appending(file.script.name.utf8)
        try NewFile.write(file.text, to: path, syncsDirectory: false)
        written.append(path)
      }
      try UpgradeError.at(directory) { () throws(SystemError) in try NewFile.sync(directory) }
    } catch {
      for path in written { System.discard(path) }
      throw error
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
}
