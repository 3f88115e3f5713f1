import Foundation
import TestSupport
import Testing

/// If a file system lacks a call, another safe one is used, or the error names the file system.
struct MissingCallTests {
  /// EPERM, EINVAL, ENOSYS, EOPNOTSUPP.
  private static let errors = [1, 22, 38, 95]
  private static let byHand = "fail 38 call ioctl on;fail 38 call copy_file_range on;"

  @Test(
    .tags(.promise3), arguments: errors,
    ["ioctl", "copy_file_range", "renameat2", "flock", "fsync path /data"])
  func `is replaced by another call`(error: Int, call: String) throws {
    let site = try Site()

    let outcome = try site.boot(rules: "fail \(error) call \(call) on")

    #expect(site.calls().contains { $0.result == -error })
    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.promise3), arguments: errors)
  func `is replaced by another call, if several are missing at once`(error: Int) throws {
    let site = try Site()
    let calls = ["ioctl", "copy_file_range", "renameat2", "flock"]

    let outcome = try site.boot(
      rules: calls.map { "fail \(error) call \($0) on" }.joined(separator: ";"))

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(site.calls().contains { $0.name == "link" && $0.result == 0 })
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.promise2, .promise3), arguments: errors)
  func `is an error that names the file system if no safe call is left`(error: Int) throws {
    let site = try Site()

    let outcome = try site.boot(
      rules: "fail \(error) call renameat2 on;fail \(error) call link on")

    let kinds = ["ext4", "xfs", "btrfs", "tmpfs", "overlay"]
    #expect(kinds.contains { outcome.output.contains("\($0) can give a file no name") })
    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(site.scratch.names("data") == [])
  }

  @Test(.tags(.promise3))
  func `a copy_file_range that copies nothing is not taken for the end of the file`() throws {
    let site = try Site()

    let outcome = try site.boot(
      rules: "short 100 call copy_file_range at 1;short 0 call copy_file_range at 2 on")

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F8, .F7, .promise3))
  func `without locks each process copies under a name of its own`() throws {
    let site = try Site()
    let slow = try site.start(rules: "fail 38 call flock on;delay 3000 call renameat2")
    try waitUntil { site.calls().contains { $0.name == "copy_file_range" } }

    let fast = try slow.whileStopped { try site.boot(rules: "fail 38 call flock on") }

    #expect(fast.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try slow.wait().output.hasPrefix("3 -> 3\n"))
    let copies = Set(site.calls().filter { $0.isOfCopy }.map(\.path))
    #expect(copies.count == 2)
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(.tags(.F8, .promise8))
  func `without locks a leftover of a crash is removed once the database exists`()
    throws
  {
    let site = try Site()
    for _ in 1...3 {
      _ = try site.boot(rules: "fail 38 call flock on;killed call copy_file_range")
    }
    let torsos = site.scratch.names("data")
    let others = [
      ".app.db.uplift", ".app.db.notes.uplift", ".app.db.2026112112345678.uplift",
      ".app.db.ghjkmnpqrstvwxyz.uplift~", ".b.db.ghjkmnpqrstvwxyz.uplift",
    ]
    for name in others { try site.scratch.write("mine", to: "data/" + name) }

    let outcome = try site.boot(rules: "fail 38 call flock on")

    #expect(torsos.count == 3 && torsos.allSatisfy { $0.hasSuffix(".uplift") })
    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(site.scratch.names("data") == (["app.db"] + others).sorted())
  }

  @Test(.tags(.F8, .promise3)) func `a second name may be removed by another boot first`() throws {
    let site = try Site()
    let slow = try site.start(
      target: 1, rules: "fail 38 call renameat2 on;delay 3000 call unlink path .uplift at 1")
    try waitUntil { site.calls().contains { $0.name == "link" } }

    let fast = try slow.whileStopped { try site.boot(target: 1) }

    #expect(fast.output.hasPrefix("1 -> 1\n"))
    #expect(try slow.wait().output.hasPrefix("seeded at 1 -> 1\n"))
    #expect(site.scratch.names("data") == ["app.db"])
  }
}
