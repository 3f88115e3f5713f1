internal import UpliftSQLite

/// The orphans that were there before a script: they are not its fault.
///
/// An orphan is the same when its table, its parent and what it refers to are the same. A table
/// with another name is known by where it begins in the file, and one that begins elsewhere by its
/// name: a rebuilt table may take the place of any that was dropped.
struct Baseline {
  private var known: [Meaning: Known] = [:]
  private var counted: Set<Reference> = []
  private var nameByRoot: [Int64: String] = [:]
  private let roots: [String: Int64]

  private struct Meaning: Hashable {
    let child: String
    let parent: String
    let key: [String]
  }

  private struct Known {
    var count = 0
    var rows: Set<Int64> = []
  }

  /// What means the same now.
  private struct Found {
    var count = 0
    /// Up to ten, of the rows that were no orphans before.
    var strangers: [Orphan] = []
  }

  /// The tables as they are before the script.
  init(_ references: References) {
    roots = references.tables.mapValues(\.root)
    for (name, root) in roots where root > 0 { nameByRoot[root] = name }
  }

  /// Notes what is wrong with these references now; with each of them once.
  mutating func add(
    _ references: [Reference], _ connection: borrowing Connection
  ) throws(SQLiteError) {
    let fresh = references.filter { counted.insert($0).inserted }
    try OrphanSearch.search(fresh, among: .allThatCanBeCompared, connection) { orphan in
      let meaning = Meaning(
        child: orphan.reference.child.folded, parent: orphan.reference.parent.folded,
        key: orphan.key.map(Self.text))
      known[meaning, default: Known()].count += 1
      if let row = orphan.row { known[meaning]?.rows.insert(row) }
      return true
    }
  }

  /// The orphans that were not there before: up to ten, and how many in all.
  func new(
    in references: [Reference], now: References, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (first: [Orphan], count: Int) {
    var nameBefore: [String: String] = [:]
    for (name, table) in now.tables where roots[name] != table.root {
      nameBefore[name] = nameByRoot[table.root]
    }
    var found: [Meaning: Found] = [:]
    var order: [Meaning] = []
    try OrphanSearch.search(references, among: .keys, connection) { orphan in
      let key = orphan.key.map(Self.text)
      let child = orphan.reference.child.folded
      let parent = orphan.reference.parent.folded
      let children = [child] + [nameBefore[child]].compactMap { $0 }
      let parents = [parent] + [nameBefore[parent]].compactMap { $0 }
      let meanings = children.flatMap { child in
        parents.map { Meaning(child: child, parent: $0, key: key) }
      }
      let meaning = meanings.first { known[$0] != nil } ?? meanings[0]
      if found[meaning] == nil { order.append(meaning) }
      found[meaning, default: Found()].count += 1
      let isStranger = orphan.row.map { known[meaning]?.rows.contains($0) != true } ?? true
      if isStranger, found[meaning]?.strangers.count ?? 0 < 10 {
        found[meaning]?.strangers.append(orphan)
      }
      return true
    }
    var first: [Orphan] = []
    var count = 0
    for meaning in order {
      guard let now = found[meaning] else { continue }
      let excess = now.count - (known[meaning]?.count ?? 0)
      guard excess > 0 else { continue }
      count += excess
      first += now.strangers.prefix(min(excess, 10 - first.count))
    }
    return (first, count)
  }

  /// A rebuilt table may keep 5 as 5.0 or '5'; it means the same row.
  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    case .text(let text): text
    case .rawText(let bytes): "raw\(bytes)"
    case .blob(let bytes): "x\(bytes)"
    }
  }
}
