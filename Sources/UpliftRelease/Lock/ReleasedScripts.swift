internal import Uplift
internal import UpliftSystem

/// The scripts of one directory, compared with those that were released.
struct ReleasedScripts {
  private let directory: Path
  /// All scripts of the directory, by their numbers.
  private let scripts: [Script]
  private let lock: LockFile?
  /// True if a script reads the seed, in this directory or elsewhere.
  private let shipsContent: Bool

  /// `shipped` are the scripts of all directories.
  init(in directory: Path, of shipped: ShippedScripts) throws(UpgradeError) {
    self.directory = directory
    shipsContent = !shipped.readingSeed.isEmpty
    scripts = shipped.all.filter { script in
      // The path is built as in the listing, so that a slash at the end of the directory makes no
      // difference.
      if case .file(let path) = script.migration.body {
        path == directory.appending(path.name)
      } else {
        false
      }
    }
    lock = try LockFile(in: directory)
  }

  /// What was done to released scripts.
  var facts: [PlacedFact] {
    guard let lock else { return [] }
    guard lock.faults.isEmpty else { return lock.faults }
    let byVersion = Dictionary(uniqueKeysWithValues: scripts.map { ($0.migration.version, $0) })
    let released = Set(lock.entries.map(\.version))
    let free = scripts.filter { !released.contains($0.migration.version) }
    let digests = free.map { ScriptDigest.of($0) }
    var facts: [PlacedFact] = []
    var renumbered: Set<Version> = []
    for entry in lock.entries {
      if let script = byVersion[entry.version] {
        if ScriptDigest.of(script) != entry.digest {
          facts.append(PlacedFact(.edited, in: script, at: nil))
        }
        continue
      }
      let place = Finding.Place(
        file: lock.path.shown, line: entry.line, column: nil, excerpt: nil)
      if let index = digests.firstIndex(of: entry.digest) {
        renumbered.insert(free[index].migration.version)
        facts.append(PlacedFact(.renumbered(to: free[index].migration.name), place))
      } else {
        let isNewest = entry.version == lock.newest
        facts.append(PlacedFact(.gone(entry.version, isNewest: isNewest), place))
      }
    }
    if let content = lock.content, !shipsContent {
      let place = Finding.Place(
        file: lock.path.shown, line: lock.contentLine, column: nil, excerpt: nil)
      facts.append(PlacedFact(.contentGone(content, isNewest: content == lock.newest), place))
    }
    guard let newest = lock.newest else { return facts }
    for script in free where script.migration.version <= newest {
      let version = script.migration.version
      guard !renumbered.contains(version), !script.readsSeed || version != lock.content else {
        continue
      }
      let name = lock.entries.last { $0.version == newest }?.name
      let words = name ?? "version \(newest.written(like: version))"
      let fact = Fact.inserted(newest: words, isContent: script.readsSeed)
      facts.append(PlacedFact(fact, in: script, at: nil))
    }
    return facts
  }

  /// The version of the content that was released last; 0 if none is known.
  var content: Version { lock?.content ?? .zero }

  /// The newest version that was released; 0 if none is known.
  var newest: Version { lock?.newest ?? .zero }

  /// The paths of the scripts that were released.
  var releasedPaths: Set<String> {
    let released = Set(lock?.entries.map(\.version) ?? [])
    return Set(scripts.filter { released.contains($0.migration.version) }.map(\.migration.path))
  }

  /// Records all scripts; for the one that reads the seed, only its number.
  ///
  /// A script above `target` is left out, unless it was released before. `newest` is the version
  /// that the release leads to.
  func record(
    through target: Version?, newest: Version
  ) throws(UpgradeError) -> LockedScripts {
    let path = directory.appending(LockFile.name.utf8)
    let released = Set(lock?.entries.map(\.version) ?? [])
    let recorded = scripts.filter { script in
      let version = script.migration.version
      return !script.readsSeed
        && (target.map { version <= $0 } ?? true || released.contains(version))
    }
    let content = scripts.first(where: \.readsSeed)?.migration.version
    let text = LockFile.text(
      of: recorded, content: content, newest: max(newest, lock?.newest ?? .zero))
    // Without the lock, each of two writers would take the other's new file for a leftover.
    let opened = try UpgradeError.at(directory) { () throws(SystemError) in
      try OpenFile.directory(directory)
    }
    try opened.waitForLock(directory)
    try NewFile.replace(path, by: text)
    return LockedScripts(path: path.shown, count: recorded.count)
  }
}
