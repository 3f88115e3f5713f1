internal import UpliftSQLite

/// The orphans that were there before a script: they are not its fault.
///
/// An orphan is the same when its table, its parent and what it refers to are the same; tables
/// are followed through a change of name by their root page.
struct Baseline {
  private var counts: [Meaning: Int] = [:]
  private var names: Set<String> = []
  private var nameByRoot: [Int64: String] = [:]

  private struct Meaning: Hashable {
    let child: String
    let parent: String
    let key: [Value]
  }

  init(_ connection: borrowing Connection) throws(SQLiteError) {
    let rows = try Self.roots(connection)
    names = Set(rows.map(\.name))
    for row in rows where row.root > 0 { nameByRoot[row.root] = row.name }
  }

  /// Notes what is wrong with these references now.
  mutating func add(
    _ references: [Reference], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    var found: [Meaning: Int] = [:]
    try OrphanSearch.search(references, connection) { orphan in
      let meaning = Meaning(
        child: orphan.reference.child.lowercased(), parent: orphan.reference.parent.lowercased(),
        key: orphan.key)
      found[meaning, default: 0] += 1
      return true
    }
    counts.merge(found) { _, new in new }
  }

  /// The orphans that were not there before: up to ten, and how many in all.
  func new(
    in references: [Reference], _ connection: borrowing Connection
  ) throws(SQLiteError) -> (first: [Orphan], count: Int) {
    var nameNow: [String: String] = [:]
    for row in try Self.roots(connection) where !names.contains(row.name) {
      nameNow[row.name] = nameByRoot[row.root]
    }
    var left = counts
    var first: [Orphan] = []
    var count = 0
    try OrphanSearch.search(references, connection) { orphan in
      let child = orphan.reference.child.lowercased()
      let parent = orphan.reference.parent.lowercased()
      let meaning = Meaning(
        child: nameNow[child] ?? child, parent: nameNow[parent] ?? parent, key: orphan.key)
      if let known = left[meaning], known > 0 {
        left[meaning] = known - 1
      } else {
        count += 1
        if first.count < 10 { first.append(orphan) }
      }
      return true
    }
    return (first, count)
  }

  private static func roots(
    _ connection: borrowing Connection
  ) throws(SQLiteError) -> [(name: String, root: Int64)] {
    let rows = try connection.prepare("SELECT name, rootpage FROM sqlite_master WHERE type='table'")
    var roots: [(name: String, root: Int64)] = []
    while try rows.step() { roots.append(((rows.text(0) ?? "").lowercased(), rows.integer(1))) }
    return roots
  }
}
