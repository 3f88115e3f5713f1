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
    /// A dot stands after the number, as in yoyo's `0001.create-users.sql`; Uplift reads `newName`.
    case dotAfterNumber(newName: String)
    /// Flyway runs the script again whenever it has changed; a script of Uplift runs once.
    case repeatable
    /// Flyway runs the script in place of all those before it.
    case baseline
    /// The name begins with `U`, and no script with `V` has its number.
    ///
    /// In Flyway such a script undoes another, and in refinery it is a step of its own.
    case loneUndoScript
    /// The file is a migration in another language, or has the settings of one.
    case notSQL
    /// A numbered directory has neither `up.sql` nor `migration.sql`.
    case noScriptInside
    /// A numbered directory has both `up.sql` and `migration.sql`.
    case twoScriptsInside
    /// A directory without a number has scripts.
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
    /// The tool replaces `${…}` before SQLite reads the text.
    case placeholder
    /// Play makes one semicolon of two.
    case doubledSemicolon
  }
}

extension ReleaseError.ImportProblem {
  var words: String {
    switch self {
    case .noScripts: "has no script of another tool"
    case .isTarget: "is the directory that the scripts would be written to"
    case .otherScript: "is there already, and is not from this import"
    case .noNumber: "has no number at the start of its name"
    case .dotAfterNumber: "has a dot after its number, which Uplift does not read"
    case .repeatable: "is a script that Flyway runs again whenever it changes"
    case .baseline: "is a script that Flyway runs in place of those before it"
    case .loneUndoScript: "looks like a script that undoes another, which is not there"
    case .notSQL: "has the number of a step and is not a script in SQL"
    case .noScriptInside: "is a numbered directory without up.sql or migration.sql"
    case .twoScriptsInside: "is a numbered directory with both up.sql and migration.sql"
    case .directoryOfScripts: "is a directory with scripts of its own"
    case .sameNumber(let other): "has the same number as \"\(other)\""
    case .unclearOrder(let other):
      "has a longer number than \"\(other)\", and comes first if numbers are sorted as text"
    case .mixedNames(let other): "is numbered or placed in another way than \"\(other)\""
    case .noUpSection:
      "the file has marks of another tool, and none says where its statements begin"
    case .statementAboveSection: "a statement above the section to run"
    case .sectionBelowDown: "statements to run stand below the section that undoes them"
    case .unknownMark(let mark): "\"\(mark)\" has words that mean nothing to Uplift"
    case .placeholder: "\"${\" begins a text that the other tool replaces"
    case .doubledSemicolon: "\";;\" is one semicolon for Play"
    }
  }

  var remedy: String {
    switch self {
    case .noScripts: "name the directory that has the numbered scripts in it"
    case .isTarget: "name an empty directory for the new scripts, as in --migrations NEW"
    case .otherScript: "import into a directory without scripts, as in --migrations NEW"
    case .noNumber: "give it the number of its place in the order, or move it away"
    case .dotAfterNumber(let name): "in a copy of the directory, rename it to \(name)"
    case .repeatable: "give it a number, or move it away and write its changes as scripts"
    case .baseline: "move it away, or those that it replaces"
    case .loneUndoScript: "move it away; or, if it is a step of its own, let its name begin with V"
    case .notSQL: "write it in SQL under the same number, or as a step in Swift; then move it away"
    case .noScriptInside, .twoScriptsInside: "leave one script in it, or move it away"
    case .directoryOfScripts: "move its scripts into the directory above, or move it away"
    case .sameNumber: "give one of them another number, or move it away"
    case .unclearOrder: "give both numbers the same number of digits"
    case .mixedNames: "name all scripts in one way, or move those of another tool away"
    case .noUpSection:
      "put the mark above the statements that are to run, as in -- +goose Up or -- migrate:up"
    case .statementAboveSection: "move it into the section, or remove it if the tool never ran it"
    case .sectionBelowDown: "put all that is to run above the section that undoes it"
    case .unknownMark: "do in the text what the mark asks for, then remove the mark"
    case .placeholder: "write what the tool put in its place"
    case .doubledSemicolon: "write one semicolon"
    }
  }
}
