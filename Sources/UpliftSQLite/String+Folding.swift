extension String {
  /// As SQLite compares names: `A` to `Z` are `a` to `z`, and all else is itself.
  package var folded: String {
    String(decoding: utf8.lazy.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
