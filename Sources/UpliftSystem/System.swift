/// The calls of the operating system that need no open file.
///
/// `System` has no state. Each extension of it is about one subject.
package enum System {}
