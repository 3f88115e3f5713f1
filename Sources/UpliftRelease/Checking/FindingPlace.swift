internal import Uplift

extension StartingPoint {
  /// The place of a finding about the whole database.
  var place: Finding.Place {
    Finding.Place(file: name, line: nil, column: nil, excerpt: nil)
  }
}

extension Finding.Place {
  /// The place of an error in a script; nil if it is not about a script.
  init?(_ error: UpgradeError) {
    guard let place = error.place, error.kind != .disk else { return nil }
    self.init(
      file: place.source ?? place.file, line: place.line, column: place.column,
      excerpt: place.excerpt)
  }
}

extension UpgradeError {
  /// The words without the place of a script, which the finding has, and without the version of a
  /// scratch database.
  var wordsOfFinding: String { place?.source == nil ? message : words }
}
