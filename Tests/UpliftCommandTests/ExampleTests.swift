import Foundation
import TestSupport
import Testing

/// The services in `Examples` are built and run.
struct ExampleTests {
  /// The path of the interpreter; nil if there is none.
  static let python =
    (try? Command("/usr/bin/env").run(
      "python3", "-c", "import sys; print(sys.executable)"))
    .flatMap { $0.status == 0 ? $0.output.split(separator: "\n").first.map(String.init) : nil }

  /// Runs the service in Python, in `/opt/todo`.
  private static func todo(_ directory: PageDirectory, _ requests: String) throws -> Outcome {
    let outcome = try Command(directory.here + "/todo.py").run(
      input: requests, in: directory.here, environment: directory.environment)
    return Outcome(
      status: outcome.status, output: outcome.output,
      errors: outcome.errors.replacing(directory.root(""), with: "")
        .replacing(#/ \([0-9]+\.[0-9] s\)/#, with: ""))
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func `in Python upgrades its database at each start, and stops if that fails`() throws {
    let directory = try PageDirectory(at: "/opt/todo")
    try directory.copy("Examples/python", to: "/opt/todo")
    let scripts = "root/opt/todo/Resources/Migrations/"

    let first = try Self.todo(directory, "add Buy milk\ndone 2\nlist\n")
    let second = try Self.todo(directory, "done 2\n")
    try directory.scratch.write(
      "ALTER TABLE task ADD COLUMN due TEXT;\n", to: scripts + "0005_add_due_day.sql")
    let third = try Self.todo(directory, "list\n")
    try directory.scratch.write(
      "UPDATE task SET due = 'now';\nUPDATE tasks SET due = 'now';\n", to: scripts + "0006_due.sql")
    let fourth = try Self.todo(directory, "list\n")

    let tasks = "1 - try the service\n2 x write a script\n3 - Buy milk\n"
    #expect(
      first
        == Outcome(
          status: 0, output: "added 3\ndone 2\n" + tasks,
          errors: """
            seeded data/todo.db at 1
            applied 0002_add_done.sql
            applied 0003_add_lists.sql
            applied 0004_index_open_tasks.sql
            data/todo.db is at 4

            """))
    #expect(
      second
        == Outcome(
          status: 0, output: "there is no open task 2\n", errors: "data/todo.db is at 4\n"))
    #expect(
      third
        == Outcome(
          status: 0, output: tasks,
          errors: "applied 0005_add_due_day.sql\ndata/todo.db is at 5\n"))
    #expect(
      fourth
        == Outcome(
          status: 1, output: "",
          errors: """
            uplift: /opt/todo/Resources/Migrations/0006_due.sql:2:1: no such table: tasks \
            (SQLITE_ERROR, 1); the database is at 5
              UPDATE tasks SET due = 'now';
              ^
            correct the script, then start again; nothing of it was kept

            """))
    #expect(
      try Shell.run(directory.here + "/data/todo.db", "SELECT count(due) FROM task;") == "0")
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func `in Python says that the command is not installed`() throws {
    let directory = try PageDirectory(at: "/opt/todo")
    try directory.copy("Examples/python", to: "/opt/todo")

    let outcome = try Command(#require(Self.python)).run(
      "todo.py", in: directory.here, environment: ["PATH": directory.scratch("bin")])

    #expect(
      outcome
        == Outcome(
          status: 1, output: "", errors: "todo: uplift is not installed, or not on the PATH\n"))
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func `in Python passes the exit code on if another program holds the database`() throws {
    let directory = try PageDirectory(at: "/opt/todo")
    try directory.copy("Examples/python", to: "/opt/todo")
    // The real command would wait for 30 seconds.
    try directory.write(program: "exit 75\n", named: "uplift")

    let outcome = try Self.todo(directory, "list\n")

    #expect(
      outcome
        == Outcome(
          status: 75, output: "", errors: "todo: not upgraded now; start the program again later\n")
    )
    #expect(directory.scratch.names("root/opt/todo/data") == [])
  }

  @Test(.enabled(if: python != nil, "python3 is not installed"))
  func `in Python is shown as it is`() throws {
    let directory = try PageDirectory(at: "/opt/todo")
    try directory.copy("Examples/python", to: "/opt/todo")
    let blocks = try Page("Examples/python/README.md").blocks

    #expect(blocks.map(\.language) == ["console", "console", "console", "ini"])
    for block in blocks where block.language == "console" {
      #expect(try directory.run(transcript: block.text) == block.text)
    }
  }

  @Test func `in Swift takes its resources from beside the executable`() throws {
    let package = try ExamplePackage.swift
    let scratch = try Scratch()
    for name in ["words", "words_Beside.resources"] {
      try FileManager.default.copyItem(
        atPath: "\(package.products)/\(name)", toPath: scratch(name))
    }
    // Not those of the build directory.
    let resources = scratch("words_Beside.resources/Resources")
    try Shell.run(resources + "/words.db", "INSERT INTO word (text) VALUES ('dog');")
    let words = Command(scratch("words"))

    let first = try words.run("data", in: scratch.path)
    let second = try words.run("data", in: scratch.path)
    let named = try words.run("other", "elsewhere", in: scratch.path)

    #expect(first == Outcome(status: 0, output: Self.words("seeded at 1", "dog: \n"), errors: ""))
    #expect(second == Outcome(status: 0, output: Self.words("3", "dog: \n"), errors: ""))
    #expect(
      named
        == Outcome(
          status: 66, output: "",
          errors: """
            words: the seed "elsewhere/words.db" is not there
            ship the seed, or correct its path

            """))
  }

  @Test func `in Swift carries its resources in the executable`() throws {
    let package = try ExamplePackage.swift
    let scratch = try Scratch()
    try FileManager.default.copyItem(
      atPath: "\(package.products)/words-embedded", toPath: scratch("words"))
    let words = Command(scratch("words"))

    let first = try words.run("data", in: scratch.path)
    let second = try words.run("data", in: scratch.path)

    #expect(first == Outcome(status: 0, output: Self.words("seeded at 1"), errors: ""))
    #expect(second == Outcome(status: 0, output: Self.words("3"), errors: ""))
  }

  private static func words(_ start: String, _ more: String = "") -> String {
    """
    words: \(start) -> 3
    ant: a small animal with six legs
    bee: a small animal with six legs
    cat: an animal that sleeps
    \(more)
    """
  }

  @Test func `in Swift is shown as it is`() throws {
    let package = try ExamplePackage.swift
    let directory = try PageDirectory()
    try directory.write(program: "test \"$*\" = 'build --quiet'\n", named: "swift")
    try directory.scratch.removeAll("here/.build")
    try FileManager.default.createSymbolicLink(
      atPath: directory.here + "/.build/debug", withDestinationPath: package.products)
    let blocks = try Page("Examples/swift/README.md").blocks

    #expect(blocks.map(\.language) == ["console", "console"])
    for block in blocks {
      #expect(try directory.run(transcript: block.text) == block.text)
    }
  }

  @Test(arguments: ["python/Resources", "swift/Sources/Beside/Resources"])
  func `has scripts in which the check finds nothing`(resources: String) throws {
    let path = Page.package.appendingPathComponent("Examples/\(resources)").path

    let outcome = try Command.product("uplift").run("check", "--resources", path)

    #expect(outcome == Outcome(status: 0, output: "nothing found\n", errors: ""))
  }
}
