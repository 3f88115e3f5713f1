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
    switch error {
    case .failed(let failure):
      self.init(
        file: failure.source ?? failure.script, line: failure.line, column: failure.column,
        excerpt: failure.excerpt)
    case .scriptText(let text):
      self.init(file: text.file, line: text.line, column: text.column, excerpt: nil)
    default: return nil
    }
  }
}

extension UpgradeError {
  /// The words without the place in front of them, and without the version of a scratch database.
  func words(withoutPlace place: Finding.Place) -> String {
    var words = wordsWithoutVersion
    let location = [place.file, place.line.map(String.init), place.column.map(String.init)]
      .compactMap(\.self).joined(separator: ":")
    if words.hasPrefix(location + ": ") { words.removeFirst(location.count + 2) }
    return words
  }
}
