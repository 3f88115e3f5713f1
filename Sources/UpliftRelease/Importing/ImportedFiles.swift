internal import Uplift
internal import UpliftSystem

/// A script of another tool, with the name and the text that it gets.
struct ImportedFile {
  let from: String
  let version: Version
  let name: String
  let text: [UInt8]

  /// The scripts in the order of their tool, numbered from 1, or every error that they have.
  static func all(of tool: ToolScripts, in directory: Path) throws(ImportFailure) -> [ImportedFile]
  {
    var errors = tool.errors
    var files: [ImportedFile] = []
    let width = max(String(tool.all.count).utf8.count, 4)
    var before: ToolScript?
    for (index, script) in tool.all.enumerated() {
      do throws(UpgradeError) {
        let text = try ToolText(of: script)
        if let problem = before.flatMap({ script.problem(after: $0, text) }) {
          errors.append(problem)
        }
        let version = Version(unchecked: Int32(clamping: index + 1))
        files.append(
          ImportedFile(
            from: script.from, version: version, name: script.newName(version, width: width),
            text: text.bytes))
      } catch {
        errors.append(error)
      }
      before = script
    }
    if errors.isEmpty, files.isEmpty {
      errors.append(
        .notImported(
          directory, "has no script of another tool",
          fix: "name the directory that has the numbered scripts in it"))
    }
    if let failure = ImportFailure(errors) { throw failure }
    return files
  }
}

extension ToolScript {
  /// Why it is not clear that the script comes after another; nil if it is.
  fileprivate func problem(
    after before: ToolScript, _ text: ToolText
  ) -> UpgradeError? {
    let other = before.from.quoted
    if style != before.style {
      return .notImported(
        path, "is numbered or placed in another way than \(other)",
        fix: "name all scripts in one way, or move those of another tool away")
    }
    if number == before.number {
      return .notImported(
        path, "has the same number as \(other)",
        fix: "give one of them another number, or move it away")
    }
    let mayBeText = before.number.isTimeStamp || text.isSortedByName
    guard mayBeText, !before.from.utf8.lexicographicallyPrecedes(from.utf8) else { return nil }
    return .notImported(
      path, "has a longer number than \(other), and comes first if numbers are sorted as text",
      fix: "give both numbers the same number of digits")
  }
}

/// Writes the scripts of an import.
///
/// They are written whole into a directory of their own. Then each gets its name, and no file is
/// replaced. If one cannot get its name, the scripts that have theirs are removed. After a crash,
/// the same import writes the scripts that are missing.
struct ImportedFiles {
  let directory: Path
  let files: [ImportedFile]

  func write() throws(UpgradeError) {
    let there = try written()
    let missing = files.filter { !there.contains($0.name) }
    discardLeftovers()
    guard !missing.isEmpty else { return }
    let temporary = directory.appending(Self.temporaryName.next())
    let isNew = try UpgradeError.at(temporary) { () throws(SystemError) in
      try System.makeDirectory(temporary)
    }
    guard isNew else { throw .taken(temporary.shown) }
    defer { System.discardDirectory(temporary) }
    for file in missing {
      try UpgradeError.at(directory.appending(file.name.utf8)) { () throws(SystemError) in
        let new = try OpenFile.creating(temporary.appending(file.name.utf8))
        _ = try new.writeAll(file.text) { false }
        try new.sync()
      }
    }
    try publish(missing, from: temporary)
  }

  private func publish(
    _ missing: [ImportedFile], from temporary: Path
  ) throws(UpgradeError) {
    var published: [Path] = []
    for file in missing {
      let path = directory.appending(file.name.utf8)
      do throws(SystemError) {
        try System.publish(temporary.appending(file.name.utf8), as: path)
        published.append(path)
        if published.count == missing.count { try NewFile.sync(directory) }
      } catch {
        for path in published { System.discard(path) }
        if error.isTaken { throw .taken(path.shown) }
        throw UpgradeError(error, at: path)
      }
    }
  }

  /// The scripts that are there already, which the same import wrote before it was killed.
  ///
  /// Any other script in the directory is an error.
  private func written() throws(UpgradeError) -> Set<String> {
    let catalog = try Catalog(of: .directory(directory.shown))
    var there: Set<String> = []
    let texts = Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }
    for script in catalog.all {
      let path = directory.appending(script.name.utf8)
      guard let text = texts[script.name],
        try Script.text(of: path) == text
      else {
        throw .notImported(
          path, "is there already, and is not from this import",
          fix: "import into a directory without scripts, as in --migrations NEW")
      }
      there.insert(script.name)
    }
    return there
  }

  private static let temporaryName = TemporaryName(of: "import".utf8)

  /// Removes the directories that a killed import has left.
  private func discardLeftovers() {
    do {
      for name in try System.names(in: directory) where Self.temporaryName.matches(name) {
        let path = directory.appending(name)
        guard try System.facts(of: path, followingLinks: false)?.kind == .directory else {
          continue
        }
        System.discardDirectory(path)
      }
    } catch {
      return
    }
  }
}
