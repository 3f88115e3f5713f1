internal import Uplift

extension ErrorReport {
  /// The error as people read it: one line of words, the line of the script with a caret if there
  /// is one, and one line that says what to do.
  package func text(isColoured: Bool) -> String {
    let bold = isColoured ? "\u{1b}[1m" : ""
    let red = isColoured ? "\u{1b}[1;31m" : ""
    let plain = isColoured ? "\u{1b}[0m" : ""
    var lines = ["\(red)uplift:\(plain) \(bold)\(message.printable)\(plain)"]
    if let line = location?.excerpt {
      let excerpt = TerminalExcerpt(of: line.text, at: line.caret)
      lines += [excerpt.text, excerpt.padding + red + "^" + plain]
    }
    lines.append(remedy.printable)
    return lines.joined(separator: "\n")
  }
}
