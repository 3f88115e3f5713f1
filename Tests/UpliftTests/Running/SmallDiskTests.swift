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
      "$uplift" $options --target 2 >/dev/null
      "$uplift" rehearse $options || echo "exit $?"
      ls "$place/data" "$place.copies"
      "$uplift" $options >/dev/null 2>&1 || echo "up ends with $?"
      """)
    #expect(outcome.errors.contains("uplift: \"") || outcome.status == 0)
    return outcome.output.split(separator: "\n").map(String.init)
  }

  @Test func `says so if an upgrade would fill the disk, as it does`() throws {
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
      '\(Command.product("uplift").path)' rehearse --database "$place/data/app.db" \\
        --migrations "$scripts" --in "$place/copies"
      """)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    let blocks = (lines.first ?? "").split(separator: " ").compactMap { Int64($0) }
    let report = try JSONDecoder().decode(Report.self, from: Data((lines.last ?? "").utf8))

    #expect(blocks.count == 2 && report.room.count == 1, "\(outcome)")
    // Another file may come or go meanwhile, but not one of 20 MB.
    #expect(abs((report.room.first?.free ?? 0) - blocks.reduce(1, *)) < 5_000_000)
  }

  private struct Report: Decodable {
    let room: [Room]
    struct Room: Decodable { let free: Int64 }
  }

  @Test func `does not begin a copy that does not fit`() throws {
    let lines = try rehearse(dataSize: "100m", copySize: "1m")

    #expect(lines.first?.contains("a copy needs ") == true, "\(lines)")
    #expect(lines.contains("exit 74"))
    #expect(!lines.contains { $0.hasPrefix("up ends") })
    #expect(!lines.contains { $0.hasPrefix("uplift-") })
  }
}
