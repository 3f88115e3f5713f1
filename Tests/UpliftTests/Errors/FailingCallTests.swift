import TestSupport
import Testing

/// SQLite has one code for failures of several kinds; what is told is what happened.
struct FailingCallTests {
  /// EIO, ENOSPC, EDQUOT.
  @Test(
    .tags(.F13, .promise6), arguments: [5, 28, 122],
    ["path data/app.db on", "path app.db-journal on"])
  func `is the disk's failure where the disk cannot open a file`(error: Int, file: String) throws {
    let site = try Site()
    try site.place(Site.seed)

    let outcome = try site.boot(rules: "fail \(error) call open \(file)")

    #expect(outcome.output.hasPrefix("disk\n"), "\(outcome)")
    #expect(try site.names() == ["seeded"])
    #expect(try site.boot().status == 0)
  }

  @Test(.tags(.promise6))
  func `is a permission's where that is missing`() throws {
    let site = try Site()
    try site.place(Site.seed)

    let outcome = try site.boot(rules: "fail 13 call open path data/app.db on")

    #expect(outcome.output.hasPrefix("denied\n"), "\(outcome)")
    #expect(try site.names() == ["seeded"])
  }

  /// An empty file is filled by SQLite, which reads the seed by itself.
  @Test(.tags(.F5, .F13, .promise3), arguments: [1, 2, 3])
  func `does not call a seed damaged that the disk cannot read`(at: Int) throws {
    let site = try Site()
    try site.scratch.write("", to: "data/app.db")

    let outcome = try site.boot(rules: "fail 5 call read path resources/app.db at \(at) on")

    #expect(outcome.output.hasPrefix("disk\n"), "\(outcome)")
    #expect(try site.boot().status == 0)
    #expect(try site.names() == ["seeded", "script 2", "script 3"])
  }
}
