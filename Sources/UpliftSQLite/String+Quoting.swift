extension String {
  /// The name of a table or column as SQL writes it, whatever is in it.
  package var asName: String { Self.enclosed(self, by: "\"") }

  /// Text as SQL writes it.
  package var asText: String { Self.enclosed(self, by: "'") }

  private static func enclosed(_ text: String, by quote: Unicode.Scalar) -> String {
    var scalars = String.UnicodeScalarView()
    scalars.append(quote)
    for scalar in text.unicodeScalars {
      scalars.append(scalar)
      if scalar == quote { scalars.append(quote) }
    }
    scalars.append(quote)
    return String(scalars)
  }
}
