extension String {
  /// The form in which SQLite compares names: `A` to `Z` become `a` to `z`, and nothing else
  /// changes.
  package var folded: String {
    func isUpper(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    // Most names are in lower case already.
    guard utf8.contains(where: isUpper) else { return self }
    return String(decoding: utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
