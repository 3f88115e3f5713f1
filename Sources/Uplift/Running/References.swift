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
/// Kept up to date by the names of the tables that a script made or dropped: to read the whole
/// schema again after each of a thousand scripts would cost more than the scripts.
struct References {
  private var byChild: [String: [Reference]] = [:]
  private var childrenOf: [String: Set<String>] = [:]
  /// Where each table begins in the file: what it keeps when it is given another name.
  private(set) var roots: [String: Int64] = [:]

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    try read(
      connection.prepare(
        """
        SELECT t.name, f.id, f."table", f."from", f."to", t.rootpage FROM sqlite_master t
        LEFT JOIN pragma_foreign_key_list(t.name, 'main') f
        WHERE t.type = 'table' ORDER BY t.rowid, f.id, f.seq
        """))
  }

  /// Reads again what is known of some tables.
  mutating func refresh(
    _ names: Set<String>, _ connection: borrowing Connection
  ) throws(SQLiteError) {
    for name in names {
      roots[name] = nil
      for reference in byChild.removeValue(forKey: name) ?? [] {
        childrenOf[reference.parent.folded]?.remove(name)
      }
      let statement = try connection.prepare(
        """
        SELECT t.name, f.id, f."table", f."from", f."to", t.rootpage FROM sqlite_master t
        LEFT JOIN pragma_foreign_key_list(t.name, 'main') f
        WHERE t.type = 'table' AND t.name = ?1 COLLATE NOCASE ORDER BY f.id, f.seq
        """)
      try statement.bind(.text(name), at: 1)
      try read(statement)
    }
  }

  /// The references of these tables, and those to them.
  func touching(_ names: Set<String>) -> [Reference] {
    var children = names
    for name in names { children.formUnion(childrenOf[name] ?? []) }
    return children.sorted().flatMap { child in
      (byChild[child] ?? []).filter {
        names.contains(child) || names.contains($0.parent.folded)
      }
    }
  }

  /// Every reference there is.
  var all: [Reference] { byChild.keys.sorted().flatMap { byChild[$0] ?? [] } }

  private mutating func read(_ rows: borrowing Statement) throws(SQLiteError) {
    var latest: (child: String, id: Int64, reference: Reference)?
    while try rows.step() {
      let child = rows.text(0) ?? ""
      roots[child.folded] = rows.integer(5)
      guard let parent = rows.text(2) else { continue }
      let id = rows.integer(1)
      let before = latest.flatMap { $0.child == child && $0.id == id ? $0.reference : nil }
      if before == nil { keep(latest?.reference) }
      let reference = Reference(
        child: child,
        parent: parent,
        from: (before?.from ?? []) + [rows.text(3) ?? ""],
        to: (before?.to ?? []) + (rows.text(4).map { [$0] } ?? [])
      )
      latest = (child, id, reference)
    }
    keep(latest?.reference)
  }

  private mutating func keep(_ reference: Reference?) {
    guard let reference else { return }
    byChild[reference.child.folded, default: []].append(reference)
    childrenOf[reference.parent.folded, default: []].insert(reference.child.folded)
  }
}
