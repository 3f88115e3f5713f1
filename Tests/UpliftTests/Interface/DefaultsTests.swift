import Testing
import Uplift

/// The choices that a program gets if it makes none.
struct DefaultsTests {
  @Test func `are those of the documentation`() {
    let options = Upgrader.Options()

    #expect(options.patience == .seconds(60))
    #expect(options.commitInterval == .milliseconds(100))
    #expect(options.ifMissing == .seed)
    #expect(options.foreignKeys == .touched)
    #expect(!options.doubleQuotedStrings && !options.skipsDuplicates)
  }
}
