/// The `BEGIN` and `COMMIT` of a script that is one transaction already.
///
/// They do nothing if they alternate, so that a script can also be run by other tools.
struct TransactionWords {
  private var latest: ScriptGuard.Operation?
  private var isPaired = true

  /// Takes the next word; false if it does not alternate with the one before, or is `ROLLBACK`.
  mutating func take(_ word: String, at offset: Int) -> Bool {
    guard word != "ROLLBACK", word != latest?.name else { return false }
    latest = ScriptGuard.Operation(name: word, offset: offset)
    isPaired.toggle()
    return true
  }

  /// The latest word, if it has no partner.
  var unpaired: ScriptGuard.Operation? { isPaired ? nil : latest }
}
