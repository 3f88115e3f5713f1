import Foundation
import TestSupport
import Testing

/// A crash between `link` and `unlink` leaves the live database a second name.
struct SecondNameTests {
  private static let withoutRename = "fail 38 call renameat2 on"

  @Test(.tags(.F8, .promise2, .promise8), arguments: [2, 3])
  func `is unlinked and never opened`(target: Int) throws {
    let site = try Site()
    _ = try site.boot(target: 2)
    try FileManager.default.linkItem(
      atPath: site.database, toPath: site.scratch(Site.copy))
    let before = try FileIdentity(site.database)

    let outcome = try site.boot(target: target)

    let second = site.calls().filter { $0.isOfCopy }
    #expect(outcome.output.hasPrefix("2 -> \(target)\n"))
    #expect(second.last?.name == "unlink" && second.last?.result == 0)
    #expect(try site.snapshot().names == ["app.db"])
    #expect(try FileIdentity(site.database) == before)
    #expect(try site.names() == Array(["seeded", "script 2", "script 3"].prefix(target)))
  }

  @Test(.tags(.F8, .promise3)) func `is left by a killed boot, and removed by the next`()
    throws
  {
    let site = try Site()
    let killed = try site.boot(rules: "\(Self.withoutRename);killed call link")
    let afterCrash = try site.snapshot().names

    let outcome = try site.boot(rules: Self.withoutRename)

    #expect(killed.status == -9)
    #expect(afterCrash.count == 2 && afterCrash.last == "app.db")
    #expect(outcome.output.hasPrefix("1 -> 3\n"))
    #expect(try site.snapshot().names == ["app.db"])
  }

  @Test(.tags(.F8)) func `is used on a file system without renameat2`() throws {
    let site = try Site()

    let outcome = try site.boot(rules: Self.withoutRename)

    #expect(outcome.output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(site.calls().contains { $0.name == "link" && $0.result == 0 })
    #expect(try site.snapshot().names == ["app.db"])
  }

  @Test(.tags(.F8)) func `is the last resort: no rename that replaces a file is tried`() throws {
    let site = try Site()

    let outcome = try site.boot(rules: "\(Self.withoutRename);fail 38 call link on")

    #expect(outcome.output.hasPrefix("disk\n"))
    #expect(!site.calls().contains { $0.name == "rename" })
    #expect(try site.snapshot().names == [])
  }
}
