import TestSupport
import Testing

/// Scripts that are larger than any that somebody writes.
///
/// They are sparse files, which cost no disk.
struct HugeScriptTests {
  @Test(.tags(.P13)) func `is an error above one gigabyte`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell(
      "truncate -s 1073741825 Resources/Migrations/4.sql; ulimit -v 8000000; uplift")

    #expect(outcome.status == 65)
    #expect(
      outcome.errors == """
        uplift: Resources/Migrations/4.sql:1:1: the script has 1073741825 bytes, more than 1073741824
        make several scripts of it

        """)
    #expect(service.data.isEmpty)
  }

  @Test(.tags(.P13, .S8)) func `is read if it has one gigabyte`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell(
      """
      printf 'SELECT 1;' > Resources/Migrations/4.sql
      truncate -s 1073741824 Resources/Migrations/4.sql; ulimit -v 8000000; uplift
      """)

    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix("uplift: Resources/Migrations/4.sql:1:10: a zero byte\n"))
    #expect(service.data.isEmpty)
  }
}
