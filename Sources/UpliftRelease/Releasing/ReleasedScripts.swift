internal import Uplift
internal import UpliftSystem

/// The scripts of one directory, compared with those that were released.
struct ReleasedScripts {
  /// All scripts of the directory, by their numbers.
  private let scripts: [Script]
  private let lock: LockFile?
  /// What is wrong with the lock file.
  let fault: PlacedFact?
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
      fault = PlacedFact(
        .lockFile(words: error.message, remedy: error.remedy), Finding.Place(inLockFile: place))
    }
  }

  /// What was done to released scripts.
  var facts: [PlacedFact] {
    guard let lock else { return fault.map { [$0] } ?? [] }
    let byVersion = Dictionary(uniqueKeysWithValues: scripts.map { ($0.migration.version, $0) })
    let released = Set(lock.entries.map(\.version))
    let free = scripts.filter { !released.contains($0.migration.version) }
    let digests = free.map(\.digest)
    var facts: [PlacedFact] = []
    var renumbered: Set<Version> = []
    for entry in lock.entries {
      if let script = byVersion[entry.version] {
        if script.digest != entry.digest {
          facts.append(PlacedFact(.edited, in: script, at: nil))
        }
        continue
      }
      let place = Finding.Place(inLockFile: entry.place)
      if let index = digests.firstIndex(of: entry.digest) {
        renumbered.insert(free[index].migration.version)
        facts.append(PlacedFact(.renumbered(to: free[index].migration.name), place))
      } else {
        let isNewest = entry.version == lock.newest
        facts.append(PlacedFact(.gone(entry.version, isNewest: isNewest), place))
      }
    }
    let newest = lock.newest
    if let (content, line) = lock.content, !shipsContent {
      let place = Finding.Place(inLockFile: line)
      facts.append(PlacedFact(.contentGone(content, isNewest: content == newest), place))
    }
    for script in free where script.migration.version <= newest {
      let version = script.migration.version
      guard !renumbered.contains(version), !script.readsSeed || version != lock.content?.version
      else {
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
