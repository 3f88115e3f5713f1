/// What is wrong with the command line; its words are in a file of their own.
package enum CommandLineError: Error, Hashable, Sendable {
  case notUTF8
  case unknownCommand(String, meant: String?)
  case unexpectedArgument(String, after: CommandName)
  case unknownOption(String, meant: String?)
  case repeatedOption(Option)
  case missingValue(Option)
  case emptyValue(Option)
  case superfluousValue(Option, String)
  case unknownValue(Option, String, choices: [String], meant: String?)
  case notAVersion(String)
  case notSeconds(String)
  case notForCommand(Option, CommandName)
  /// Neither the database nor both its directory and a seed's name are given.
  case noDatabase
}
