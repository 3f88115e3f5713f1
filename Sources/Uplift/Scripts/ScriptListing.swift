internal import UpliftSystem

/// The scripts of a directory, by their names alone, in no order.
///
/// Most of them are applied already: their names stay the bytes that the directory gave, one
/// after the other, and text is made only of what is to run or to be shown.
struct ScriptListing: Sendable {
  let directory: String
  private(set) var versions: [Version] = []
  /// Where each name ends among the bytes of all.
  private var ends: [Int32] = []
  private var bytes: [UInt8] = []
  /// The alphabetically first bad name, so that the error is the same on every file system.
  private var wrong: (file: String, problem: UpgradeError.NameProblem)?
  /// The alphabetically first script that undoes another, by its name.
  private(set) var goingDown: String?
  /// What is neither a script nor hidden; mostly there is none.
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

  private mutating func add(_ name: UnsafeBufferPointer<UInt8>) {
    do throws(UpgradeError.NameProblem) {
      if let script = try ScriptName(name) {
        versions.append(script.number.version)
        bytes.append(contentsOf: name)
        ends.append(Int32(bytes.count))
        // Before the extension, the last letter of `down` or of `db`: most names end otherwise.
        let letter = name[name.count - 5] | 0x20
        if letter == UInt8(ascii: "n") || letter == UInt8(ascii: "b"),
          ScriptName.isForGoingDown(name)
        {
          let file = String(decoding: name, as: UTF8.self)
          goingDown = min(goingDown ?? file, file)
        }
      } else if name.first != UInt8(ascii: ".") {
        others.append(String(decoding: name, as: UTF8.self))
      }
    } catch {
      let file = String(decoding: name, as: UTF8.self)
      if let wrong, wrong.file <= file { return }
      wrong = (file, error)
    }
  }

  /// A numbered directory with one script in it, as Diesel and Prisma have them: the script would
  /// silently never run.
  private func directoryOfScript() -> (file: String, problem: UpgradeError.NameProblem)? {
    for name in others where name.utf8.first.map(ScriptName.isDigit) == true {
      for script in ["up.sql", "migration.sql"] where isThere(path(of: name) + "/" + script) {
        let suggestion = NumberSuggestion.name(forDirectory: name)
        return (name, .directory(script: script, suggestion: suggestion))
      }
    }
    return nil
  }

  /// The first directory in this one, if there is no script beside it.
  var onlyDirectory: String? {
    guard versions.isEmpty else { return nil }
    return others.map { path(of: $0) }.first { isThere($0 + "/.") }
  }

  private func isThere(_ path: String) -> Bool {
    do {
      return try System.facts(of: Path(path), followingLinks: true) != nil
    } catch {
      return false
    }
  }

  private func name(_ index: Int) -> ArraySlice<UInt8> {
    bytes[(index == 0 ? 0 : Int(ends[index - 1]))..<Int(ends[index])]
  }

  func file(_ index: Int) -> String { String(decoding: name(index), as: UTF8.self) }

  /// The path of a script: the directory as it was given, and the file's name.
  func path(_ index: Int) -> String { path(of: file(index)) }

  func path(of name: String) -> String {
    directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
  }

  func migration(_ index: Int) -> Migration {
    let path = path(index)
    return Migration(
      version: versions[index], name: file(index),
      body: .file(Path(directory).appending(name(index))),
      location: SourceLocation(file: path, line: 1))
  }
}
