// Inside the package these names are short. A program sees them as members of `Upgrader` only:
// GRDB and Fluent have types of the same names, and a file may import both.

package typealias Migration = Upgrader.Migration
package typealias Migrations = Upgrader.Migrations
