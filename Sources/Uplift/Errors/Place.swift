extension UpgradeError {
  /// A place in a script, or a call of a step in Swift.
  public struct Place: Hashable, Sendable {
    /// The path of the script: its directory, as it was given, and the file's name.
    ///
    /// For a step that is not a file it is the name of the step.
    public let file: String
    /// The Swift file of the call that failed, as `#fileID` names it; nil for SQL.
    public let source: String?
    /// The line in the script or in the Swift file, from 1; nil if the script failed as a whole.
    public let line: Int?
    /// The column in that line, from 1; nil if the script failed as a whole.
    ///
    /// Each character counts as one column, and so does a tab. A call in Swift has column 1.
    public let column: Int?
    /// The line of the script, or the statement of a step in Swift; nil if it is not known.
    public let excerpt: Excerpt?

    package init(
      file: String, source: String? = nil, line: Int? = nil, column: Int? = nil,
      excerpt: Excerpt? = nil
    ) {
      self.file = file
      self.source = source
      self.line = line
      self.column = column
      self.excerpt = excerpt
    }
  }

  /// A line of a script, and the character in it that is at fault.
  ///
  /// A long line is cut to 96 characters around it; `…` stands for each part that is left out.
  public struct Excerpt: Hashable, Sendable {
    /// The line, or the part of it that is shown.
    public let text: String
    /// The character of `text` that is at fault, from 1.
    ///
    /// For the end of the line, it is one more than the number of characters.
    public let caret: Int

    /// What puts a caret below the character: blanks, and a tab for each tab before it.
    package var padding: String {
      text.unicodeScalars.prefix(max(caret - 1, 0)).map { $0 == "\t" ? "\t" : " " }.joined()
    }

    package init(text: String, caret: Int) {
      self.text = text
      self.caret = caret
    }

    /// Cuts a line around the character at this index, from 0.
    init(of line: some Sequence<Unicode.Scalar>, around character: Int) {
      let line = Array(line)
      let character = min(character, line.count)
      // A terminal has 100 columns: two are for the indent, one for a caret after the line, one is
      // spare, and two are for the marks of the cuts.
      let room = 94
      let start = max(0, min(character - room / 2, line.count - room))
      let end = min(line.count, start + room)
      let text = String(String.UnicodeScalarView(line[start..<end]))
      self.init(
        text: (start > 0 ? "…" : "") + text + (end < line.count ? "…" : ""),
        caret: character - start + (start > 0 ? 2 : 1))
    }
  }
}

extension UpgradeError.Place: CustomStringConvertible {
  /// `Migrations/2_years.sql:3:4`; for a step in Swift, `Steps/Years.swift:12: step "years"`.
  public var description: String {
    switch (source, line, column) {
    case (let source?, let line?, _): "\(source):\(line): step \(file.quoted)"
    case (nil, let line?, let column?): "\(file):\(line):\(column)"
    default: file
    }
  }
}

extension String {
  /// The text in double quotes, as messages show names and paths.
  package var quoted: String { "\"\(self)\"" }
}
