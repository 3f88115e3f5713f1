internal import Uplift
internal import UpliftSQLite

/// The columns of one table that a script has dropped or renamed.
struct ColumnChanges {
  /// The new names of the columns that were renamed.
  let renamed: [Name: Name]
  /// False for a step in Swift.
  private let knowsRenames: Bool
  /// The dropped columns, by their names then, with the offsets of the statements.
  private let own: [Name: Int]
  /// The columns that were dropped while their table had a name that it has only within the script.
  private let passing: [Name: Int]

  init(
    _ kept: ObservedTables.Kept, _ script: Script, _ changes: ObservedTables.Changes,
    _ tables: ObservedTables, _ actions: ScriptActions
  ) {
    let names = [kept.before.name, kept.after.name]
    func isPassing(_ table: Name) -> Bool {
      tables.all[table] == nil && actions.droppedTables[table] == nil
        && !changes.kept.contains { $0.before.name == table }
    }
    var (own, passing): ([Name: Int], [Name: Int]) = ([:], [:])
    for (column, offset) in actions.droppedColumns {
      if names.contains(column.table) {
        own[column.name] = offset
      } else if isPassing(column.table) {
        passing[column.name] = offset
      }
    }
    var renamed: [Name: Name] = [:]
    for column in script.renamedColumns ?? []
    where names.contains(column.table) || isPassing(column.table) {
      renamed[column.before] = column.after
    }
    (self.own, self.passing, self.renamed) = (own, passing, renamed)
    knowsRenames = script.renamedColumns != nil
  }

  /// The statement that has dropped a column.
  func offset(of column: Name) -> Int? { own[column] ?? passing[column] }

  /// The columns that are missing in a table that was not rebuilt.
  func missing(_ before: ObservedTable, _ after: ObservedTable) -> [Name] {
    let gone = before.lost(in: after)
    // A new column that was renamed to the name of a dropped one may have its values.
    let taken = renamed.filter { !before.columns.contains($0.key) }.map(\.value)
    // A dropped column is missing even if the script has made it again: its values are gone.
    let dropped = before.columns.filter { column in
      own[column] != nil && (gone.contains(column) || knowsRenames && !taken.contains(column))
    }
    let others = gone.filter { own[$0] == nil }
    let passed = others.filter { passing[$0] != nil && renamed[$0] == nil }
    // The other columns that are gone were probably renamed. Then there are as many new columns.
    let new = after.columns.filter { !before.columns.contains($0) }
    guard others.count > new.count else { return dropped + passed }
    // Columns that were renamed and then dropped, by their new names.
    let byNewNames = own.keys.filter { !before.columns.contains($0) }.sorted()
    return dropped + (byNewNames.isEmpty ? passed : byNewNames)
  }
}
