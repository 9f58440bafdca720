/** A migration that the database has and this program does not know. */
export interface NewerMigration {
  version: number;
  /** The version of the program that applied it. */
  program_version: string;
  compatible: boolean;
}

/**
 * Returns why this program must not work on a database with these migrations, or null. It works on a schema made by a program of
 * the same or the next minor version, so that processes can be replaced one after the other, and a release be rolled back.
 */
export function whyIncompatible(own: string, newer: readonly NewerMigration[]): string | null {
  for (const { version, program_version: program, compatible } of newer) {
    if (!compatible) return `schema ${version}, made by version ${program}, is only for programs that know it`;
    const [major, minor] = numbersOf(program);
    const [ownMajor, ownMinor] = numbersOf(own);
    if (major !== ownMajor || minor! > ownMinor! + 1) {
      return `schema ${version} was made by version ${program}, this program is ${own}: at most one minor version may lie between them`;
    }
  }
  return null;
}

function numbersOf(version: string): number[] {
  return version.split(/[.-]/).slice(0, 2).map(Number);
}
