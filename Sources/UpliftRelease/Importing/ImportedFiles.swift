internal import Uplift
internal import UpliftSystem

/// Writes the scripts of an import.
///
/// They are written whole into a directory of their own. Then each gets its name, and no file is
/// replaced. If one cannot get its name, the scripts that have theirs are removed. After a crash,
/// the same import writes the scripts that are missing.
struct ImportedFiles {
  let directory: Path
  let files: [ImportPlan.File]

  func write() throws(ReleaseError) {
    let there = try written()
    let missing = files.filter { !there.contains($0.name) }
    discardLeftovers()
    guard !missing.isEmpty else { return }
    let temporary = directory.appending(Self.temporaryName.next())
    let isNew = try ReleaseError.at(temporary) { () throws(SystemError) in
      try System.makeDirectory(temporary)
    }
    guard isNew else { throw .taken(path: temporary.shown) }
    defer { System.discardDirectory(temporary) }
    for file in missing {
      try ReleaseError.at(directory.appending(file.name.utf8)) { () throws(SystemError) in
        let new = try OpenFile.creating(temporary.appending(file.name.utf8))
        _ = try new.writeAll(file.text) { false }
        try new.sync()
      }
    }
    try publish(missing, from: temporary)
  }

  private func publish(
    _ missing: [ImportPlan.File], from temporary: Path
  ) throws(ReleaseError) {
    var published: [Path] = []
    for file in missing {
      let path = directory.appending(file.name.utf8)
      do throws(SystemError) {
        try System.publish(temporary.appending(file.name.utf8), as: path)
        published.append(path)
        if published.count == missing.count { try NewFile.sync(directory) }
      } catch {
        for path in published { System.discard(path) }
        if error.isTaken { throw .taken(path: path.shown) }
        throw .upgrade(UpgradeError(error, at: path))
      }
    }
  }

  /// The scripts that are there already, which the same import wrote before it was killed.
  ///
  /// Any other script in the directory is an error.
  private func written() throws(ReleaseError) -> Set<String> {
    let catalog = try translatingUpgradeError { () throws(UpgradeError) in
      try Catalog(of: .directory(directory.shown))
    }
    var there: Set<String> = []
    let texts = Dictionary(files.map { ($0.name, $0.text) }) { first, _ in first }
    for script in catalog.all {
      let path = directory.appending(script.name.utf8)
      guard let text = texts[script.name],
        try translatingUpgradeError({ () throws(UpgradeError) in
          try Script.text(of: path)
        }) == text
      else { throw .importing(file: path.shown, .otherScript) }
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
