internal import UpliftSystem

/// The scripts of a directory, by their names alone and in no order.
///
/// No script is opened.
struct ScriptListing: Sendable {
  /// A script, as its file's name describes it.
  struct Entry: Sendable {
    let name: String
    let version: Version
  }

  let directory: String
  private(set) var scripts: [Entry] = []
  /// The alphabetically first script that undoes another, by its name.
  private(set) var goingDown: String?
  /// The first bad name in alphabetical order, so that the error is the same on every file system.
  private var wrong: (file: String, problem: UpgradeError.NameProblem)?
  /// The directories, and the files that are not scripts; hidden ones are left out.
  ///
  /// Most directories of scripts have neither.
  private var others: [String] = []

  init(of directory: String) throws(UpgradeError) {
    self.directory = directory
    do {
      try System.forEachName(in: Path(directory)) { add($0) }
    } catch {
      let missing = UpgradeError.missing(.migrations, path: directory)
      if error.isNotADirectory { throw missing }
      throw UpgradeError(error, reading: Path(directory), missing: missing)
    }
    others.sort()
    let wrong = wrong ?? directoryOfScript()
    if let wrong { throw .scriptName(file: path(of: wrong.file), wrong.problem) }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    let name = String(decoding: bytes, as: UTF8.self)
    do throws(UpgradeError.NameProblem) {
      if let script = try ScriptName(bytes) {
        scripts.append(Entry(name: name, version: script.number.version))
        if ScriptName.isForGoingDown(bytes) { goingDown = min(goingDown ?? name, name) }
      } else if bytes.first != UInt8(ascii: ".") {
        others.append(name)
      }
    } catch {
      if let wrong, wrong.file <= name { return }
      wrong = (name, error)
    }
  }

  /// A numbered directory with one script in it, as Diesel and Prisma have them.
  ///
  /// It is an error, because the script would silently never run.
  private func directoryOfScript() -> (file: String, problem: UpgradeError.NameProblem)? {
    for name in others where name.utf8.first.map(ScriptName.isDigit) == true {
      for script in ["up.sql", "migration.sql"] where exists(path(of: name) + "/" + script) {
        return (name, .directory(script: script))
      }
    }
    return nil
  }

  /// The first directory inside this one, if there is no script beside it.
  var onlyDirectory: String? {
    guard scripts.isEmpty else { return nil }
    return others.map { path(of: $0) }.first { exists($0 + "/.") }
  }

  private func exists(_ path: String) -> Bool {
    do {
      return try System.facts(of: Path(path), followingLinks: true) != nil
    } catch {
      return false
    }
  }

  /// The path of a file: the directory as the caller wrote it, and the file's name.
  func path(of name: String) -> String {
    directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
  }

  func migration(_ script: Entry) -> Migration {
    Migration(
      version: script.version, name: script.name,
      body: .file(Path(directory).appending(script.name.utf8)),
      location: SourceLocation(file: path(of: script.name), line: 1))
  }
}
