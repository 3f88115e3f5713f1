extension ReleaseError {
  /// The reason why a file of another tool cannot become a script.
  @nonexhaustive
  public enum ImportProblem: Hashable, Sendable {
    /// The directory has no script.
    case noScripts
    /// The directory is the one that the scripts would be written to.
    case isTarget
    /// The directory for the new scripts has a script that does not come from this import.
    case otherScript
    /// The name does not begin with a number that Uplift understands.
    case noNumber
    /// The file has the number of a step: it is a migration in another language, or its settings.
    case notSQL
    /// A numbered directory has neither `up.sql` nor `migration.sql`, or both.
    case notOneScriptInside
    /// A directory without a number has scripts or other directories.
    case directoryOfScripts
    /// Another script has the same number.
    case sameNumber(as: String)
    /// Some tools sort the two numbers as numbers, others as texts, with another result.
    case unclearOrder(beside: String)
    /// Another script has another kind of number, or its files are laid out in another way.
    case mixedNames(beside: String)
    /// The file has marks of a tool, and none that says where its statements begin.
    case noUpSection
    /// A statement is above the mark that begins the section to run.
    case statementAboveSection
    /// Statements to run stand below the section that undoes them.
    case sectionBelowDown
    /// A mark has words that mean nothing to Uplift.
    case unknownMark(String)
    /// Flyway replaces `${…}` before SQLite reads the text.
    case placeholder
  }
}

extension ReleaseError.ImportProblem {
  var words: String { wordsAndRemedy.words }
  var remedy: String { wordsAndRemedy.remedy }

  private var wordsAndRemedy: (words: String, remedy: String) {
    switch self {
    case .noScripts:
      ("has no script of another tool", "name the directory that has the numbered scripts in it")
    case .isTarget:
      (
        "is the directory that the scripts would be written to",
        "name an empty directory for the new scripts, as in --migrations NEW"
      )
    case .otherScript:
      (
        "is there already, and is not from this import",
        "import into a directory without scripts, as in --migrations NEW"
      )
    case .noNumber:
      (
        "does not begin with a number, as in 1_words.sql or V1__words.sql",
        "give it the number of its place in the order, or move it away"
      )
    case .notSQL:
      (
        "has the number of a step and is not a script in SQL",
        "write it in SQL under the same number, or as a step in Swift; then move it away"
      )
    case .notOneScriptInside:
      (
        "is a numbered directory without exactly one of up.sql and migration.sql",
        "leave one script in it, or move it away"
      )
    case .directoryOfScripts:
      (
        "is a directory with scripts or directories of its own",
        "move its scripts into the directory above, or move it away"
      )
    case .sameNumber(let other):
      ("has the same number as \"\(other)\"", "give one of them another number, or move it away")
    case .unclearOrder(let other):
      (
        "has a longer number than \"\(other)\", and comes first if numbers are sorted as text",
        "give both numbers the same number of digits"
      )
    case .mixedNames(let other):
      (
        "is numbered or placed in another way than \"\(other)\"",
        "name all scripts in one way, or move those of another tool away"
      )
    case .noUpSection:
      (
        "the file has marks of another tool, and none says where its statements begin",
        "put the mark above the statements that are to run, as in -- +goose Up or -- migrate:up"
      )
    case .statementAboveSection:
      (
        "a statement above the section to run",
        "move it into the section, or remove it if the tool never ran it"
      )
    case .sectionBelowDown:
      (
        "statements to run stand below the section that undoes them",
        "put all that is to run above the section that undoes it"
      )
    case .unknownMark(let mark):
      (
        "\"\(mark)\" has words that mean nothing to Uplift",
        "do in the text what the mark asks for, then remove the mark"
      )
    case .placeholder:
      ("\"${\" begins a text that the other tool replaces", "write what the tool put in its place")
    }
  }
}
