import Foundation
import TestSupport
import Testing

/// Under systemd, a long upgrade asks for more time while it makes progress, and only then.
@Suite(.timeLimit(.minutes(10)))
struct ServiceManagerTests {
  /// Some statements that take some hundredths of a second each.
  private static func statements(_ count: Int) -> String {
    String(repeating: Service.slow + "\n", count: count)
  }

  private static let endless =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;"

  private static func start(
    _ service: Service, _ socket: String, _ arguments: String...
  ) throws -> Running {
    try Command.product("uplift").start(
      arguments, in: service.scratch.path, environment: ["NOTIFY_SOCKET": socket])
  }

  @Test(.tags(.O16), arguments: [true, false])
  func `asks for more time while statements end`(isAbstract: Bool) throws {
    let service = try Service(scripts: ["0002_long 100% \u{e9}.sql": Self.statements(5000)])
    let name = isAbstract ? "@uplift-\(UUID().uuidString)" : service.scratch("notify")
    let socket = try NotificationSocket(name)
    let running = try Self.start(service, name)

    let messages = socket.messages(2, within: 30)
    running.terminate()
    let outcome = try running.wait()

    #expect(outcome.status == 143)
    #expect(messages.count == 2)
    for message in messages {
      let lines = message.split(separator: "\n").map(String.init)
      #expect(lines.count == 2)
      #expect(lines[0] == "EXTEND_TIMEOUT_USEC=60000000")
      let form = /STATUS=0002_long 100% \u{e9}\.sql \(1 of 1\), [0-9]+%/
      #expect(lines[1].wholeMatch(of: form) != nil, "\(lines[1])")
    }
  }

  /// The job of `a.db` waits for a reader of its line, while the script of `b.db` runs.
  @Test(.tags(.O13, .O16)) func `keeps no database locked because nobody reads the output`() throws
  {
    let fleet = try Fleet(
      ["a.db"],
      scripts: [
        "2_slow.sql": """
        WITH RECURSIVE n (i) AS (
          SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < (SELECT count(*) FROM guests) * 10000)
        SELECT count(*) FROM n;
        """
      ])
    try fleet.add(
      "b.db",
      """
      INSERT INTO guests (name) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
      SELECT 'guest' FROM n LIMIT 200;
      """)
    let socket = try NotificationSocket(fleet.service.scratch("notify"))

    let outcome = try fleet.service.shell(
      """
      mkfifo full && exec 3<>full && { timeout 1 cat /dev/zero >&3; }
      NOTIFY_SOCKET='\(socket.name)' uplift up --each tenants --jobs 2 >&3 & upgrade=$!
      for i in $(seq 150); do
        version=$(sqlite3 tenants/b.db 'PRAGMA user_version'); [ "$version" = 2 ] && break; sleep 0.2
      done
      pkill -KILL -P $upgrade; kill -KILL $upgrade; echo "$version"
      """)

    #expect(outcome.output == "2\n")
  }

  @Test(.tags(.O16)) func `asks for no more time in a statement that never ends`() throws {
    let service = try Service(scripts: [
      "0002_endless.sql": Self.statements(10) + "CREATE TABLE two (a);\n" + Self.endless
    ])
    let socket = try NotificationSocket(service.scratch("notify"))
    let running = try Self.start(service, socket.name, "up", "--progress", "always")

    // As long as messages come, the statement has not begun.
    var count = 0
    while count < 30, socket.message(within: 8) != nil { count += 1 }
    let isRunning = running.isRunning
    running.terminate()
    let outcome = try running.wait()

    #expect(count < 30)
    #expect(isRunning)
    #expect(outcome.status == 143)
  }

  @Test(.tags(.O16)) func `asks for more time in one statement that writes`() throws {
    let service = try Service(scripts: [
      "0002_one.sql":
        "CREATE TABLE two AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        + "SELECT i, hex(zeroblob(20)) FROM n;"
    ])
    let socket = try NotificationSocket(service.scratch("notify"))
    let running = try Self.start(service, socket.name)

    let messages = socket.messages(2, within: 30)
    running.terminate()
    let outcome = try running.wait()

    #expect(outcome.status == 143)
    #expect(messages.count == 2)
    #expect(messages.allSatisfy { $0.hasPrefix("EXTEND_TIMEOUT_USEC=") })
    #expect(service.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.O16)) func `waiting for a lock is no progress`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("up", "--target", "1")
    let socket = try NotificationSocket(service.scratch("notify"))
    // The shell keeps the lock until there is a file `over`.
    let holding = "touch held; timeout 60 sh -c 'until [ -e over ]; do sleep 0.1; done'"
    let shell = try Command("/usr/bin/sqlite3").start(
      [service.database], input: "BEGIN IMMEDIATE;\n.shell \(holding)\nROLLBACK;\n",
      in: service.scratch.path)
    try waitUntil { service.scratch.bytes("held") != nil }
    let running = try Self.start(service, socket.name)

    let message = socket.message(within: 8)
    try service.scratch.write("", to: "over")
    let outcome = try running.wait()
    _ = try shell.wait()

    #expect(message == nil)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test(.tags(.O16, .promise9)) func `says nothing if there is nothing to do`() throws {
    let service = try Service.upToThree()
    let socket = try NotificationSocket(service.scratch("notify"))

    let first = try Self.start(service, socket.name).wait()
    let second = try Self.start(service, socket.name).wait()
    let message = socket.message(within: 1)

    #expect([first.status, second.status] == [0, 0])
    #expect(message == nil)
  }

  @Test(
    .tags(.O16),
    arguments: ["/nowhere/notify", "@uplift-nobody", "", "vsock:2:1", "relative", "/", "@"])
  func `does not mind a socket that is not there`(name: String) throws {
    let service = try Service(scripts: ["0002_some.sql": Self.statements(8)])

    let outcome = try Self.start(service, name).wait()

    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
  }

  @Test(.tags(.O16)) func `does not wait for a socket whose queue is full`() throws {
    let service = try Service(scripts: ["0002_some.sql": Self.statements(8)])
    let socket = try NotificationSocket(service.scratch("notify"))
    socket.fill()

    let outcome = try Self.start(service, socket.name).wait()
    var messages: [String] = []
    while messages.count < 10_000, let message = socket.message(within: 1) {
      messages.append(message)
    }

    #expect(outcome.status == 0)
    #expect(Set(messages) == ["full"])
  }
}
