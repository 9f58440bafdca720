import { readdir, readFile } from 'node:fs/promises';

const FOLDER = new URL('../migrations/', import.meta.url);

export interface Migration {
  version: number;
  name: string;
  text: string;
  /**
   * Whether it runs in a transaction of its own. Otherwise each statement runs alone, outside of one, as `create index
   * concurrently` requires. Such statements are run again after a failure, so they must have no effect where they were done.
   */
  inTransaction: boolean;
  /** Whether programs of the previous version run on the schema that it makes. */
  isCompatible: boolean;
  /** Tables that it may block, or take something away from, each with the reason. A house test checks all others. */
  excused: ReadonlyMap<string, string>;
}

export async function listMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(files.map(async (name) => readMigration(name, await readFile(new URL(name, folder), 'utf8'))));
}

/** Directives are lines such as `-- migrate: outside-transaction`. */
export function readMigration(name: string, text: string): Migration {
  const directives = [...text.matchAll(/^-- migrate: (.+)$/gm)].map((match) => match[1]!);
  const excused = directives.flatMap((one) => (BLOCKS.test(one) ? [BLOCKS.exec(one)!] : []));
  const unknown = directives.find((one) => one !== OUTSIDE && one !== INCOMPATIBLE && !BLOCKS.test(one));
  if (unknown !== undefined) throw new Error(`Migration ${name} has the unknown directive ${unknown}`);
  return {
    version: Number(name.slice(0, 4)),
    name,
    text,
    inTransaction: !directives.includes(OUTSIDE),
    isCompatible: !directives.includes(INCOMPATIBLE),
    excused: new Map(excused.map(([, table, reason]) => [table!, reason!])),
  };
}

const OUTSIDE = 'outside-transaction';
const INCOMPATIBLE = 'incompatible';
/** `blocks TABLE: reason` */
const BLOCKS = /^blocks (\w+): (\S.*)$/;

/** Returns the statements of a migration, without comments; `body` replaces the text of a function. */
export function statementsOf(text: string, body?: string): string[] {
  const statements: string[] = [];
  let statement = '';
  // Comments, quoted names and texts, dollar-quoted texts, ends of statements, and everything between.
  const parts = text.matchAll(/--[^\n]*|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$)[\s\S]*?\1|;|[^-'"$;]+|[-$]/g);
  for (const [part, dollar] of parts) {
    if (part.startsWith('--')) continue;
    if (part === ';') {
      statements.push(statement.trim());
      statement = '';
    } else {
      statement += dollar !== undefined && body !== undefined ? body : part;
    }
  }
  return [...statements, statement.trim()].filter((one) => one !== '');
}
