import Foundation
import TestSupport
import Testing

extension PageDirectory {
  /// Makes what a page takes as given.
  func prepare(for page: String) throws {
    switch page {
    case "Check.md":
      try copy("Resources", to: "Resources")
      // Nobody has signed yet, so the rows of the sample are made up.
      try Shell.run(
        here + "/Resources/guestbook.db",
        "DELETE FROM entries; DELETE FROM visits; DELETE FROM guests;")
      try scratch.write(
        "-- A guest has a home.\nALTER TABLE guests ADD COLUMN home TEXT NOT NULL;\n",
        to: "here/Resources/Migrations/0008_require_home.sql")
    case "ComingFrom.md":
      // What an import has written.
      try scratch.write(
        "CREATE TABLE users (name TEXT);\n", to: "here/Resources/Migrations/0001_create_users.sql")
      try scratch.removeAll("here/data")
    case "Command.md": try prepareForCommand()
    case "Errors.md", "Scripts.md": try copy("Resources", to: "Resources")
    case "GettingStarted.md":
      let notes = try scratch.write("#!/bin/sh\ntest -s data/notes.db\n", to: "here/notes")
      try makeExecutable(notes)
    case "NewContent.md":
      try Shell.run(
        makeFile("Resources/words.db"),
        """
        CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, gloss TEXT);
        CREATE TABLE note (id INTEGER PRIMARY KEY, word_id INTEGER REFERENCES word (id), text TEXT);
        INSERT INTO word VALUES (1, 'ant', 'works'), (2, 'bee', 'flies'), (3, 'cat', 'sleps');
        PRAGMA user_version = 1;
        """)
      try scratch.removeAll("here/Resources/Migrations")
      try scratch.write(
        """
        DELETE FROM word WHERE id = 1;
        UPDATE word SET gloss = 'buzzes' WHERE id = 2;
        UPDATE word SET gloss = 'sleeps' WHERE id = 3;
        INSERT INTO word VALUES (4, 'dog', 'barks');

        """, to: "here/words.sql")
    case "Operating.md":
      try copy("Resources", to: "Resources")
      // A stand-in: it restores nothing, because there is no replica, and runs what it is given.
      try write(program: "case $1 in replicate) eval \"$5\";; esac\n", named: "litestream")
      let service = "test -s '\(root("/data/guestbook.db"))'\n"
      try write(program: service, named: "guestbook")
      // Stand-ins for the service in Python.
      try write(program: "test -e \"$1\" && " + service, named: "python3")
      _ = try makeFile("guestbook.py")
    case "ServicesInSwift.md":
      try copy("Resources", to: "Sources/Guestbook/Resources")
      let guestbook = Command.product("Guestbook").path
      try write(program: "shift 2; exec '\(guestbook)' \"$@\"\n", named: "swift")
    default: break
    }
  }

  private func prepareForCommand() throws {
    try copy("Resources", to: "/opt/guestbook/Resources")
    let guestbook = root("/var/lib/guestbook/guestbook.db")
    try write(program: "test -s '\(guestbook)'\n", named: "guestbook")
    let extensions = root("/usr/lib/guestbook")
    try FileManager.default.createDirectory(
      atPath: extensions, withIntermediateDirectories: true)
    let small = try SmallExtension()
    try FileManager.default.copyItem(atPath: small.path, toPath: extensions + "/german.so")
    try Shell.run(makeFile("Resources/app.db"), "CREATE TABLE t(a); PRAGMA user_version = 1;")
    for number in 2...5 {
      try scratch.write(
        "INSERT INTO t VALUES (\(number));", to: "here/Resources/Migrations/\(number).sql")
    }
    try Shell.run(makeFile("tenants/ada.db"), "CREATE TABLE t(a); PRAGMA user_version = 3;")
    try scratch.write("", to: "here/tenants/new.db")
    try Shell.run(makeFile("tenants/old.db"), "CREATE TABLE t(a); PRAGMA user_version = 6;")
    for (way, sql) in [("up", "CREATE TABLE users (name TEXT)"), ("down", "DROP TABLE users")] {
      try scratch.write("\(sql);\n", to: "here/old/20180114171611_create_users.\(way).sql")
    }
    try scratch.removeAll("here/Migrations")
  }

  /// The path of a new, empty file.
  private func makeFile(_ name: String) throws -> String {
    try scratch.write("", to: "here/" + name)
  }

  /// Copies the files that a Dockerfile copies, and runs its entry point.
  func runImage(_ text: String, _ place: String) throws {
    var entry: [String] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      switch words.first {
      case "FROM": #expect(words.count == 2, "\(place)")
      case "COPY" where words[1] == "--from=uplift":
        let target = URL(fileURLWithPath: root(words[3]))
        try FileManager.default.createDirectory(
          at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
          atPath: target.path, withDestinationPath: Command.product("uplift").path)
      case "COPY" where words[1].hasSuffix(".py"):
        try FileManager.default.copyItem(atPath: "\(here)/\(words[1])", toPath: root(words[2]))
      case "COPY": try copy(words[1], to: words[2])
      case "ENTRYPOINT":
        let list = Data(line.dropFirst("ENTRYPOINT ".count).utf8)
        entry = try JSONDecoder().decode([String].self, from: list)
      default: Issue.record("\(place): \(line)")
      }
    }
    let copied = ["/uplift", "/Resources", "/data"]
    let words = entry.map { copied.contains($0) ? root($0) : inside($0) }
    let command = try #require(words.first, "\(place) has no entry point")

    let outcome = try Command(command).run(
      arguments: Array(words.dropFirst()), in: here, environment: environment)

    #expect(outcome.status == 0, "\(place): \(outcome.errors)")
    #expect(FileManager.default.fileExists(atPath: root("/data/guestbook.db")), "\(place)")
  }

  /// Each command line has a verb, and options that are in the help of this verb.
  func checkSynopsis(_ text: String, _ place: String) throws {
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("uplift ") }
    #expect(lines.count > 5, "\(place)")
    for line in lines where !line.contains("--version") {
      let verb = try #require(line.split(separator: " ").dropFirst().first)
      let help = try Command.product("uplift").run("help", String(verb))
      #expect(help.status == 0, "\(place): \(verb)")
      let known = Set(help.output.matches(of: #/--[a-z-]+/#).map(\.output))
      for option in line.matches(of: #/--[a-z-]+/#).map(\.output) {
        #expect(known.contains(option), "\(place): \(verb) has no \(option)")
      }
    }
  }
}
