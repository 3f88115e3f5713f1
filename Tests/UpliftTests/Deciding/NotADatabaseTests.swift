import Foundation
import TestSupport
import Testing
import Uplift

/// A file that is no database is refused, and the error says what kind of file it is.
struct NotADatabaseTests {
  struct Mistake: Sendable {
    let bytes: Data
    let kind: String?
  }

  static let mistakes = [
    Mistake(bytes: Data(String(repeating: "Just words.\n", count: 100).utf8), kind: "text"),
    Mistake(
      bytes: Data("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 8192\n".utf8),
      kind: "a pointer of Git LFS"),
    Mistake(bytes: Data([0x1f, 0x8b, 8, 0]) + Data(count: 1000), kind: "a gzip file"),
    Mistake(bytes: Data("PK\u{3}\u{4}".utf8) + Data(count: 1000), kind: "a zip file"),
    Mistake(bytes: Data([0x28, 0xb5, 0x2f, 0xfd]) + Data(count: 1000), kind: "a zstd file"),
    // An encrypted database looks like noise.
    Mistake(bytes: Data((0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ 200) }), kind: nil),
  ]

  @Test(.tags(.F5), arguments: mistakes.indices)
  func `is refused as a seed`(index: Int) throws {
    let mistake = Self.mistakes[index]
    let site = try Site()
    try site.scratch.write(mistake.bytes, to: "resources/app.db")

    let words = "is " + (mistake.kind.map { "\($0), " } ?? "") + "not a database"
    expectError(.seed, "the seed \"\(site.seed)\" \(words)") { _ = try site.upgrade() }

    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.F5, .promise7), arguments: mistakes.indices)
  func `is refused as a database, and not replaced by the seed`(index: Int) throws {
    let mistake = Self.mistakes[index]
    let site = try Site()
    try site.scratch.write(mistake.bytes, to: "data/app.db")
    let before = try site.snapshot()
    let size = mistake.bytes.count

    #expect(
      throws: UpgradeError.damaged(
        site.database, size < 512 ? "is not a database: it has \(size) bytes" : "is not a database")
    ) { try site.upgrade() }

    #expect(try site.snapshot() == before)
  }

  @Test(.tags(.F5)) func `is refused as a seed when it is empty`() throws {
    let site = try Site()
    try site.scratch.write("", to: "resources/app.db")

    #expect(throws: UpgradeError.seed(site.seed, "is empty")) { try site.upgrade() }
  }

  @Test(.tags(.F5, .F2)) func `is refused as a seed when its last byte is missing`() throws {
    let site = try Site()
    let bytes = try #require(site.scratch.bytes("resources/app.db"))
    try site.scratch.write(bytes.dropLast(), to: "resources/app.db")

    #expect(
      throws: UpgradeError.seed(
        site.seed, "has \(bytes.count - 1) bytes, not \(bytes.count)")
    ) { try site.upgrade() }
  }

  @Test(.tags(.F5)) func `is refused as a seed when it is a directory`() throws {
    let site = try Site(seed: nil)
    try site.scratch.write("", to: "resources/app.db/README")
    let upgrader = Upgrader(
      database: site.database, seed: .file(site.seed), migrations: .directory(site.scripts),
      target: 3)

    #expect(throws: UpgradeError.seed(site.seed, "is not a file")) { try upgrader.upgrade() }
  }

  @Test(.tags(.F5)) func `is refused as a seed, or as a script, when it is a socket`() throws {
    let site = try Site()
    let socket = site.scratch("resources/scripts/4.sql")
    #expect(mknod(socket, S_IFSOCK | 0o600, 0) == 0)

    expectError(.scripts, "\(socket):1:1: this is not a file") {
      _ = try site.upgrade(target: 4)
    }
    #expect(throws: UpgradeError.seed(socket, "is not a file")) {
      try Upgrader(database: site.database, seed: .file(socket)).upgrade()
    }
    #expect(try site.snapshot().names == [])
  }
}
