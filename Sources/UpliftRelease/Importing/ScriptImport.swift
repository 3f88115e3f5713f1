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
    var errors: [UpgradeError] = []
    var scripts: [ImportedScripts.Script] = []
    do throws(UpgradeError) {
      let tool = try ToolScripts(in: Path(source))
      errors = tool.errors
      for old in tool.all {
        do throws(UpgradeError) {
          scripts.append(try script(old, number: Int32(clamping: scripts.count + 1)))
        } catch {
          errors.append(error)
        }
      }
      if let first = errors.first { throw first }
      guard !scripts.isEmpty else {
        throw .notImported(
          Path(source), "has no script of another tool",
          fix: "name the directory that has the numbered scripts in it")
      }
      try NewFile.locked(Path(directory)) { () throws(UpgradeError) in try write(scripts) }
      return ImportedScripts(scripts: scripts, passedOver: tool.passedOver)
    } catch {
      throw ImportFailure(errors: errors.isEmpty ? [error] : errors)
    }
  }

  private func script(
    _ old: ToolScript, number: Int32
  ) throws(UpgradeError) -> ImportedScripts.Script {
    let version = Version(unchecked: number)
    // Each run of other characters than letters and digits becomes one `_`.
    let words = old.words.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    let name = ScriptStyle(newest: nil).name(version, words)
    return ImportedScripts.Script(
      path: Path(directory).appending(name.utf8).shown, name: name, version: version,
      from: old.from, text: try old.newText())
  }

  /// Writes the scripts; if one cannot be written, none of them stays.
  private func write(_ scripts: [ImportedScripts.Script]) throws(UpgradeError) {
    if let script = try Catalog(of: .directory(directory)).all.first {
      throw .notImported(
        Path(directory).appending(script.name.utf8), "is there already",
        fix: "import into a directory without scripts, as in --migrations NEW")
    }
    var written: [Path] = []
    do throws(UpgradeError) {
      for script in scripts {
        try NewFile.write(script.text, to: Path(script.path))
        written.append(Path(script.path))
      }
    } catch {
      for path in written { System.discard(path) }
      throw error
    }
  }
}

/// The scripts that an import has written, in the order of their numbers.
package struct ImportedScripts: Sendable {
  package struct Script: Sendable {
    package let path: String
    package let name: String
    package let version: Version
    /// The path of the old script, below the directory of the other tool.
    package let from: String
    let text: [UInt8]
  }

  package let scripts: [Script]
  /// The files of the other tool that were passed over.
  package let passedOver: [String]
}

/// The reasons why nothing was imported; there is at least one.
package struct ImportFailure: Error {
  package let errors: [UpgradeError]
}

extension UpgradeError {
  /// The error for a file or directory that cannot become a script.
  static func notImported(_ path: Path, _ problem: String, fix: String) -> Self {
    UpgradeError(.scripts, "\(path.shown.quoted) \(problem)", fix: fix)
  }
}
