import Foundation

/// Other tools that people use, if they are installed, as whole processes.
///
/// Each gets the scripts of the workload in its own form, and is compared with the same floor. Tables
/// that it keeps beside `user_version` count as its cost.
struct Peers {
  /// A peer that is not installed, and why it is skipped.
  private(set) var absent: [String] = []
  private let shell: String?
  private let python: String?
  private var modules: Set<String> = []
  private var programs: [String: String] = [:]

  init() {
    shell = Run.find("sqlite3")
    if shell == nil { absent.append("sqlite3: not installed") }
    python = Run.find("python3")
    for module in ["yoyo", "alembic", "sqlite_migrate"] {
      let found = try? python.map { try Run.capture([$0, "-c", "import \(module)"]).code == 0 }
      if found == true {
        modules.insert(module)
      } else {
        absent.append("\(module): python3 cannot import it")
      }
    }
    for program in ["sqitch", "sql-migrate"] {
      programs[program] = Run.find(program)
      if programs[program] == nil { absent.append("\(program): not installed") }
    }
  }

  func contenders(_ workload: Workload, _ meter: Meter) throws -> [Meter.Contender] {
    let fixture = meter.fixture
    guard ["W1", "W3", "W3t", "W4"].contains(workload.name) else { return [] }
    let floor = [meter.programs.floor] + fixture.arguments
    var all: [Meter.Contender] = []
    if let shell { all.append(try sqlite(shell, workload, fixture, floor)) }
    guard workload.name != "W4" else { return all }
    if let program = programs["sql-migrate"] {
      all.append(try sqlMigrate(program, fixture, floor))
    }
    // It takes a minute for a thousand scripts, and keeps its state outside the database.
    if let program = programs["sqitch"], workload.name == "W3t" {
      all.append(try sqitch(program, fixture, floor))
    }
    guard let python else { return all }
    if modules.contains("yoyo") { all.append(yoyo(python, fixture, floor)) }
    if modules.contains("sqlite_migrate") {
      all.append(try sqliteMigrate(python, fixture, floor))
    }
    if modules.contains("alembic") { all.append(try alembic(python, fixture, floor)) }
    // For a boot with nothing to do, each peer first upgrades a database itself.
    guard workload.name == "W1" else { return all }
    return try all.map { contender in
      var contender = contender
      guard contender.skipsVersion else { return contender }
      try fixture.reset(to: nil)
      _ = try Run.measure(contender.command, by: meter.programs.launch)
      let before = fixture.directory + "/before-" + contender.name
      try FileManager.default.copyItem(atPath: fixture.database, toPath: before)
      contender.before = before
      return contender
    }
  }

  func scripts(_ fixture: Fixture) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.migrations).sorted()
  }

  /// Like a shell script: one process, and every script in a transaction with its number.
  private func sqlite(
    _ shell: String, _ workload: Workload, _ fixture: Fixture, _ floor: [String]
  ) throws -> Meter.Contender {
    let input = fixture.directory + "/input.sql"
    var text = "PRAGMA user_version;\n"
    if workload.name != "W1" {
      for (index, script) in try scripts(fixture).enumerated() {
        text += "BEGIN IMMEDIATE;\n.read \(fixture.migrations)/\(script)\n"
        text += "PRAGMA user_version = \(index + 1);\nCOMMIT;\n"
      }
    }
    try text.write(toFile: input, atomically: false, encoding: .utf8)
    return .init(
      name: "sqlite3", command: [shell, "-bail", fixture.database], floor: floor, input: input)
  }

  private func yoyo(_ python: String, _ fixture: Fixture, _ floor: [String]) -> Meter.Contender {
    .init(
      name: "yoyo",
      command: [
        python, "-c", "from yoyo.scripts.main import main; main()", "apply", "--batch",
        "--no-config-file", "--database", "sqlite:///" + fixture.database, fixture.migrations,
      ], floor: floor, skipsVersion: true, mostRuns: 3)
  }

  private func sqliteMigrate(
    _ python: String, _ fixture: Fixture, _ floor: [String]
  ) throws -> Meter.Contender {
    let file = fixture.directory + "/migrations.py"
    var text = "from sqlite_migrate import Migrations\nmigration = Migrations('app')\n"
    for (index, script) in try scripts(fixture).enumerated() {
      let sql = try String(contentsOfFile: fixture.migrations + "/" + script, encoding: .utf8)
      text += "@migration()\ndef m\(index + 1)(db):\n  db.executescript('''\(sql)''')\n"
    }
    try text.write(toFile: file, atomically: false, encoding: .utf8)
    return .init(
      name: "sqlite-migrate",
      command: [
        python, "-c", "from sqlite_utils.cli import cli; cli()", "migrate", fixture.database, file,
      ], floor: floor, skipsVersion: true, mostRuns: 3)
  }

  private func alembic(
    _ python: String, _ fixture: Fixture, _ floor: [String]
  ) throws -> Meter.Contender {
    let home = fixture.directory + "/alembic"
    try FileManager.default.createDirectory(
      atPath: home + "/versions", withIntermediateDirectories: true)
    for (index, script) in try scripts(fixture).enumerated() {
      let sql = try String(contentsOfFile: fixture.migrations + "/" + script, encoding: .utf8)
      let text = """
        from alembic import op
        revision = 'r\(index + 1)'
        down_revision = \(index == 0 ? "None" : "'r\(index)'")
        def upgrade():
          op.execute('''\(sql)''')
        """
      try text.write(
        toFile: home + "/versions/r\(index + 1).py", atomically: false, encoding: .utf8)
    }
    try """
    from alembic import context
    from sqlalchemy import create_engine
    with create_engine('sqlite:///\(fixture.database)').connect() as connection:
      context.configure(connection=connection, transaction_per_migration=True)
      with context.begin_transaction():
        context.run_migrations()

    """.write(toFile: home + "/env.py", atomically: false, encoding: .utf8)
    try "[alembic]\nscript_location = \(home)\n".write(
      toFile: home + "/alembic.ini", atomically: false, encoding: .utf8)
    return .init(
      name: "alembic",
      command: [
        python, "-c", "from alembic.config import main; main()", "-c", home + "/alembic.ini",
        "upgrade", "head",
      ], floor: floor, skipsVersion: true, mostRuns: 3)
  }
}
