import Foundation
import TestSupport
import Testing

/// A rehearsal where the disk has little room.
@Suite(
  .tags(.promise16, .F13),
  .enabled(if: Mounts.obstacle == nil, "no mounts: \(Mounts.obstacle ?? "")"))
struct SmallDiskTests {
  private func rehearse(dataSize: String, copySize: String) throws -> [String] {
    let site = try Site(scripts: [
      "2.sql": "CREATE TABLE large AS SELECT randomblob(3000000) AS b;",
      "3.sql": "UPDATE large SET b = randomblob(3000000);",
    ])
    let outcome = try Mounts.run(
      site,
      """
      uplift='\(Command.product("uplift").path)'
      mount -t tmpfs -o size=\(dataSize) none "$place"
      mkdir "$place/data" "$place.copies"
      mount -t tmpfs -o size=\(copySize) none "$place.copies"
      export SQLITE_TMPDIR="$place.copies"
      options="--database $place/data/app.db --seed $seed --migrations $scripts"
      "$uplift" up $options --target 2 >/dev/null
      "$uplift" rehearse --json $options || echo "exit $?"
      ls "$place/data" "$place.copies"
      "$uplift" up $options >/dev/null 2>&1 || echo "up ends with $?"
      """)
    #expect(outcome.errors.contains("uplift: \"") || outcome.status == 0)
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test func `says that an upgrade would fill the disk, and the upgrade does fill it`() throws {
    let lines = try rehearse(dataSize: "5m", copySize: "100m")

    #expect(lines.first?.contains(#""error":{"kind":"disk""#) == true, "\(lines)")
    #expect(lines.contains("exit 74"))
    #expect(lines.contains("up ends with 74"))
  }

  /// The copy lies on the disk of the database, and is gone when the upgrade comes.
  @Test func `does not count its own copy as used room`() throws {
    let site = try Site(scripts: ["2.sql": "CREATE TABLE more(a);"])
    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=60m none "$place"
      mkdir "$place/data" "$place/copies"
      sqlite3 "$place/data/app.db" \\
        'CREATE TABLE large AS SELECT zeroblob(20000000) AS b; PRAGMA user_version = 1;'
      stat -f -c '%a %S' "$place"
      '\(Command.product("uplift").path)' rehearse --json --database "$place/data/app.db" \\
        --migrations "$scripts" --in "$place/copies"
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let blocks = (lines.first ?? "").split(separator: " ").compactMap { Int64($0) }
    let report = try JSONDecoder().decode(Report.self, from: Data((lines.last ?? "").utf8))

    #expect(blocks.count == 2 && !report.room.isEmpty, "\(outcome)")
    // Another file may come or go meanwhile, but not one of 20 MB.
    #expect(abs((report.room.first?.free ?? 0) - blocks.reduce(1, *)) < 5_000_000)
  }

  private struct Report: Decodable {
    let room: [Room]
    struct Room: Decodable { let free: Int64 }
  }

  /// A rehearsal at noon must not take the last bytes of the live service.
  @Test(arguments: [
    "CREATE TABLE more AS SELECT a, b FROM small, (SELECT 1 UNION SELECT 2 UNION SELECT 3);",
    "CREATE INDEX sorted ON small(a, b);",
  ])
  func `stops before it fills the disk of the service`(_ script: String) throws {
    let site = try Site(scripts: ["2.sql": script])
    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=40m none "$place"
      mkdir "$place/data" "$place/copies"
      export SQLITE_TMPDIR="$place/copies"
      sqlite3 "$place/data/app.db" 'CREATE TABLE large(b); INSERT INTO large VALUES (zeroblob(7000000));
        CREATE TABLE small(a, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
          WHERE i < 40000) INSERT INTO small SELECT hex(randomblob(70)), i FROM n;
        PRAGMA user_version = 1;'
      free=$(stat -f -c '%a' "$place")
      (while sleep 0.005; do stat -f -c '%a' "$place"; done) >"$place.free" &
      '\(Command.product("uplift").path)' rehearse --json --database "$place/data/app.db" \\
        --migrations "$scripts" --in "$place/copies" || echo "exit $?"
      kill $!
      echo "$free $(sort -n "$place.free" | head -n 1)"
      ls "$place/copies"
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let free = (lines.last ?? "").split(separator: " ").compactMap { Int($0) }

    #expect(lines.first?.contains(#""error":{"kind":"disk""#) == true, "\(outcome)")
    #expect(lines.contains("exit 74"))
    // It looks at the disk while statements run, not after each page.
    #expect(free.count == 2 && free[1] > free[0] / 5, "\(outcome)")
  }

  /// A service that was killed leaves its log, and the copy has what is in it.
  @Test func `leaves room to others when the log is large`() throws {
    let site = try Site(scripts: ["2.sql": "CREATE TABLE more(a);"])
    let outcome = try Mounts.run(
      site,
      """
      mount -t tmpfs -o size=60m none "$place"
      mkdir "$place/data" "$place.copies"
      mount -t tmpfs -o size=12m none "$place.copies"
      sqlite3 "$place/data/app.db" '.dbconfig no_ckpt_on_close on' 'PRAGMA journal_mode = wal;
        PRAGMA wal_autocheckpoint = 0; CREATE TABLE large AS SELECT zeroblob(20000000) AS b;
        PRAGMA user_version = 1;' >/dev/null
      '\(Command.product("uplift").path)' rehearse --json --database "$place/data/app.db" \\
        --migrations "$scripts" --in "$place.copies" || echo "exit $?"
      """)

    #expect(outcome.output.contains("stopped, because less than a quarter of "), "\(outcome)")
    #expect(outcome.output.hasSuffix("exit 74\n"))
  }

  @Test func `ends no copy that leaves too little room`() throws {
    let lines = try rehearse(dataSize: "100m", copySize: "1m")

    #expect(lines.first?.contains("stopped, because less than a quarter of ") == true, "\(lines)")
    #expect(lines.contains("exit 74"))
    #expect(!lines.contains { $0.hasPrefix("up ends") })
    #expect(!lines.contains { $0.hasPrefix("uplift-") })
  }
}
