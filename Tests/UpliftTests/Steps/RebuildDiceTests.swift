import Foundation
import TestSupport
import Testing
import Uplift

/// A table that is rebuilt with its own definition keeps its rows, byte for byte.
///
/// `UPLIFT_ROUNDS=1000 swift test --filter RebuildDiceTests` tries as many other databases.
struct RebuildDiceTests {
  @Test(.tags(.promise4, .S21)) func `changes nothing, whatever the names and the values`() throws {
    let tables = 5
    var (changed, rows) = (0, 0)

    for seed in Dice.seeds(40) {
      let dice = RebuildDice(seed, tables: tables)
      let site = try Site(seed: nil, scripts: [:])
      try site.scratch.write("", to: "data/app.db")
      let before = dice.make(at: site.database)

      let outcome = Result { () throws(UpgradeError) in
        try site.step { database in
          for table in dice.tables { try database.rebuildTable(table.name, as: table.definition) }
        }
      }

      #expect(throws: Never.self, "seed \(seed)") { try outcome.get() }
      let after = dice.contents(of: site.database)
      if after != before {
        changed += 1
        let lost = Set(before).symmetricDifference(after)
          .map { String(decoding: $0, as: UTF8.self) }
        Issue.record("seed \(seed): \(lost.sorted().joined(separator: "\n"))")
      }
      rows += before.count
    }

    #expect(changed == 0)
    // The random databases are not empty.
    #expect(rows > 500)
  }
}
