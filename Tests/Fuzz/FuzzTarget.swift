import Glibc

// One program for all targets: each is a part of the library, which takes long to build.

private let target = getenv("UPLIFT_FUZZ").map { String(cString: $0) }

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  switch target {
  case "script": fuzzScript(start, count)
  case "text": fuzzText(start, count)
  case "header": fuzzHeader(start, count)
  case "name": fuzzName(start, count)
  default: demand(false, "no target is named")
  }
  return 0
}
