extension Duration {
  /// Reads `60` or `0.5`, in ASCII digits; nil for anything else and for more than 999999999.
  package init?(seconds text: String) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(digits.contains) }) else { return nil }
    guard let whole = Int64(String(text.prefix { $0 != "." })), whole <= 999_999_999 else {
      return nil
    }
    var attoseconds: Int64 = 0
    var unit: Int64 = 100_000_000_000_000_000
    for digit in parts.dropFirst().joined() {
      attoseconds += Int64(digit - UInt8(ascii: "0")) * unit
      unit /= 10
    }
    self.init(secondsComponent: whole, attosecondsComponent: attoseconds)
  }

  /// The seconds with this many decimals, rounded down: `1.2`.
  func seconds(decimals: Int) -> String {
    let digits = String(components.attoseconds + 1_000_000_000_000_000_000).dropFirst()
    return "\(components.seconds)." + digits.prefix(decimals)
  }
}
