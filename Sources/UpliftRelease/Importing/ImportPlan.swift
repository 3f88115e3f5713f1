internal import Uplift
internal import UpliftSystem

/// The scripts that an import writes: in the order of the other tool, with their new names.
struct ImportPlan {
  struct File {
    let script: ToolScript
    let version: Version
    let name: String
    let text: [UInt8]
  }

  let files: [File]
  let passedOver: [String]

  /// Reads the directory and all texts, and reports every error that it finds.
  init(of directory: Path) throws(ImportFailure) {
    let found: ToolDirectory
    do {
      found = try ToolDirectory(directory)
    } catch {
      throw ImportFailure(error)
    }
    let scripts = found.scripts.sorted { ($0.name.number, $0.from) < ($1.name.number, $1.from) }
    var errors = found.errors + Self.disorder(scripts)
    var files: [File] = []
    let width = max(String(scripts.count).utf8.count, 4)
    for (index, script) in scripts.enumerated() {
      do throws(ReleaseError) {
        let version = Version(unchecked: Int32(clamping: index + 1), isDotted: false)
        let name = script.name.newName(version, width: width)
        let text = try ToolText(of: script)
        if text.isSortedByName, let before = files.last?.script.from,
          !before.utf8.lexicographicallyPrecedes(script.from.utf8)
        {
          throw ReleaseError.importing(file: script.path.shown, .unclearOrder(beside: before))
        }
        files.append(File(script: script, version: version, name: name, text: text.bytes))
      } catch {
        errors.append(error)
      }
    }
    if errors.isEmpty, files.isEmpty {
      errors.append(.importing(file: directory.shown, .noScripts))
    }
    if let failure = ImportFailure(errors) { throw failure }
    (self.files, passedOver) = (files, found.passedOver)
  }

  /// The errors of scripts whose order is not clear.
  private static func disorder(_ scripts: [ToolScript]) -> [ReleaseError] {
    var errors: [ReleaseError] = []
    for (one, next) in zip(scripts, scripts.dropFirst()) {
      if one.name.number == next.name.number {
        errors.append(.importing(file: next.path.shown, .sameNumber(as: one.from)))
      } else if one.name.number.isUnclear(before: next.name.number) {
        errors.append(.importing(file: next.path.shown, .unclearOrder(beside: one.from)))
      }
    }
    if let first = scripts.first,
      let other = scripts.first(where: {
        $0.layout != first.layout || $0.name.style != first.name.style
      })
    {
      errors.append(.importing(file: other.path.shown, .mixedNames(beside: first.from)))
    }
    return errors
  }
}
