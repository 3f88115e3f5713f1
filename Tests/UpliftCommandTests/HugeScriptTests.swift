import TestSupport
import Testing

/// Scripts that are larger than the memory.
///
/// They are sparse files, which cost no disk.
struct HugeScriptTests {
  private static let size: Int64 = 1 << 40

  @Test(.tags(.P13)) func `is an error if there is no memory for it`() throws {
    let service = try Service.upToThree()

    let outcome = try service.shell(
      "truncate -s \(Self.size) Resources/Migrations/4.sql; ulimit -v 8000000; uplift")

    #expect(outcome.status == 65)
    #expect(
      outcome.errors == """
        uplift: Resources/Migrations/4.sql:1:1: there is not enough memory for its 1099511627776 bytes
        make several scripts of it

        """)
    #expect(service.data.isEmpty)
  }

  @Test(.tags(.P13, .S8)) func `is read up to its first zero byte only`() throws {
    let service = try Service.upToThree()

    // To read all four gigabytes is possible, and takes more than a second of processor time.
    let outcome = try service.shell(
      """
      printf 'SELECT 1;' > Resources/Migrations/4.sql
      truncate -s 4294967296 Resources/Migrations/4.sql; ulimit -v 8000000; ulimit -t 1; uplift
      """)

    #expect(outcome.status == 65)
    #expect(
      outcome.errors.hasPrefix("uplift: Resources/Migrations/4.sql:1:10: a zero byte\n"))
    #expect(service.data.isEmpty)
  }
}
