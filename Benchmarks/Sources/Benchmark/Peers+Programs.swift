import Foundation

/// Peers that are programs and read a directory of scripts in their own form.
extension Peers {
  func sqlMigrate(
    _ program: String, _ fixture: Fixture, _ floor: [String]
  ) throws -> Meter.Contender {
    let home = fixture.directory + "/sql-migrate"
    try write(fixture, to: home) { "-- +migrate Up\n\($0)" }
    let settings = home + ".yml"
    try """
    development:
      dialect: sqlite3
      datasource: \(fixture.database)
      dir: \(home)

    """.write(toFile: settings, atomically: false, encoding: .utf8)
    return .init(
      name: "sql-migrate", command: [program, "up", "-config=" + settings], floor: floor,
      skipsVersion: true, mostRuns: 3)
  }

  /// Its registry is a second database in the data directory.
  func sqitch(
    _ program: String, _ fixture: Fixture, _ floor: [String]
  ) throws -> Meter.Contender {
    let home = fixture.directory + "/sqitch"
    var plan = "%syntax-version=1.0.0\n%project=app\n\n"
    try write(fixture, to: home + "/deploy") { "BEGIN;\n\($0)COMMIT;\n" }
    for script in try scripts(fixture) {
      plan += "\(script.dropLast(4)) 2026-01-01T00:00:00Z A <a@example.org> # step\n"
    }
    try plan.write(toFile: home + "/sqitch.plan", atomically: false, encoding: .utf8)
    try "[core]\n\tengine = sqlite\n[user]\n\tname = A\n\temail = a@example.org\n".write(
      toFile: home + "/sqitch.conf", atomically: false, encoding: .utf8)
    return .init(
      name: "sqitch",
      command: [program, "--chdir", home, "deploy", "db:sqlite:" + fixture.database],
      floor: floor, skipsVersion: true, mostRuns: 1)
  }

  /// Every script of the workload, in the form that a peer needs.
  private func write(
    _ fixture: Fixture, to directory: String, text: (String) -> String
  ) throws {
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true)
    for script in try scripts(fixture) {
      let sql = try String(contentsOfFile: fixture.migrations + "/" + script, encoding: .utf8)
      try text(sql).write(
        toFile: directory + "/" + script, atomically: false, encoding: .utf8)
    }
  }
}
