import Synchronization
import TestSupport
import Testing
import Uplift

/// Scripts that share a commit, and one that fails among them.
struct GroupTests {
  /// A commit for each script, a commit now and then, one commit for all.
  static let intervals: [Duration] = [.zero, .milliseconds(100), .seconds(3600)]

  /// Ways to fail, and SQLite's code.
  ///
  /// Each follows a change that has to be undone.
  static let mistakes: [(statement: String, name: String)] = [
    ("INSERT INTO nosuch VALUES(1)", "SQLITE_ERROR"),
    ("INSERT INTO t VALUES(7), (1)", "SQLITE_CONSTRAINT_UNIQUE"),
    ("INSERT OR FAIL INTO t VALUES(7), (1)", "SQLITE_CONSTRAINT_UNIQUE"),
    ("INSERT OR ABORT INTO t VALUES(7), (1)", "SQLITE_CONSTRAINT_UNIQUE"),
    ("INSERT OR ROLLBACK INTO t VALUES(7), (1)", "SQLITE_CONSTRAINT_UNIQUE"),
    ("UPDATE OR ROLLBACK t SET a = 1", "SQLITE_CONSTRAINT_UNIQUE"),
    ("INSERT INTO rolling VALUES(1), (1)", "SQLITE_CONSTRAINT_UNIQUE"),
    ("INSERT INTO rolling VALUES(NULL)", "SQLITE_CONSTRAINT_NOTNULL"),
    ("INSERT INTO t VALUES(-1)", "SQLITE_CONSTRAINT_TRIGGER"),
    ("INSERT INTO t VALUES(-2)", "SQLITE_CONSTRAINT_TRIGGER"),
    ("INSERT INTO t VALUES(-3)", "SQLITE_CONSTRAINT_TRIGGER"),
    ("INSERT INTO t VALUES(zeroblob(1 << 40))", "SQLITE_TOOBIG"),
    ("SELECT abs(-9223372036854775808)", "SQLITE_ERROR"),
    ("INSERT INTO strict VALUES('x')", "SQLITE_CONSTRAINT_DATATYPE"),
  ]

  static let start = """
    CREATE TABLE t(a UNIQUE);
    CREATE TABLE strict(a INTEGER) STRICT;
    CREATE TABLE rolling(a NOT NULL ON CONFLICT ROLLBACK UNIQUE ON CONFLICT ROLLBACK);
    CREATE TRIGGER ra BEFORE INSERT ON t WHEN new.a = -1 BEGIN SELECT RAISE(ROLLBACK, 'no'); END;
    CREATE TRIGGER rb BEFORE INSERT ON t WHEN new.a = -2 BEGIN SELECT RAISE(ABORT, 'no'); END;
    CREATE TRIGGER rc BEFORE INSERT ON t WHEN new.a = -3 BEGIN SELECT RAISE(FAIL, 'no'); END;
    """

  @Test(.tags(.S2, .promise4, .promise6), arguments: mistakes, 1...3)
  func `keeps the scripts before one that fails, and nothing of it or of those after it`(
    mistake: (statement: String, name: String), number: Int
  ) throws {
    var scripts = [
      "INSERT INTO t VALUES(1); CREATE TABLE one(a);", "INSERT INTO t VALUES(2);",
      "CREATE TABLE three(a); INSERT INTO t VALUES(3);", "INSERT INTO t VALUES(4);",
    ]
    scripts[number - 1] = "CREATE TABLE gone(a); INSERT INTO t VALUES(8);\n \(mistake.statement);"
    if number == 1 { scripts[0] = "INSERT INTO t VALUES(1);" + scripts[0] }

    let expected = try Trial(scripts: Array(scripts.prefix(number - 1)), start: Self.start)
    if number > 1 { try expected.upgrade() }
    for interval in Self.intervals {
      let trial = try Trial(scripts: scripts, start: Self.start)
      let failure = trial.failure { $0.commitInterval = interval }

      #expect(failure?.place?.file == trial.path(number))
      #expect(failure?.placeInScript == "2:2")
      #expect(failure?.text == " \(mistake.statement);")
      #expect(failure?.reached?.number == Int32(number - 1))
      #expect(failure?.sqlite?.name == mistake.name)
      #expect(try trial.state() == expected.state())
    }
  }

  /// The scripts of a group run again one by one, so their events come twice.
  @Test(.tags(.S2, .S18, .promise6), arguments: intervals)
  func `reports each commit once, though a later script undid it and it ran again`(
    interval: Duration
  ) throws {
    let trial = try Trial(
      "CREATE TABLE t(a UNIQUE);", "INSERT INTO t VALUES(1);",
      "INSERT OR ROLLBACK INTO t VALUES(1);", start: "CREATE TABLE x(a);")
    var told: [String] = []

    #expect(throws: UpgradeError.self) {
      try trial.upgrader(to: 3) { $0.commitInterval = interval }.upgrade { event in
        switch event {
        case .started(let step): told.append("\(step.index) of \(step.count)")
        case .committed(let last): told.append("at \(last)")
        default: break
        }
      }
    }

    let alone = ["1 of 3", "at 1", "2 of 3", "at 2", "3 of 3"]
    #expect(told == (interval == .zero ? alone : ["1 of 3", "2 of 3", "3 of 3"] + alone))
  }

  /// A step that takes minutes does not fail after twice as long.
  @Test(.tags(.promise6)) func `runs a step that fails once, if no other ran before it`() throws {
    let trial = try Trial("CREATE TABLE t(a);", start: "CREATE TABLE x(a);")
    let count = Mutex(0)
    let step = Migration.code(2, "fails") { database in
      count.withLock { $0 += 1 }
      try database.execute("INSERT INTO nosuch VALUES (1)")
    }
    try trial.upgrade(to: 1)

    #expect(throws: UpgradeError.self) {
      try Upgrader(database: trial.database, migrations: [step]).upgrade()
    }

    #expect(count.withLock { $0 } == 1)
  }

  @Test(.tags(.promise5))
  func `counts the scripts anew if another program sets the version back meanwhile`() throws {
    let scripts = (1...4).map { "CREATE TABLE IF NOT EXISTS t\($0)(a);" }
    let trial = try Trial(
      scripts: scripts, start: "CREATE TABLE t(a); PRAGMA user_version = 3;")
    var told: [String] = []

    let upgrade = try trial.upgrader().upgrade { event in
      switch event {
      case .existing: #expect(throws: Never.self) { try trial.ask("PRAGMA user_version = 0;") }
      case .started(let script):
        told.append("\(script.version): \(script.index) of \(script.count)")
      default: break
      }
    }

    #expect(told == ["1: 1 of 4", "2: 2 of 4", "3: 3 of 4", "4: 4 of 4"])
    #expect(upgrade.applied.map(\.version) == [1, 2, 3, 4])
  }

  @Test(.tags(.promise4, .promise5), arguments: intervals)
  func `commits as often as the interval says, and leaves the same database`(interval: Duration)
    throws
  {
    let scripts = (1...9).map { "CREATE TABLE t\($0)(a); INSERT INTO t\($0) VALUES(\($0));" }
    let trial = try Trial(scripts: scripts)
    let single = try Trial(scripts: scripts)
    for number in 1...9 { try single.upgrade(to: number) }
    var commits: [Version] = []

    let upgrade = try trial.upgrader { $0.commitInterval = interval }.upgrade { event in
      if case .committed(let last) = event { commits.append(last) }
    }

    #expect(upgrade.applied.map(\.version.number) == Array(1...9))
    #expect(try trial.state() == single.state())
    if interval == .zero { #expect(commits.map(\.number) == Array(1...9)) }
    if interval > .seconds(1) { #expect(commits == [9]) }
    #expect(commits.last == 9)
  }

  @Test(.tags(.promise4))
  func `bumps the version with each script, and not before`() throws {
    let trial = try Trial(
      "CREATE TABLE seen AS SELECT user_version FROM pragma_user_version;",
      "INSERT INTO seen SELECT user_version FROM pragma_user_version;",
      "INSERT INTO seen SELECT user_version FROM pragma_user_version;")

    try trial.upgrade { $0.commitInterval = .seconds(3600) }

    #expect(try trial.ask("SELECT group_concat(user_version) FROM seen") == "0,1,2")
  }
}
