import TestSupport
import Testing

struct HelpTests {
  @Test func `is there`() throws {
    let outcome = try Command.product("uplift").run("help")

    #expect(outcome.status == 0)
  }
}
