/// The names of the files in which a database is made: `.app.db.hkmtwzxxrpgnvskj.uplift`.
///
/// What bears such a name is removed by a later boot. So it is a name that nobody types: sixteen
/// letters at random, none of them a hexadecimal digit or a vowel before `g`, in a hidden file.
struct TemporaryName {
  private let start: [UInt8]

  /// A very long name of a database is cut: a file's name goes to 255 bytes.
  init(of database: some Collection<UInt8>) {
    start = Array(".".utf8) + database.prefix(200) + Array(".".utf8)
  }

  /// A name that no other process has: two copies under one name would spoil each other.
  func next() -> [UInt8] {
    start + (0..<Self.count).map { _ in Self.letters[Int.random(in: Self.letters.indices)] }
      + Self.end
  }

  func matches(_ name: some Collection<UInt8>) -> Bool {
    name.count == start.count + Self.count + Self.end.count && name.starts(with: start)
      && name.suffix(Self.end.count).elementsEqual(Self.end)
      && name.dropFirst(start.count).prefix(Self.count).allSatisfy(Self.letters.contains)
  }

  private static let count = 16
  private static let letters = Array(UInt8(ascii: "g")...UInt8(ascii: "z"))
  private static let end = Array(".uplift".utf8)
}
