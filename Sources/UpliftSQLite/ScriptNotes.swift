internal import CUpliftSQLite

/// The names of the tables and views that a script may have changed, as the authorizer reports
/// them.
///
/// A name means what it meant when its statement was prepared.
package struct NotedTables {
  /// The tables that the script writes, makes, alters or drops, and the views that it makes or
  /// drops.
  package private(set) var names: Set<Name> = []
  /// The tables and views among them that are made or dropped.
  package private(set) var made: Set<Name> = []
  /// True if more tables may have changed than are noted: a table was altered, a virtual table was
  /// made or dropped, or SQLite itself has changed the schema.
  package private(set) var isIncomplete = false
  /// True if the connection was lent: any table may have changed.
  package private(set) var mayBeAny = false
  /// The tables that other SQL than the script's writes, for as long as the connection lasts.
  ///
  /// A virtual table writes its own tables with statements that it keeps prepared. SQLite reports
  /// them only when they are prepared: while a statement runs, or when a statement of Uplift's
  /// names the virtual table first.
  package private(set) var lasting: Set<Name>
  /// The name that the script wrote last, with its zero byte: a script of a million lines mostly
  /// writes one table.
  private var latest: [CChar] = []

  init(lasting: Set<Name> = []) {
    self.lasting = lasting
  }

  /// True if the action only writes the table that was written last.
  func isLatest(_ action: Int32, _ table: CString?) -> Bool {
    guard let table, !latest.isEmpty,
      [SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE].contains(action)
    else { return false }
    for (index, byte) in latest.enumerated() where table[index] != byte { return false }
    return true
  }

  /// Notes an action on a table of the main database.
  ///
  /// `lasts` is true if the SQL is not the script's.
  mutating func note(
    _ action: Int32, _ first: CString?, _ second: CString?, _ database: CString?, lasts: Bool
  ) {
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      guard let table = note(first, in: database, lasts) else { return }
      if !lasts { latest = table.bytes.cString }
    case SQLITE_CREATE_TABLE, SQLITE_DROP_TABLE, SQLITE_CREATE_VIEW, SQLITE_DROP_VIEW:
      guard let table = note(first, in: database, lasts) else { return }
      if lasts { isIncomplete = true } else { made.insert(table) }
    case SQLITE_CREATE_VTABLE, SQLITE_DROP_VTABLE:
      if note(first, in: database, lasts) != nil { isIncomplete = true }
    case SQLITE_ALTER_TABLE:
      // For this action the first name is the database, and the second is the table.
      if note(second, in: first, lasts) != nil { isIncomplete = true }
    default:
      return
    }
  }

  /// The table, if it is one of the main database and not SQLite's own, which has no foreign keys.
  private mutating func note(_ name: CString?, in database: CString?, _ lasts: Bool) -> Name? {
    guard let name, isSame(database, "main") else { return nil }
    let table = Name(name)
    guard !table.isInternal else { return nil }
    if lasts { lasting.insert(table) } else { names.insert(table) }
    return table
  }

  mutating func noteAny() {
    isIncomplete = true
    mayBeAny = true
  }
}

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
  /// True while the triggers of a dropped table or view are dropped with it.
  private var isDroppingTable = false

  package init() {}

  mutating func beginStatement() {
    isDroppingTable = false
  }

  /// Notes an action; the meaning of the names depends on the action
  /// (sqlite.org/c3ref/c_alter_table.html).
  mutating func note(
    _ action: Int32, _ first: CString?, _ second: CString?, _ third: CString?, at offset: Int
  ) {
    guard let first else { return }
    switch action {
    case SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE:
      // `VACUUM` writes all rows of all tables into a database of its own.
      let name = Name(first)
      guard !name.isInternal, isSame(third, "main") else { return }
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
