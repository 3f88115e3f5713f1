internal import CUpliftSQLite

/// The objects that one script makes, changes and drops, as the authorizer reports them.
///
/// It is for tools that compare a database before and after a script. Each number is the offset of
/// the first byte of the statement in the script.
package struct ScriptActions {
  package struct Column: Hashable {
    package let table: Name
    package let name: Name

    package init(table: Name, name: Name) {
      self.table = table
      self.name = name
    }
  }

  /// The tables whose rows were inserted, updated or deleted, by a trigger too.
  package private(set) var writtenTables: Set<Name> = []
  /// The first statement that deletes rows of a table.
  package private(set) var deletions: [Name: Int] = [:]
  /// The tables and views that were made, altered or dropped, and those with a new or a dropped
  /// index or trigger.
  package private(set) var changedTables: Set<Name> = []
  /// The tables that were dropped, by the names that they had then.
  package private(set) var droppedTables: [Name: Int] = [:]
  /// The columns that `ALTER TABLE … DROP COLUMN` dropped.
  package private(set) var droppedColumns: [Column: Int] = [:]
  /// The views, indexes and triggers that a statement of their own dropped.
  package private(set) var droppedObjects: [Name: Int] = [:]
  /// The indexes that a `CREATE INDEX` made.
  ///
  /// An index that is there and not among them was there before the script: no statement renames an
  /// index.
  package private(set) var madeIndexes: Set<Name> = []
  /// True while the triggers of a dropped table or view are dropped with it.
  private var isDroppingTable = false

  package init() {}

  mutating func beginStatement() {
    isDroppingTable = false
  }

  /// Notes an action; the meaning of the names depends on the action
  /// (sqlite.org/c3ref/c_alter_table.html).
  mutating func note(
    _ action: Int32, _ first: ScriptNotes.CString?, _ second: ScriptNotes.CString?,
    _ third: ScriptNotes.CString?, at offset: Int
  ) {
    guard let first else { return }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      // `VACUUM` writes all rows of all tables into a database of its own.
      guard sqlite3_strnicmp(first, "sqlite_", 7) != 0, sqlite3_stricmp(third, "main") == 0
      else { return }
      let name = Name(first)
      writtenTables.insert(name)
      // For `DROP TABLE`, SQLite also asks whether it may delete the rows.
      if action == SQLITE_DELETE, deletions[name] == nil, !isDroppingTable {
        deletions[name] = offset
      }
    case SQLITE_CREATE_TABLE, SQLITE_CREATE_VIEW, SQLITE_CREATE_VTABLE:
      changedTables.insert(Name(first))
    case SQLITE_DROP_TABLE, SQLITE_DROP_VTABLE:
      isDroppingTable = true
      changedTables.insert(Name(first))
      droppedTables[Name(first)] = offset
    case SQLITE_DROP_VIEW:
      isDroppingTable = true
      changedTables.insert(Name(first))
      droppedObjects[Name(first)] = offset
    case SQLITE_CREATE_INDEX, SQLITE_CREATE_TRIGGER:
      if action == SQLITE_CREATE_INDEX { madeIndexes.insert(Name(first)) }
      if let second { changedTables.insert(Name(second)) }
    case SQLITE_DROP_INDEX, SQLITE_DROP_TRIGGER:
      if let second { changedTables.insert(Name(second)) }
      if !isDroppingTable { droppedObjects[Name(first)] = offset }
    case SQLITE_ALTER_TABLE:
      // The first name is the database. SQLite gives a dropped column as the third.
      guard let second else { return }
      changedTables.insert(Name(second))
      if let third {
        droppedColumns[Column(table: Name(second), name: Name(third))] = offset
      }
    default:
      return
    }
  }
}
