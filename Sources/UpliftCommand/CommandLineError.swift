/// An error in the command line; `CommandLineError+Words.swift` has the words for each.
package enum CommandLineError: Error, Hashable, Sendable {
  /// The argument, with a replacement character for each byte that is not UTF-8.
  case notUTF8(String)
  /// Swift could not read the arguments of the process.
  case noArguments
  case unknownVerb(String, meant: String?)
  /// A verb of another tool, and the line that says what Uplift calls it.
  case synonymOfVerb(String, advice: String)
  case unexpectedArgument(String, after: Verb)
  case unknownOption(String, meant: String?)
  /// An option of another tool, and the line that says what Uplift calls it.
  case synonymOfOption(String, advice: String)
  case repeatedOption(Option)
  case missingValue(Option)
  case emptyValue(Option)
  case superfluousValue(Option, String)
  case unknownValue(Option, String, choices: [String], meant: String?)
  case notAVersion(Option, String)
  case notSeconds(Option, String)
  /// The value of `--keep` for `up`.
  case notACount(String)
  case notForVerb(Option, Verb)
  /// The value of `--jobs`.
  case notAJobCount(String)
  /// The program that the command is a part of brings its own seed and scripts.
  case notForProgram(Option)
  /// `uplift restore` is not told where the backups are.
  case noBackups
  /// `uplift new` has no words for the name of the script.
  case noWords
  /// A word after `uplift new --import DIR`, which gives the scripts their names by itself.
  case wordBesideImport(String)
  case exclusiveOptions(Option, Option)
  case neededOption(Option, for: Option)
  /// There is no `--database`, and no path can be made: the data directory or the seed is missing.
  case noDatabase
  /// The options name neither scripts nor a seed; for `new`, no directory of scripts.
  case noScripts
}
