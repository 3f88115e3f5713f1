extension Int64 {
  /// A number of bytes for people, as `12.4 MB`.
  package var asBytes: String {
    var value = self
    var rest: Int64 = 0
    var unit = "bytes"
    for next in ["kB", "MB", "GB", "TB"] where value >= 1000 {
      rest = value % 1000 / 100
      value /= 1000
      unit = next
    }
    return unit == "bytes" ? "\(value) bytes" : "\(value).\(rest) \(unit)"
  }
}
