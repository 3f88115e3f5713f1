/// The range of one statement in a script, and its first words.
struct StatementText {
  /// The offset of its first word, after the blanks and comments before it.
  let start: Int
  /// The offset after its semicolon.
  let end: Int
  /// False if the text ends inside the statement's parentheses.
  let isWhole: Bool
  /// Its first words in upper case, up to eight.
  ///
  /// They stop before the first token that is not a word.
  let words: [String]
}
