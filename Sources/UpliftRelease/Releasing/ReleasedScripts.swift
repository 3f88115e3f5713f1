internal import Uplift
internal import UpliftSystem

/// The scripts of one directory, compared with those that were released.
struct ReleasedScripts {
  /// All scripts of the directory, by their numbers.
  private let scripts: [Script]
  private let lock: LockFile?
  /// What is wrong with the lock file.
  let fault: Finding?
  /// The versions of the scripts that were released, but for those that read the seed.
  private let released: Set<Version>
  /// The released scripts up to this version may be gone.
  private let floor: Version
  /// True if a script reads the seed, in this directory or elsewhere.
  private let shipsContent: Bool

  /// `shipped` are the scripts of all directories.
  init(in name: String, of shipped: ShippedScripts) throws(UpgradeError) {
    let directory = Path(name)
    shipsContent = !shipped.readingSeed.isEmpty
    floor = try shipped.floor()
    scripts = shipped.all.filter { script in
      guard case .file(let path) = script.migration.body else { return false }
      // The path is built as in the listing, so that a slash at the end of the directory makes no
      // difference.
      return path == directory.appending(path.name)
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
    released = Set(lock?.entries.map(\.version) ?? [])
  }

  /// What was done to released scripts.
  var findings: [Finding] {
    guard let lock else { return fault.map { [$0] } ?? [] }
    let byVersion = Dictionary(uniqueKeysWithValues: scripts.map { ($0.migration.version, $0) })
    var findings: [Finding] = []
    for entry in lock.entries {
      if let script = byVersion[entry.version] {
        if script.digest != entry.digest { findings.append(Self.edited(script)) }
      } else if entry.version > floor {
        findings.append(gone("script", entry.version, entry.place))
      }
    }
    if let (version, place) = lock.content, !shipsContent, version > floor {
      findings.append(gone("script that reads the seed", version, place))
    }
    for script in scripts {
      let version = script.migration.version
      let isReleased =
        released.contains(version) || script.readsSeed && version == lock.content?.version
      if !isReleased, version <= newest { findings.append(inserted(script)) }
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

  private func gone(_ what: String, _ version: Version, _ place: UpgradeError.Place) -> Finding {
    Finding(
      .scriptGone, Finding.Place(inLockFile: place),
      "the released \(what) is not there, so no database below \(version) would get its changes",
      fix:
        "put it back; or, if no such database exists, write -- uplift: from \(version.number) into "
        + "the lowest script; if none is above it, let uplift.lock end with: newest \(newest.number)"
    )
  }

  private func inserted(_ script: Script) -> Finding {
    let newest = newest.written(like: script.migration.version)
    return Finding(
      .scriptInserted, in: script,
      "the script is not above \(newest), which is released: a database there "
        + "never runs it",
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
    Set(scripts.filter { released.contains($0.migration.version) }.map(\.migration.path))
  }

  /// The text of the lock file after a release; of the script that reads the seed, it has only the
  /// number.
  ///
  /// A script above `target` is left out, unless it was released before. `newest` is the version
  /// that the release leads to.
  func lockFile(through target: Version?, newest: Version) -> [UInt8] {
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
