import Foundation
import TestSupport
import Testing

struct WaitingTests {
  @Test(.tags(.P3), .timeLimit(.minutes(10)))
  func `says once that it waits, and gives up with an exit code of its own`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")

    let outcome = try service.shell(
      """
      (echo 'BEGIN IMMEDIATE;'; sleep 6) | /usr/bin/sqlite3 data/app.db &
      sleep 0.3
      uplift up --wait 0.5; echo $?
      uplift up --wait 1.6; echo $?
      uplift up --wait 0.1 --quiet 2>/dev/null; echo $?
      """)

    #expect(outcome.output == "75\n75\n75\n")
    let busy = #"uplift: "data/app.db" stayed busy; the database is at 2"#
    let complaints = outcome.errors.components(separatedBy: "\n").filter { $0.contains(": ") }
    #expect(complaints == [busy, "uplift: data/app.db is busy, waiting", busy])
  }

  @Test(.timeLimit(.minutes(10)))
  func `goes on as soon as the database is free`() throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")

    let outcome = try service.shell(
      """
      (echo 'BEGIN IMMEDIATE;'; sleep 1) | /usr/bin/sqlite3 data/app.db &
      sleep 0.3
      uplift
      """)

    #expect(outcome.output == "applied 0003_index_guests.sql\ndata/app.db is at 3\n")
  }

  /// A commit that waits for a reader keeps new readers out.
  @Test(.tags(.P3), .timeLimit(.minutes(10)), arguments: ["up", "up --each data --jobs 2"])
  func `keeps no reader out because nobody reads that it waits`(command: String) throws {
    let service = try Service.upToThree()
    _ = try service.uplift("--target=2")
    if command.contains("each") { _ = try service.shell("cp data/app.db data/b.db") }

    let outcome = try service.shell(
      """
      mkfifo full && exec 3<>full && { timeout 1 cat /dev/zero >&3; }
      (echo 'BEGIN; SELECT count(*) FROM guests;'; sleep 4) | sqlite3 data/app.db >/dev/null &
      sleep 0.3
      uplift \(command) --wait 2 >&3 2>&3 & upgrade=$!
      sleep 5
      for i in $(seq 100); do
        sqlite3 data/app.db "SELECT 'read' FROM sqlite_master LIMIT 1" 2>/dev/null && break; sleep 0.2
      done
      pkill -KILL -P $upgrade; kill -KILL $upgrade
      """)

    #expect(outcome.output == "read\n")
  }
}
