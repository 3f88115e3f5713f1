internal import Synchronization
internal import Uplift
internal import UpliftSystem

/// Hands out the databases of `--each` to the jobs, in the order of their names, and counts the
/// results.
final class EachQueue: Sendable {
  /// After so many failures at the same place of the same script, no more databases are begun.
  static let limit = 3

  private struct State {
    var next = 0
    var summary: EachSummary
    var failures: [EachResult.Place: Int] = [:]
    var hasBegunScript = false
    /// The files that have hard links, with their names in the directory; nil if none was met yet.
    var names: [FileFacts.Identity: [DatabaseDirectory.Entry]]?
  }

  private let listing: DatabaseDirectory
  private let keepsGoing: Bool
  private let state: Mutex<State>

  init(_ listing: DatabaseDirectory, _ summary: EachSummary, keepsGoing: Bool) {
    self.listing = listing
    self.keepsGoing = keepsGoing
    var summary = summary
    summary.databases = listing.entries.count
    state = Mutex(State(summary: summary))
  }

  /// The index of the next database to begin; nil if no more are begun.
  func next() -> Int? {
    guard StopSignals.first == nil else { return nil }
    return state.withLock { state in
      guard state.next < listing.entries.count, state.summary.error == nil,
        state.summary.stoppedAt == nil
      else { return nil }
      state.next += 1
      return state.next - 1
    }
  }

  /// Counts a result, and returns the number of results so far.
  func note(_ result: EachResult) -> Int {
    state.withLock { state in
      state.summary.note(result)
      if result.isAboutShipment { state.summary.error = state.summary.error ?? result.error }
      if let place = result.place, !keepsGoing {
        state.failures[place, default: 0] += 1
        if state.failures[place] == Self.limit { state.summary.stoppedAt = place.shown }
      }
      return state.summary.ended
    }
  }

  /// Another name of a file in the directory, for a message; nil if it has only this one there.
  ///
  /// Neither is opened. The log of a service that has the file open is beside one of them.
  func otherName(of file: FileFacts, _ entry: DatabaseDirectory.Entry) -> String? {
    guard file.links > 1 else { return nil }
    return state.withLock { state in
      let names = state.names ?? listing.namesOfLinkedFiles()
      state.names = names
      return names[file.identity]?.first { $0.name != entry.name }.map(listing.shown)
    }
  }

  /// True for the first call.
  func takeFirstScript() -> Bool {
    state.withLock { state in
      defer { state.hasBegunScript = true }
      return !state.hasBegunScript
    }
  }

  var summary: EachSummary { state.withLock { $0.summary } }
}
