import TestSupport
import Testing

/// SQLite has one code for failures of several kinds.
///
/// The error says which kind it was.
struct FailingCallTests {
  /// EIO, ENOSPC, EDQUOT.
  @Test(
    .tags(.F13, .promise6), arguments: [5, 28, 122],
    ["path data/app.db on", "path app.db-journal on"])
  func `is an error of the disk if the disk cannot open a file`(error: Int, file: String) throws {
    let site = try Site()
    try site.place(Site.seed)

    let outcome = try site.boot(rules: "fail \(error) call open \(file)")

    #expect(outcome.output.hasPrefix("disk\n"), "\(outcome)")
    #expect(try site.names() == ["seeded"])
    #expect(try site.boot().status == 0)
  }

  @Test(.tags(.promise6))
  func `is an error of the permission if that is missing`() throws {
    let site = try Site()
    try site.place(Site.seed)

    let outcome = try site.boot(rules: "fail 13 call open path data/app.db on")

    #expect(outcome.output.hasPrefix("denied\n"), "\(outcome)")
    #expect(try site.names() == ["seeded"])
  }

  /// EPERM, EACCES, EROFS.
  @Test(.tags(.F14, .promise6), arguments: [1, 13, 30])
  func `is an error of the permission if the copy of the seed cannot be made`(error: Int) throws {
    let site = try Site()

    let outcome = try site.boot(rules: "fail \(error) call open path .uplift on")

    #expect(outcome.output.hasPrefix("denied\n"), "\(outcome)")
  }

  /// SQLite fills an empty file, and reads the seed itself.
  @Test(.tags(.F5, .F13, .promise3), arguments: [1, 2, 3])
  func `does not call a seed damaged if the disk cannot read it`(at: Int) throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")

    let outcome = try site.boot(rules: "fail 5 call read path resources/app.db at \(at) on")

    #expect(outcome.output.hasPrefix("disk\n"), "\(outcome)")
    #expect(try site.boot().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }
}
