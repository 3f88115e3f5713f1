import Foundation
import TestSupport
import Testing
import Uplift
import UpliftRelease

/// Other programs that have the old seed open when the new one is to take its name.
struct HeldSeedTests {
  private static let insert = "INSERT INTO Word(id, text) VALUES(9, 'late');"

  @Test func `leaves a seed in WAL mode that another program has open`() throws {
    let site = try Site.release()
    try Shell.run(site.seed, "PRAGMA journal_mode = WAL;")
    let shell = try site.hold("SELECT count(*) FROM Word;", end: Self.insert, in: site.seed)

    expectError(
      .busy, "the seed \"\(site.seed)\" is open in another program, which has a log beside it"
    ) { try site.bakeSoon() }

    try site.letGo()
    #expect(try shell.wait().status == 0)
    #expect(try site.hasLateRow)
    try site.bake()
    #expect(site.scratch.names("resources") == ["app.db", "scripts"])
    #expect(try site.hasLateRow)
  }

  @Test func `leaves a seed that another program is writing`() throws {
    let site = try Site.release()
    var shell: Running?

    expectError(
      .seed, "the seed \"\(site.seed)\" has changes outside it, in \"\(site.seed)-journal\""
    ) {
      try site.bakeSoon {
        shell = try site.hold(
          "BEGIN IMMEDIATE; \(Self.insert)", end: "COMMIT;", in: site.seed)
      }
    }

    #expect(site.scratch.names("resources") == ["app.db", "app.db-journal", "scripts"])
    try site.letGo()
    #expect(try shell?.wait().status == 0)
    #expect(try site.hasLateRow)
  }

  @Test func `leaves a seed of which a killed program has left the log`() throws {
    let site = try Site.release()
    try Shell.run(site.seed, "PRAGMA journal_mode = WAL;")

    expectError(
      .seed, "the seed \"\(site.seed)\" has changes outside it, in \"\(site.seed)-wal\""
    ) {
      try site.bakeSoon {
        try Shell.run(site.seed, ".dbconfig no_ckpt_on_close on\n\(Self.insert)\n")
      }
    }

    #expect(try site.hasLateRow)
  }

  @Test func `keeps a row that is added while the new seed is made`() throws {
    let site = try Site.release()

    #expect(throws: UpgradeError.changedSeed(site.seed)) {
      try site.bakeSoon { try Shell.run(site.seed, Self.insert) }
    }

    #expect(try site.hasLateRow)
    try site.bake()
    #expect(try site.hasLateRow)
  }
}

extension Site {
  fileprivate var hasLateRow: Bool {
    get throws { try Shell.run(seed, "SELECT text FROM Word WHERE id = 9;") == "late" }
  }

  /// Bakes, and waits for no other program.
  ///
  /// `meanwhile` runs after the last script.
  fileprivate func bakeSoon(_ meanwhile: () throws -> Void = {}) throws {
    var options = Upgrader.Options()
    options.patience = .zero
    let upgrader = Upgrader(
      database: "", seed: .file(seed), migrations: .directory(scripts), options: options)
    try withoutActuallyEscaping(meanwhile) { meanwhile in
      var hasRun = false
      _ = try upgrader.bake(onEvent: { event in
        guard !hasRun, case .committed(3) = event else { return }
        hasRun = true
        #expect(throws: Never.self) { try meanwhile() }
      })
      #expect(hasRun)
    }
  }
}
