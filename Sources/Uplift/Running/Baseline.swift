internal import UpliftSQLite

/// The orphans that were there before a script: they are not its fault.
///
/// An orphan is the same when its table, its parent and what it refers to are the same; tables
/// are followed through a change of name by where they begin in the file.
struct Baseline {
  private var counts: [Meaning: Int] = [:]
  private var counted: Set<Reference> = []
  private var nameByRoot: [Int64: String] = [:]
  private let roots: [String: Int64]

  private struct Meaning: Hashable {
    let child: String
    let parent: String
    let key: [String]
  }

  /// The tables as they are before the script.
  init(_ references: References) {
    roots = references.roots
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
      counts[meaning, default: 0] += 1
      return true
    }
  }

  /// The orphans that were not there before: up to ten, and how many in all.
  func new(
    in references: [Reference], now: References, _ connection: borrowing Connection
  ) throws(SQLiteError) -> (first: [Orphan], count: Int) {
    var nameBefore: [String: String] = [:]
    for (name, root) in now.roots where roots[name] != root {
      nameBefore[name] = nameByRoot[root]
    }
    var left = counts
    var first: [Orphan] = []
    var count = 0
    try OrphanSearch.search(references, among: .keys, connection) { orphan in
      let child = orphan.reference.child.folded
      let parent = orphan.reference.parent.folded
      let meaning = Meaning(
        child: nameBefore[child] ?? child, parent: nameBefore[parent] ?? parent,
        key: orphan.key.map(Self.text))
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

  /// A rebuilt table may keep 5 as 5.0 or '5'; it means the same row.
  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let number): "\(number)"
    case .real(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    case .text(let text): text
    case .blob(let bytes): "x\(bytes)"
    }
  }
}
