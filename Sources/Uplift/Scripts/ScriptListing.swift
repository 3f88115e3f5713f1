internal import UpliftSystem

/// The scripts of a directory, by their names alone and in no order; none is opened.
struct ScriptListing {
  private(set) var scripts: [Migration] = []
  /// The path of the alphabetically first script that undoes another.
  private(set) var goingDown: String?
  /// The path of the first directory inside this one, if there is no script beside it.
  private(set) var onlyDirectory: String?
  /// The directory's path as the caller wrote it, and a slash.
  private let prefix: [UInt8]
  /// The alphabetically first bad name, so that the error is the same on every file system.
  private var wrong: (name: String, error: UpgradeError)?
  /// The directories, and the files that are not scripts; hidden ones are left out.
  private var others: [String] = []

  init(of directory: String) throws(UpgradeError) {
    let path = Path(directory)
    prefix = Array((directory.hasSuffix("/") ? directory : directory + "/").utf8)
    do {
      try System.forEachName(in: path) { add($0) }
    } catch {
      let missing = UpgradeError.missingScripts(directory)
      if error.isNotADirectory { throw missing }
      throw UpgradeError(error, reading: path, missing: missing)
    }
    if let wrong { throw wrong.error }
    others.sort()
    try refuseDirectoryOfScript()
    if scripts.isEmpty { onlyDirectory = others.map(shown).first { exists($0 + "/.") } }
  }

  private mutating func add(_ file: UnsafeBufferPointer<UInt8>) {
    let name = String(decoding: file, as: UTF8.self)
    do throws(UpgradeError) {
      if let version = try ScriptName.number(of: file, at: shown(name)) {
        scripts.append(Migration(script: name, version, .file(Path(prefix + file))))
        if ScriptName.isForGoingDown(file) {
          goingDown = min(goingDown ?? shown(name), shown(name))
        }
      } else if file.first != UInt8(ascii: ".") {
        others.append(name)
      }
    } catch {
      if let wrong, wrong.name <= name { return }
      wrong = (name, error)
    }
  }

  /// Refuses a numbered directory with one script in it, as Diesel and Prisma have them: the script
  /// would silently never run.
  private func refuseDirectoryOfScript() throws(UpgradeError) {
    for name in others where name.utf8.first.map(ScriptName.isDigit) == true {
      for script in ["up.sql", "migration.sql"] where exists(shown(name) + "/" + script) {
        throw .name(
          shown(name), "a directory with \(script.quoted) in it, not a script",
          fix: "move \(script) out of it, to NUMBER_WORDS.sql beside it")
      }
    }
  }

  private func exists(_ path: String) -> Bool {
    do {
      return try System.facts(of: Path(path), followingLinks: true) != nil
    } catch {
      return false
    }
  }

  /// The path of a file.
  private func shown(_ name: String) -> String { String(decoding: prefix, as: UTF8.self) + name }
}
