import Uplift

extension UpgradeErrorTests {
  /// Errors in the scripts.
  static let scripts: [Row] = [
    Row(
      .scriptName(file: "1_x.down.sql", .goesDown),
      "\"1_x.down.sql\": the name says that the script undoes another",
      "Uplift only goes forward: leave the script out, or give it another name if it goes up"
    ),
    Row(
      .scriptName(file: "add.sql", .noNumber),
      "\"add.sql\": the name does not begin with a number",
      "rename it to NUMBER_WORDS.sql, or give it another extension if it is not a script"
    ),
    Row(
      .scriptName(file: "m/1.down.db.sql", .notANumber("1.down.db")),
      "\"m/1.down.db.sql\": the name begins with \"1.down.db\", which is not a number",
      "Uplift only goes forward: remove the script that goes down"
    ),
    Row(
      .scriptName(file: "m/01event.sql", .notANumber("01event")),
      "\"m/01event.sql\": the name begins with \"01event\", which is not a number",
      "rename it to NUMBER_WORDS.sql"
    ),
    Row(
      .scriptName(file: "2025-01-15_a.sql", .date),
      "\"2025-01-15_a.sql\": the name begins with three numbers, as a date does, "
        + "and only the first would count",
      "write a date and a two-digit count as in 2017070101, or begin the words with a letter"
    ),
    Row(
      .scriptName(file: "2_caf?.sql", .notUTF8),
      "\"2_caf?.sql\": the name is not UTF-8",
      "rename it in UTF-8"
    ),
    Row(
      .scriptName(file: "m/1_a", .directory(script: "up.sql")),
      "\"m/1_a\": a directory with \"up.sql\" in it, not a script",
      "move up.sql out of it, to NUMBER_WORDS.sql beside it"
    ),
    Row(
      .scriptName(file: "m/a", .onlyDirectory),
      "\"m/a\": a directory, and there is no script beside it",
      "put the scripts themselves beside it, each with a number"
    ),
    Row(
      .scriptName(file: "1_a.up.sql", .noNumber),
      "\"1_a.up.sql\": the name does not begin with a number",
      "rename it to NUMBER_WORDS.sql"
    ),
    Row(
      .scriptName(file: "0_a.sql", .zero),
      "\"0_a.sql\": the number is 0, the first script is 1",
      "number the scripts 1, 2, 3, …; 0 is the version of a database that no script has changed"
    ),
    Row(
      .scriptName(file: "20240115103000.sql", .tooLarge),
      "\"20240115103000.sql\": the number is larger than 2147483647, "
        + "the largest that user_version holds",
      "use a smaller number; a date and a two-digit count fit, as in 2017070101"
    ),
    Row(
      .scriptName(file: "1.100.sql", .partTooLarge),
      "\"1.100.sql\": a part of the number is too large: the first goes to 2146, others to 99",
      "use smaller parts, or plain numbers: "
        + "each part after the first has two digits of user_version"
    ),
    Row(
      .duplicate(2, first: "002_b.sql", second: "2.sql"),
      "\"002_b.sql\" and \"2.sql\" have the same number, 2",
      "give the script that is not released, and the later ones of its branch, new numbers above the "
        + "newest, in the same order; if there is a seed, take that of the released script's branch, "
        + "repeat in it what was changed by hand in the rows of the other one, and run uplift bake, "
        + "with --content if a script reads the seed"
    ),
    Row(
      .duplicate(2, first: "2_a.down.sql", second: "2_a.up.sql"),
      "\"2_a.down.sql\" and \"2_a.up.sql\" have the same number, 2",
      "Uplift only goes forward: remove the script that goes down"
    ),
    Row(
      .duplicate("1.2.5", first: "1.2.5.sql", second: "1.2.05.sql"),
      "\"1.2.5.sql\" and \"1.2.05.sql\" have the same number, 1.2.5 (1020500)",
      "give the script that is not released, and the later ones of its branch, new numbers above the "
        + "newest, in the same order; if there is a seed, take that of the released script's branch, "
        + "repeat in it what was changed by hand in the rows of the other one, and run uplift bake, "
        + "with --content if a script reads the seed"
    ),
    Row(
      .duplicate(2, first: "2_a.down.db.sql", second: "2_a.up.db.sql"),
      "\"2_a.down.db.sql\" and \"2_a.up.db.sql\" have the same number, 2",
      "Uplift only goes forward: remove the script that goes down"
    ),
    Row(
      .mixedNumbers(plain: "1.sql", dotted: "1.4.sql"),
      "\"1.sql\" has a plain number and \"1.4.sql\" a dotted one",
      "use plain numbers or dotted ones, not both"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .notUTF8),
      "2.sql:3:4: bytes that are not UTF-8",
      "save the script as UTF-8"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .utf16),
      "2.sql:3:4: the text is UTF-16, not UTF-8",
      "save the script as UTF-8"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .zeroByte),
      "2.sql:3:4: a zero byte",
      "remove the byte; SQLite would stop reading there"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .loneCarriageReturn),
      "2.sql:3:4: a carriage return without a line feed",
      "save the script with LF or CRLF line ends"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .unterminatedComment),
      "2.sql:3:4: the comment that begins here has no end",
      "end it with */, or look whether the file is cut short"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .unterminatedString),
      "2.sql:3:4: the string that begins here has no end",
      "close the quote, or look whether the file is cut short"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .unterminatedIdentifier),
      "2.sql:3:4: the quoted name that begins here has no end",
      "close the quote, or look whether the file is cut short"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .unterminatedTrigger),
      "2.sql:3:4: the trigger that begins here has no END",
      "end it with END;, or look whether the file is cut short"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .noStatement),
      "2.sql:3:4: there is neither a statement nor a comment",
      "remove the file, or write in a comment why the script is empty"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .unfinished),
      "2.sql:3:4: the script says that it is unfinished",
      "write the script, and remove the line"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .statementTooLong),
      "2.sql:3:4: the statement that ends here has more than 2147483647 bytes",
      "make several scripts of it"
    ),
    Row(
      .scriptText(file: "2.sql", line: 1, column: 1, .tooLarge(bytes: 9_000_000_000)),
      "2.sql:1:1: there is not enough memory for its 9000000000 bytes",
      "make several scripts of it"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .downSection("-- Down")),
      "2.sql:3:4: \"-- Down\" begins statements that undo those above",
      "Uplift only goes forward: remove everything from here on, or change the comment if it has another meaning"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .dotCommand(".tables")),
      "2.sql:3:4: \".tables\" is a command of the sqlite3 shell, not SQL",
      "write it in SQL"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .unknownDirective("fast")),
      "2.sql:3:4: no directive is called \"fast\"",
      "the directives are no-transaction, reads-seed and unfinished"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .conflictingDirectives),
      "2.sql:3:4: the directives no-transaction and reads-seed exclude each other",
      "remove one of them: a script that reads the seed is committed together with its version"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .noSeed),
      "2.sql:3:4: the script reads the seed, and there is none",
      "name the seed, or remove the directive"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .otherSeed(script: 2, seed: 3)),
      "2.sql:3:4: the script reads the seed, and its number is 2, not the seed's 3",
      "release the script with its own seed: uplift bake --content gives both the same number"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .lateDirective),
      "2.sql:3:4: a directive after the first statement",
      "put it at the top of the script"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .notAFile),
      "2.sql:3:4: this is not a file",
      "remove it, or rename it to another extension"
    ),
    Row(
      .scriptText(file: "2.sql", line: 1, column: 1, .notThere),
      "2.sql:1:1: the file does not exist, or is a link to a file that does not exist",
      "ship the file, or start again when the deployment is complete"
    ),
    Row(
      .scriptText(file: "2.sql", line: 3, column: 4, .changed),
      "2.sql:3:4: the file changed while it was read",
      "start again when the deployment is complete"
    ),
    Row(
      .targetNotShipped(4, newest: 3),
      "there is no script 4, the newest is 3",
      "ship the script, or set the target to the newest"
    ),
    Row(
      .targetNotShipped(4, newest: nil),
      "there is no script 4, and no other script",
      "ship the script, or set the target to the newest"
    ),
    Row(
      .targetNotShipped(0, newest: nil),
      "there is no script, and no seed with a version above 0",
      "ship the scripts or the seed, or correct their paths"
    ),
    Row(
      .targetNotShipped(0, newest: nil, seed: "a.db"),
      "the seed \"a.db\" is at 0, and there is no script",
      "set PRAGMA user_version = 1 in the seed"
    ),
    Row(
      .gap(database: 1, seed: 3),
      "the database is at 1, and no script leads to 3, the version of the seed",
      "ship the scripts that lead to the seed's version"
    ),
  ]
}
