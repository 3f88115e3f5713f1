import Foundation
import TestSupport
import Testing

/// SQLite needs a directory for temporary files that do not fit in memory.
struct TemporaryFileTests {
  private static let sorts = """
    CREATE TABLE sorted AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9000)
    SELECT i, randomblob(900) AS b FROM n ORDER BY b;
    """

  /// No directory that SQLite tries can be written; `$place` can.
  private static let readOnly = """
    for directory in /var/tmp /usr/tmp /tmp; do
      [ -d "$directory" ] || continue
      mount --bind "$directory" "$directory"
      mount -o remount,ro,bind "$directory"
    done
    mount -t tmpfs -o size=100m none "$place"
    cd /tmp
    mkdir "$place/data"
    unset SQLITE_TMPDIR
    export TMPDIR=
    uplift() {
      '\(Command.product("uplift").path)' up --data "$place/data" --seed "$seed" \\
        --migrations "$scripts" 2>&1
    }
    """

  @Test(
    .tags(.O17, .P7), .enabled(if: Mounts.obstacle == nil, "no mounts: \(Mounts.obstacle ?? "")"))
  func `the library says what to set if no directory can be written`() throws {
    let site = try Site(scripts: ["2.sql": Self.sorts])

    let outcome = try Mounts.run(
      site,
      """
      \(Self.readOnly)
      boot 2 || true
      ls "$place/data"
      SQLITE_TMPDIR="$place" boot 2
      """)

    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(outcome.errors == "")
    #expect(lines.first == "disk")
    #expect(
      lines.dropFirst().first?.hasSuffix(
        "2.sql:1:1: no temporary file can be made "
          + "(SQLITE_IOERR_GETTEMPPATH, 6410); the database is at 1") == true)
    #expect(lines.dropFirst(2) == ["app.db", "1 -> 2", "applied 2 2.sql"])
  }

  @Test(
    .tags(.O17, .P7), .enabled(if: Mounts.obstacle == nil, "no mounts: \(Mounts.obstacle ?? "")"))
  func `the command uses the data directory, and removes what a kill has left there`() throws {
    let site = try Site(scripts: ["2.sql": Self.sorts])

    let outcome = try Mounts.run(
      site,
      """
      \(Self.readOnly)
      cd "$place/data"
      : >etilqs_0123456789abcdef
      echo kept >etilqs_0123456789abcdee
      : >etilqs_20261121
      mkdir etilqs_0123456789abcded
      cd /tmp
      uplift
      ls "$place/data"
      """)

    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(outcome.errors == "")
    #expect(lines.contains { $0.hasSuffix("is at 2") })
    #expect(
      lines.suffix(4) == [
        "app.db", "etilqs_0123456789abcded", "etilqs_0123456789abcdee", "etilqs_20261121",
      ])
  }

  /// To root, `access` allows it to write `/proc`, so SQLite tries to make its files there.
  @Test(.tags(.O17, .P7), .enabled(if: geteuid() == 0, "only root has the right to write /proc"))
  func `an error says that no temporary file can be made`() throws {
    let site = try Site(scripts: ["2.sql": Self.sorts])
    try site.place(Site.seed)

    let outcome = try Command.product("uplift").run(
      arguments: [
        "up", "--database", site.database, "--seed", site.seed, "--migrations", site.scripts,
      ], environment: ["TMPDIR": "/proc", "SQLITE_TMPDIR": ""])

    #expect(outcome.status == 74)
    #expect(
      outcome.errors.contains(
        "2.sql:1:1: no temporary file can be made (SQLITE_CANTOPEN, 14); the database is at 1"),
      "\(outcome)")
    #expect(outcome.errors.contains("\nset SQLITE_TMPDIR to a directory"), "\(outcome)")
  }

  @Test(
    .tags(.F13), .enabled(if: Mounts.obstacle == nil, "no mounts: \(Mounts.obstacle ?? "")"),
    arguments: [true, false])
  func `an error names the two directories whose disk may be full`(isTemporary: Bool) throws {
    let site = try Site(scripts: ["2.sql": Self.sorts])

    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=\(isTemporary ? 100 : 6)m none "$place"
      mkdir "$place/data" "$place.temporary"
      mount -t tmpfs -o size=\(isTemporary ? 4 : 100)m none "$place.temporary"
      SQLITE_TMPDIR="$place.temporary" \(Command.product("uplift").path) \
        up --database "$place/data/app.db" --seed "$seed" --migrations "$scripts" --json 2>/dev/null || true
      """)

    #expect(outcome.output.contains(#""kind":"disk""#), "\(outcome)")
    #expect(outcome.output.contains("mount.temporary"), "\(outcome)")
  }
}
