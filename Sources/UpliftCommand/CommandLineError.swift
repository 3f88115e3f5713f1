/// What is wrong with the command line; its words are in a file of their own.
package enum CommandLineError: Error, Hashable, Sendable {
  /// The argument as it can be shown.
  case notUTF8(String)
  case unknownCommand(String, meant: String?)
  /// Another tool's verb, and what Uplift has in its place.
  case borrowedCommand(String, advice: String)
  case unexpectedArgument(String, after: CommandName)
  case unknownOption(String, meant: String?)
  case borrowedOption(String, advice: String)
  case repeatedOption(Option)
  case missingValue(Option)
  case emptyValue(Option)
  case superfluousValue(Option, String)
  case unknownValue(Option, String, choices: [String], meant: String?)
  case notAVersion(String)
  case notSeconds(Option, String)
  case notForCommand(Option, CommandName)
  /// Neither the database nor both its directory and a seed's name are given.
  case noDatabase
  /// Only the database is given.
  case noScripts
}
