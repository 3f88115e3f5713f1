extension UpgradeError {
  /// The reason why a file name does not give a script its number.
  @nonexhaustive
  public enum NameProblem: Error, Hashable, Sendable {
    /// The name of a `.sql` file does not begin with a digit.
    ///
    /// Rename it to `NUMBER_WORDS.sql`, or to another extension if it is not a script.
    case noNumber
    /// The name begins with a digit, but the part before its words is not a number, as in
    /// `01event.sql`.
    ///
    /// Rename it to `NUMBER_WORDS.sql`.
    case notANumber(String)
    /// The name begins with three numbers, as in `2025-01-15_words.sql`; only the year would count.
    ///
    /// Write a date with a two-digit count as one number: `2017070101`.
    case date
    /// The number is 0, which stands for a database that no script has changed.
    ///
    /// Number the scripts from 1.
    case zero
    /// The number is larger than 2147483647, the largest `user_version`.
    ///
    /// A time of the day does not fit; a date and a two-digit count do: `2017070101`.
    case tooLarge
    /// A part of a dotted number is too large: the first is at most 2146, the others at most 99.
    ///
    /// Use smaller parts, or plain numbers.
    case partTooLarge
    /// The name ends in `.down.sql`; in other tools, `1_x.down.sql` undoes `1_x.up.sql`.
    ///
    /// Leave such scripts out, because Uplift only goes forward.
    case goesDown
    /// The name is not UTF-8, so no text can name the file; rename it.
    case notUTF8
    /// The name is that of a numbered directory with one script in it, as other tools make them;
    /// the script would never run.
    ///
    /// Move the script out of it.
    case directory(script: String)
    /// The name is that of a directory, and the directory of scripts has no script beside it.
    ///
    /// Put the scripts beside it, because directories inside are not searched.
    case onlyDirectory
  }
}
