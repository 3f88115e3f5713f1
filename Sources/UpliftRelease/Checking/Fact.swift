internal import Uplift

/// What a finding says; `Fact+Words.swift` has the words.
enum Fact: Hashable {
  /// An upgrade stopped; the words are without the place.
  case stopped(words: String, remedy: String, isRefusal: Bool)
  /// An upgrade from `start` ends in another schema than one from `reference`.
  case schemaDiffers(SchemaDifference, reference: String, start: StartingPoint)
  case danglingReference(
    table: String, columns: [String], parent: String, UpgradeError.Orphan.Fault)
  /// `released` is the version of released content that is newer than the seed; nil if none is
  /// known.
  case seedNumber(number: Version, seed: Version?, released: Version?)
  case secondSeedScript(first: String)
  /// The seed has not run a script whose number is at or below its version.
  case notInSeed(seed: Version)

  /// The lock file cannot be read; the words are without the place.
  case lockFile(words: String, remedy: String)
  case edited
  case renumbered(to: String)
  /// A released script is not there; `isNewest` if its number is the newest that was released.
  case gone(Version, isNewest: Bool)
  /// The released script that reads the seed is not there; `isNewest` if its number is the newest
  /// that was released.
  case contentGone(Version, isNewest: Bool)
  /// `isContent` is true for a script that reads the seed.
  case inserted(newest: String, isContent: Bool)

  case failsOnRows(rows: [String], words: String)
  case lost(LostObject, table: String)
  /// An option of a table, such as `STRICT`, is not in its new definition.
  case lostOption(String, table: String)
  case brokenView(name: String, words: String)
  case brokenTrigger(table: String, words: String)
  case rowsLost(table: String, before: Int64, after: Int64)
  /// All rows that were made up for a table went.
  case madeUpRowsGone(table: String)
  /// A few of the rows that were made up for a table went; `rows` is empty if they are not known.
  case someMadeUpRowsGone(table: String, before: Int, after: Int, rows: [String])
  case columnsLost(table: String, columns: [String])
  /// `isAll` is false if there are more users' rows than were compared.
  case userRow(table: String, row: String, count: Int, isAll: Bool, Fate)
  /// Rows of the seed with `NULL` in their primary key were there, and were inserted again.
  case rowRepeated(table: String, count: Int64)
  /// After a refresh, the database lacks rows of the seed, or has other values in them.
  case rowMissed(table: String, row: String, count: Int64)
  case notTried(table: String, words: String)
  /// The seed has other rows than an old seed of the same version; or, for nil, than an older one
  /// has after its upgrade.
  case contentChanged(table: String, old: String, Version?, Bringer)
  /// No starting point is below the script; `others` is the number of scripts before it that were
  /// not tried either.
  case notRun(Version, others: Int)
  /// A directory of fixtures has no database.
  case noFixture
  /// A script accepts findings of a kind that is not found.
  case acceptsNothing(String)

  /// True for a view or a trigger that cannot work.
  var isBroken: Bool {
    switch self {
    case .brokenView, .brokenTrigger: true
    default: false
    }
  }

  /// The script that reads the seed, and could bring the rows of a table.
  enum Bringer: Hashable {
    case itsScript, anotherScript, noScript
    /// No such script is written for a virtual table.
    case ownStatements
  }

  /// What a script did to a user's row.
  enum Fate: String { case overwritten, deleted }
}
