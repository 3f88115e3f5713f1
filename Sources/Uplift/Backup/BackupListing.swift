internal import UpliftSystem

/// The names in a directory of backups, listed once for the databases of one run.
///
/// To list a directory of ten thousand backups after each of ten thousand upgrades would take
/// longer than the upgrades.
struct BackupListing: Sendable {
  /// In the order of their bytes.
  private let names: [[UInt8]]

  /// Lists a directory; the listing is empty if the directory cannot be read, and then no backup is
  /// deleted.
  init(of directory: String) {
    do {
      names = try System.names(in: Path(directory)).sorted { $0.lexicographicallyPrecedes($1) }
    } catch {
      names = []
    }
  }

  /// The names that begin with these bytes, by binary search.
  func names(beginningWith start: [UInt8]) -> ArraySlice<[UInt8]> {
    var range = names.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range =
        names[middle].lexicographicallyPrecedes(start)
        ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
    }
    return names[range.lowerBound...].prefix { $0.starts(with: start) }
  }
}
