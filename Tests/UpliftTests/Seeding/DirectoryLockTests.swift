import Foundation
import TestSupport
import Testing
import Uplift
import UpliftSystem

/// A process that may only read a directory can lock it.
///
/// The lock does not stop a process that may write to the directory.
struct DirectoryLockTests {
  private func locked<Result>(_ site: Site, _ work: () throws -> Result) throws -> Result {
    let directory = open(site.scratch("data"), O_RDONLY | O_DIRECTORY)
    defer { close(directory) }
    // A program that another test starts may have the lock of a boot for a moment.
    try waitUntil { flock(directory, LOCK_EX | LOCK_NB) == 0 }
    return try work()
  }

  @Test(.tags(.P12, .F7, .promise3), arguments: [false, true])
  func `does not stop first boots`(hasEmptyFile: Bool) throws {
    let site = try Site()
    try site.makeData()
    if hasEmptyFile { try site.scratch.write("", to: "data/app.db") }

    let outcomes = try locked(site) { try site.race(3, ["--patience", "800"]) }

    #expect(outcomes.map(\.status) == [0, 0, 0])
    #expect(outcomes.count { $0.output.hasPrefix("seeded at 1 ->") } == 1)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
    #expect(site.scratch.names("data") == ["app.db"])
  }

  @Test(
    .tags(.P12, .F8),
    arguments: [(0x6969, "nfs"), (0xff53_4d42, "cifs"), (0x1234, "the file system 0x1234")])
  func `is not trusted if other machines may use the directory too`(number: Int, name: String) {
    let system = FileSystem(number: number)

    #expect(system.name == name)
    #expect(!system.isLocal)
    #expect(FileSystem(number: 0xef53).isLocal)
  }

  /// A boot that has the lock may remove the copy of a boot that does not have it.
  @Test(.tags(.P12, .F8, .promise3)) func `a copy that was taken for a leftover is made again`()
    throws
  {
    let site = try Site()
    let slow = try site.start(rules: "delay 3000 call renameat2")
    try waitUntil { site.calls().contains { $0.name == "fsync" && $0.path.isEmpty } }

    try slow.whileStopped {
      for name in site.scratch.names("data") { try site.scratch.remove("data/" + name) }
    }

    #expect(try slow.wait().output.hasPrefix("seeded at 1 -> 3\n"))
    #expect(site.scratch.names("data") == ["app.db"])
  }
}
