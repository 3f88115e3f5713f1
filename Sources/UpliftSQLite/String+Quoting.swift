extension String {
  /// The name of a table or column in SQL; it may contain any character.
  package var asName: String { enclosed(by: UInt8(ascii: "\"")) }

  /// Text as a literal in SQL.
  package var asText: String { enclosed(by: UInt8(ascii: "'")) }

  /// The string between quotes.
  ///
  /// A quote inside is written twice.
  private func enclosed(by quote: UInt8) -> String {
    var bytes = [quote]
    bytes.reserveCapacity(utf8.count + 2)
    for byte in utf8 {
      bytes.append(byte)
      if byte == quote { bytes.append(quote) }
    }
    bytes.append(quote)
    return String(decoding: bytes, as: UTF8.self)
  }
}
