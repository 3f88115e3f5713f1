internal import Uplift
internal import UpliftRelease
internal import UpliftSQLite
internal import UpliftSystem

extension Run {
  /// `uplift new`: writes the next script.
  func new() throws(UpgradeError) -> Report {
    let upgrader = try upgrader()
    let script = NewScript(
      in: try scripts(of: upgrader), for: upgrader, released: arguments.released)
    if let refresh = arguments.refresh {
      let tables = refresh.split(separator: ",").map(String.init) + arguments.words
      let path = try script.write(
        refreshing: tables, overwrites: arguments.overwrites, isCancelled: Self.isCancelled)
      return Report(
        lines: ["wrote \(path)", "read it, then run uplift bake --content"],
        members: ["file": path])
    }
    // Several words may be in one argument.
    let words = arguments.words.flatMap { $0.split(whereSeparator: \.isWhitespace) }
    let path = try script.write(words.map(String.init))
    let advice = "write the script, and remove the line -- uplift: unfinished"
    return Report(lines: ["wrote \(path)", advice], members: ["file": path])
  }

  /// The directory that gets the new script.
  private func scripts(of upgrader: Upgrader) throws(UpgradeError) -> String {
    for case .directory(let path) in upgrader.migrations.sources { return path }
    throw UpgradeError(
      .path, "the options name no directory of scripts",
      fix: "name it with --migrations, or its directory with --resources")
  }

  /// `uplift new --import DIR`: takes over the scripts of another tool.
  func importScripts(of source: String) throws(UpgradeError) -> Report {
    let migrations = try scripts(of: upgrader())
    do {
      let imported = try ScriptImport(of: source, into: migrations).write()
      let files = [
        ("--resources", arguments.resources), ("--seed", arguments.seed),
        ("--migrations", arguments.migrations),
      ]
      let options = files.compactMap { name, value in value.map { " \(name) \($0.shellWord)" } }
      return Report(
        lines: imported.scripts.map { "\($0.name)  from \($0.from)" }
          + imported.passedOver.map { "passed over \($0)" } + [
            "to take over a database of the other tool, run this once: "
              + "uplift adopt --database FILE" + options.joined()
          ],
        members: [
          "scripts": imported.scripts.map {
            ["file": $0.path, "number": $0.version, "from": $0.from] as JSON
          }, "passedOver": imported.passedOver,
        ])
    } catch {
      let errors = error.errors.map { ErrorReport($0) }
      return Report(
        members: ["scripts": [JSON](), "passedOver": [JSON](), "errors": errors], errors: errors)
    }
  }

  /// `uplift init NAME`: makes the directories, an empty seed and a first script.
  ///
  /// Nothing is replaced: a directory of resources that holds something is refused.
  func initialize() throws(UpgradeError) -> Report {
    let name = arguments.words.first ?? ""
    let resources = arguments.resources ?? "Resources"
    let migrations = resources.appending(component: "Migrations")
    let seed = resources.appending(component: name + ".db")
    let script = migrations.appending(component: "0001_first.sql")
    guard name.first?.isLetter == true, !name.contains("/"), name == name.printable else {
      throw .path(
        name, "is no name for a seed",
        fix: "begin with a letter, as in uplift init guestbook; the file gets the ending .db")
    }
    // Of two at once, one makes the directory of scripts.
    let isNew = try UpgradeError.at(Path(resources)) { () throws(SystemError) in
      _ = try System.makeDirectory(Path(resources))
      let names = try System.names(in: Path(resources))
      return names.isEmpty ? try System.makeDirectory(Path(migrations)) : false
    }
    guard isNew else {
      throw .path(
        resources, "holds files already",
        fix: "uplift new WORDS writes the next script; or name an empty directory with --resources")
    }
    try write(Self.firstScript, to: Path(script))
    try makeSeed(Path(seed))
    let option = arguments.resources.map { " --resources \($0.shellWord)" } ?? ""
    return Report(
      lines: [
        "made \(seed), an empty seed", "made \(script): write your own tables into it", "",
        "  uplift check\(option)", "  uplift bake\(option)", "  uplift up\(option)", "",
        "check tries the script, bake runs it on the seed, up makes data/\(name).db.",
      ],
      members: ["seed": seed, "script": script])
  }

  private static let firstScript = """
    -- Runs once on each database that is below version 1. Put your own tables here.
    -- Until the first release you may change it: then run uplift bake --empty, and remove the
    -- directory data. After that, each change is a script of its own: uplift new WORDS
    CREATE TABLE note (
      id INTEGER PRIMARY KEY,
      text TEXT NOT NULL
    );

    """

  /// Writes a file whose name must be free.
  private func write(_ text: String, to path: Path) throws(UpgradeError) {
    try UpgradeError.at(path) { () throws(SystemError) in
      let file = try OpenFile.creating(path)
      _ = try file.writeAll(Array(text.utf8)) { false }
      try file.sync()
    }
  }

  /// Makes an empty database: SQLite writes its header.
  private func makeSeed(_ path: Path) throws(UpgradeError) {
    try write("", to: path)
    let deadline = Deadline(patience: .seconds(5), isCancelled: { false })
    do throws(SQLiteError) {
      let connection = try Connection(path: path.bytes, access: .readWrite, deadline: deadline)
      try connection.run("PRAGMA user_version = 0")
    } catch {
      throw UpgradeError(error, at: path.shown)
    }
  }
}
