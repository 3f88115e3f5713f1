internal import UpliftSQLite

/// One foreign key: the columns of a child table, and the parent they refer to.
struct Reference: Hashable {
  let child: String
  let parent: String
  /// The child's columns, and the parent's; empty where the parent's key is meant.
  let from: [String]
  let to: [String]
}

/// All foreign keys of a database, by the tables at both ends.
///
/// Kept up to date by the names of the tables that a script made, dropped or altered: to read the
/// whole schema again after each of a thousand scripts would cost more than the scripts.
struct References {
  private(set) var tables: [String: Table] = [:]
  private var childrenOf: [String: Set<String>] = [:]
  /// True where a table that is dropped lets another begin elsewhere: in a file with `auto_vacuum`.
  let rootsMove: Bool

  struct Table {
    let name: String
    /// Where it begins in the file: what it keeps when it is given another name.
    let root: Int64
    let references: [Reference]
  }

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    rootsMove = try connection.integer("PRAGMA main.auto_vacuum") != 0
    let rows = try connection.prepare(
      "SELECT name, rootpage FROM main.sqlite_master WHERE type = 'table' ORDER BY rowid")
    while try rows.step() { try add(rows.text(0) ?? "", root: rows.integer(1), connection) }
  }

  /// What a script changed.
  struct Change {
    var added: [Reference] = []
    /// What there was before a script that may have given tables other names.
    var before: References?
  }

  /// Takes in what a script did to the tables.
  ///
  /// A new name, of a table or of a column that others refer to, is not told: after a script that
  /// may have given one, everything is read again.
  mutating func follow(
    _ touches: Touches, of script: Script, _ connection: borrowing Connection
  ) throws(SQLiteError) -> Change {
    if !touches.altered.isEmpty, script.mayMention("rename") {
      let before = self
      self = try References(connection)
      let known = Set(before.all)
      return Change(added: all.filter { !known.contains($0) }, before: before)
    }
    var change = Change()
    for name in touches.reshaped.union(touches.altered).sorted() {
      let old = tables.removeValue(forKey: name)
      for reference in old?.references ?? [] {
        childrenOf[reference.parent.folded]?.remove(name)
      }
      if let old, !touches.reshaped.contains(name) {
        // A column more: the table is where it was.
        try add(old.name, root: old.root, connection)
      } else {
        try find(name, connection)
      }
      guard let new = tables[name] else { continue }
      change.added += new.references.filter { old?.references.contains($0) != true }
    }
    return change
  }

  /// What was made lately comes last in the schema, and is looked for from there.
  private mutating func find(
    _ name: String, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let table = try connection.prepare(
      """
      SELECT name, rootpage FROM main.sqlite_master
      WHERE type = 'table' AND name = ?1 COLLATE NOCASE ORDER BY rowid DESC
      """)
    try table.bind(.text(name), at: 1)
    if try table.step() { try add(table.text(0) ?? "", root: table.integer(1), connection) }
  }

  /// The references of these tables, and those to them.
  func touching(_ names: Set<String>) -> [Reference] {
    var children = names
    for name in names { children.formUnion(childrenOf[name] ?? []) }
    return children.sorted().flatMap { child in
      (tables[child]?.references ?? []).filter {
        names.contains(child) || names.contains($0.parent.folded)
      }
    }
  }

  /// Every reference there is.
  var all: [Reference] { tables.keys.sorted().flatMap { tables[$0]?.references ?? [] } }

  private mutating func add(
    _ name: String, root: Int64, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let references = try connection.foreignKeys(of: name).map {
      Reference(child: name, parent: $0.parent, from: $0.from, to: $0.to)
    }
    tables[name.folded] = Table(name: name, root: root, references: references)
    for reference in references {
      childrenOf[reference.parent.folded, default: []].insert(name.folded)
    }
  }
}
