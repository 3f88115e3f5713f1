/// A valid number or name, which an error suggests in place of one that is not valid.
enum NumberSuggestion {
  /// The number for a date in parts: `2018011401` for `2018-01-14-171611_words`.
  static func date(in stem: some Collection<UInt8>) -> String? {
    let parts = stem.split(maxSplits: 3, whereSeparator: ScriptName.isSeparator).prefix(3).map {
      Int(String(decoding: $0, as: UTF8.self))
    }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2] else {
      return nil
    }
    return number(year, month, day)
  }

  /// The number for a time stamp: `2024011501` for `20240115103000`.
  ///
  /// A time stamp begins with its date, or counts milliseconds, microseconds or nanoseconds since
  /// 1970.
  static func timeStamp(_ digits: String) -> String? {
    guard let whole = Int(digits) else { return beginningWithDate(digits) }
    switch digits.count {
    // 13 digits cannot be a date with a time.
    case 13: return since1970(seconds: whole / 1000)
    case 16: return beginningWithDate(digits) ?? since1970(seconds: whole / 1_000_000)
    case 19: return beginningWithDate(digits) ?? since1970(seconds: whole / 1_000_000_000)
    default: return beginningWithDate(digits)
    }
  }

  /// The name for a file without a separator after its number: `01_event.sql` for `01event.sql`.
  static func name(for file: some Collection<UInt8>) -> String? {
    let stem = String(decoding: file.dropLast(4), as: UTF8.self)
    let isInNumber = { (byte: UInt8) in ScriptName.isDigit(byte) || byte == UInt8(ascii: ".") }
    var number = Substring(stem.utf8.prefix(while: isInNumber))
    while !number.isEmpty, case .failure = WrittenNumber.read(number.utf8) { number.removeLast() }
    let rest = stem[number.endIndex...]
    if rest.first == ".", number.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2 {
      // The fourth part of a number is written with a dash.
      let step = rest.dropFirst().prefix { $0.isNumber }
      let words = rest.dropFirst(step.count + 1)
      return Version("\(number)-\(step)") == nil ? nil : "\(number)-\(step)\(words).sql"
    }
    if rest.first == "-", number.contains(".") {
      let step = rest.dropFirst().prefix { $0.isNumber }
      let whole = "\(number)-\(step)"
      return Version(whole) == nil ? nil : self.name(whole, rest.dropFirst(step.count + 1))
    }
    return self.name(number, rest)
  }

  /// The name with this number and these words; nil if the words begin with a number.
  private static func name(_ number: some StringProtocol, _ rest: Substring) -> String? {
    let words = rest.drop { ". ),;:_-".contains($0) }
    guard !number.isEmpty, words.first?.isNumber != true else { return nil }
    return words.isEmpty || ["up", "up.db"].contains(words)
      ? "\(number).sql" : "\(number)_\(words).sql"
  }

  /// The name for the script in a directory of its own: `2018011401_create.sql` for
  /// `2018-01-14-171611_create`.
  static func name(forDirectory name: String) -> String? {
    let file = Array((name + ".sql").utf8)
    let isWords = { (character: Character) in !character.isNumber && !"_- .".contains(character) }
    let words = name.firstIndex(where: isWords).map { "_" + name[$0...] } ?? ""
    do throws(UpgradeError.NameProblem) {
      return try file.withUnsafeBufferPointer { bytes throws(UpgradeError.NameProblem) in
        try ScriptName(bytes) == nil ? nil : name + ".sql"
      }
    } catch {
      switch error {
      case .date(let number?), .tooLarge(let number?): return number + words + ".sql"
      case .notANumber(let part): return part.suggestion
      default: return nil
      }
    }
  }

  private static func beginningWithDate(_ digits: String) -> String? {
    guard digits.count > 10, let year = Int(digits.prefix(4)),
      let month = Int(digits.dropFirst(4).prefix(2)), let day = Int(digits.dropFirst(6).prefix(2))
    else { return nil }
    // Eleven digits are a date of eight and a count of three.
    return number(year, month, day, count: digits.count == 11 ? Int(digits.suffix(2)) ?? 1 : 1)
  }

  /// A date and a two-digit count as one number; nil if the date is not valid or does not fit
  /// `user_version`.
  private static func number(_ year: Int, _ month: Int, _ day: Int, count: Int = 1) -> String? {
    guard (1900...2146).contains(year), (1...12).contains(month), (1...31).contains(day) else {
      return nil
    }
    return "\(((year * 100 + month) * 100 + day) * 100 + count)"
  }

  /// The number for the day of a time, in the Gregorian calendar.
  ///
  /// The calendar repeats every 400 years, an era. Here a year begins in March, so that a leap day
  /// is the last day of its year.
  private static func since1970(seconds: Int) -> String? {
    let days = seconds / 86_400 + 719_468
    let ofEra = days % 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * ofYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = yearOfEra + days / 146_097 * 400 + (month <= 2 ? 1 : 0)
    return number(year, month, ofYear - (153 * fromMarch + 2) / 5 + 1)
  }
}
