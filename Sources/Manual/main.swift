internal import UpliftSystem

// Manual page [DATE] | bash | zsh | fish
let words = (System.arguments() ?? []).map { String(decoding: $0, as: UTF8.self) }
let text: String? =
  switch words.first {
  case "page": ManualPage.text(date: words.dropFirst().first ?? "")
  case "bash": Completions.bash
  case "zsh": Completions.zsh
  case "fish": Completions.fish
  default: nil
  }

guard let text else { System.end(64) }
do throws(SystemError) {
  try Stream.output.write(text)
} catch {
  System.end(74)
}
