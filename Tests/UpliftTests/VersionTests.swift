import Testing
import Uplift

struct VersionTests {
  @Test(arguments: [("1", 1), ("0003", 3), ("2147483647", 2_147_483_647)])
  func `reads a plain number`(text: String, number: Int32) {
    #expect(Version(text)?.number == number)
  }

  @Test(arguments: [
    ("1.4", 1_040_000), ("1.4.2", 1_040_200), ("1.4.2-1", 1_040_201), ("1.1-1", 1_010_001),
    ("2146.99.99-99", 2_146_999_999),
  ])
  func `gives two digits to each part of a release`(text: String, number: Int32) {
    #expect(Version(text)?.number == number)
  }

  @Test(arguments: ["", "0", "+1", "٣", "1.", ".1", "1.2.3.4", "1.100", "2147.0", "2147483648"])
  func `refuses what is no version`(text: String) {
    #expect(Version(text) == nil)
  }
}
