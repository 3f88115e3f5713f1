import TestSupport
import Testing

/// Whichever call of the copy fails, the database's name never leads to half a copy, and no file is
/// left over.
struct FailingDiskTests {
  private static let byHand = "fail 38 call copy_file_range on;"

  /// EIO, ENOSPC, EDQUOT.
  @Test(
    .tags(.F13, .promise3), arguments: [5, 28, 122],
    [
      "call open path .uplift", "call copy_file_range path .uplift",
      "call fsync path .uplift", "call fsync path .uplift on", "call renameat2",
      "call fstat path .uplift", "call flock",
    ])
  func `leaves nothing when one call fails`(error: Int, call: String) throws {
    let site = try Site()

    let outcome = try site.boot(rules: "fail \(error) \(call)")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(try site.snapshot().names == [])
    #expect(try site.boot().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F13, .promise3), arguments: [5, 28, 122])
  func `leaves nothing when a write is short and the next one fails`(error: Int) throws {
    let site = try Site()

    let outcome = try site.boot(
      rules: Self.byHand + "short 1000 call write at 1;fail \(error) call write at 2 on")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(try site.snapshot().names == [])
    #expect(try site.boot().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F13)) func `goes on after short writes and interruptions`() throws {
    let site = try Site()

    let outcome = try site.boot(
      rules: Self.byHand + "short 1000 call write at 1;fail 4 call write at 2;fail 4 call open;"
        + "fail 4 call read;fail 4 call flock;short 10 call read at 2")

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }

  @Test(.tags(.F13)) func `goes on after an interruption of the system's own copy`() throws {
    let site = try Site()

    let outcome = try site.boot(rules: "fail 4 call copy_file_range at 1")

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(site.calls().contains { $0.name == "copy_file_range" })
  }

  @Test(.tags(.F13)) func `does not repeat a sync that failed`() throws {
    let site = try Site()

    let outcome = try site.boot(rules: "fail 5 call fsync path .uplift")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(site.calls().count { $0.name == "fsync" && $0.isOfCopy } == 1)
  }

  @Test(.tags(.F13)) func `fails when the directory cannot be synced`() throws {
    let site = try Site()

    let outcome = try site.boot(rules: "fail 5 call fsync path /data")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(site.scratch.bytes("data/app.db") == site.scratch.bytes("resources/app.db"))
  }

  @Test(.tags(.F13)) func `copies the same bytes with read and write as with copy_file_range`()
    throws
  {
    let site = try Site()
    let byHand = try Site()

    _ = try site.boot(target: 1)
    _ = try byHand.boot(target: 1, rules: Self.byHand)

    #expect(site.scratch.bytes("data/app.db") == site.scratch.bytes("resources/app.db"))
    #expect(byHand.scratch.bytes("data/app.db") == byHand.scratch.bytes("resources/app.db"))
    #expect(byHand.calls().contains { $0.name == "write" && $0.isOfCopy })
  }
}
