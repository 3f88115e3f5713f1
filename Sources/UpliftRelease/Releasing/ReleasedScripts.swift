internal import Uplift
internal import UpliftSystem

/// The scripts of one directory, compared with those that were released.
struct ReleasedScripts {
  /// All scripts of the directory, by their numbers.
  private let scripts: [Script]
  private let lock: LockFile?
  /// What is wrong with the lock file.
  let fault: Finding?
  /// True if a script reads the seed, in this directory or elsewhere.
  private let shipsContent: Bool

  /// `shipped` are the scripts of all directories.
  init(in name: String, of shipped: ShippedScripts) throws(UpgradeError) {
    let directory = Path(name)
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
    do throws(UpgradeError) {
      let isLocked = try !Migrations.directory(name).lockedDirectories().isEmpty
      lock = isLocked ? try LockFile(in: name) : nil
      fault = nil
    } catch {
      guard let place = error.place else { throw error }
      lock = nil
      fault = Finding(.lockFile, Finding.Place(inLockFile: place), error.message, fix: error.remedy)
    }
  }

  /// What was done to released scripts.
  var findings: [Finding] {
    guard let lock else { return fault.map { [$0] } ?? [] }
    let byVersion = Dictionary(uniqueKeysWithValues: scripts.map { ($0.migration.version, $0) })
    let released = Set(lock.entries.map(\.version))
    let free = scripts.filter { !released.contains($0.migration.version) }
    let digests = free.map(\.digest)
    var findings: [Finding] = []
    var renumbered: Set<Version> = []
    for entry in lock.entries {
      if let script = byVersion[entry.version] {
        if script.digest != entry.digest { findings.append(Self.edited(script)) }
      } else if let index = digests.firstIndex(of: entry.digest) {
        renumbered.insert(free[index].migration.version)
        findings.append(
          Finding(
            .scriptGone, Finding.Place(inLockFile: entry.place),
            "the released script is now \(free[index].migration.name)",
            fix: "give it its old name back"))
      } else {
        findings.append(gone(entry.version, entry.place, isContent: false))
      }
    }
    if let (content, line) = lock.content, !shipsContent {
      findings.append(gone(content, line, isContent: true))
    }
    let newest = lock.newest
    for script in free where script.migration.version <= newest {
      let version = script.migration.version
      guard !renumbered.contains(version), !script.readsSeed || version != lock.content?.version
      else { continue }
      let name = lock.entries.last { $0.version == newest }?.name
      findings.append(
        Self.inserted(script, below: name ?? "version \(newest.written(like: version))"))
    }
    return findings
  }

  private static func edited(_ script: Script) -> Finding {
    Finding(
      .scriptEdited, in: script, "the script is not the one that was released",
      fix:
        "restore the released text, and put the change into a new script; if no database has run the "
        + "script, delete its line in uplift.lock and all lines after it, then run uplift release")
  }

  private func gone(
    _ version: Version, _ place: UpgradeError.Place, isContent: Bool
  ) -> Finding {
    let (what, changes) =
      isContent ? ("script that reads the seed", "rows") : ("script", "changes")
    let mark = "newest \(version.number)"
    let remedy =
      switch (version == lock?.newest, isContent) {
      case (true, true):
        "; or, if no database needs these rows any more, replace the line by: \(mark)"
      case (false, true): ", or delete the line if no database needs these rows any more"
      case (true, false):
        "; or, if no such database exists, delete its line in uplift.lock and write at the end of the "
          + "file: \(mark)"
      case (false, false): ", or delete its line in uplift.lock if no such database exists"
      }
    return Finding(
      .scriptGone, Finding.Place(inLockFile: place),
      "the released \(what) is not there, so no database below \(version) would get its \(changes)",
      fix: "put it back" + remedy)
  }

  private static func inserted(_ script: Script, below newest: String) -> Finding {
    Finding(
      .scriptInserted, in: script,
      "the script is not above \(newest), which is released, so a database at that version never runs it",
      fix: script.readsSeed
        ? "run uplift bake --content, which gives the seed and the script the next number"
        : "give the script a number above the released ones; if the seed has run the script, first put "
          + "back the seed from before that")
  }

  /// The version of the content that was released last; 0 if none is known.
  var content: Version { lock?.content?.version ?? .zero }

  /// The newest version that was released; 0 if none is known.
  var newest: Version { lock?.newest ?? .zero }

  /// The paths of the scripts that were released.
  var releasedPaths: Set<String> {
    let released = Set(lock?.entries.map(\.version) ?? [])
    return Set(scripts.filter { released.contains($0.migration.version) }.map(\.migration.path))
  }

  /// The text of the lock file after a release; of the script that reads the seed, it has only the
  /// number.
  ///
  /// A script above `target` is left out, unless it was released before. `newest` is the version
  /// that the release leads to.
  func lockFile(through target: Version?, newest: Version) -> [UInt8] {
    let released = Set(lock?.entries.map(\.version) ?? [])
    let recorded = scripts.filter { script in
      let version = script.migration.version
      return !script.readsSeed
        && (target.map { version <= $0 } ?? true || released.contains(version))
    }
    let content = scripts.first(where: \.readsSeed)?.migration.version
    return LockFile.text(
      of: recorded, content: content, newest: max(newest, lock?.newest ?? .zero))
  }
}

extension Finding.Place {
  /// A line of the lock file.
  fileprivate init(inLockFile place: UpgradeError.Place) {
    self.init(file: place.file, line: place.line, column: nil, excerpt: nil)
  }
}

extension Upgrader.Migrations {
  /// The newest version that was released; 0 if none is known.
  func newestReleased() throws(UpgradeError) -> Version {
    var newest = Version.zero
    for directory in try lockedDirectories() {
      newest = max(newest, try LockFile(in: directory).newest)
    }
    return newest
  }
}
