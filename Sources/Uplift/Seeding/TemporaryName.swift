/// The name of the file in which a new database is made: `.app.db.hkmtwzxxrpgnvskj.uplift`.
///
/// A later boot removes every file with such a name, so no other file may have one by chance. The
/// file is hidden, and its name contains sixteen random letters from `g` to `z`. No word and no
/// hexadecimal number looks like that.
package struct TemporaryName {
  /// The part before the letters, the same for every copy of one database.
  private let start: [UInt8]

  /// The database's name is cut if it is very long, because a file's name has at most 255 bytes.
  package init(of database: some Collection<UInt8>) {
    start = Array(".".utf8) + database.prefix(200) + Array(".".utf8)
  }

  /// A new random name.
  ///
  /// Two processes that copied into one file would spoil each other's copy.
  package func next() -> [UInt8] {
    start + (0..<Self.count).map { _ in Self.letters[Int.random(in: Self.letters.indices)] }
      + Self.end
  }

  /// True if this type has made the name, in this or another process.
  package func matches(_ name: some Collection<UInt8>) -> Bool {
    name.count == start.count + Self.count + Self.end.count && name.starts(with: start)
      && name.suffix(Self.end.count).elementsEqual(Self.end)
      && name.dropFirst(start.count).prefix(Self.count).allSatisfy(Self.letters.contains)
  }

  private static let count = 16
  private static let letters = Array(UInt8(ascii: "g")...UInt8(ascii: "z"))
  private static let end = Array(".uplift".utf8)
}
