import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's own files, read as text: for the tests that check the house rules. */
export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Folders that are generated or not committed. */
const LEFT_OUT = new Set(['node_modules', '.git', 'data', 'dist', 'coverage', 'results']);

/** Paths of all files under a folder of the repository, relative to its root, with `/`. */
export function filesUnder(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (LEFT_OUT.has(entry.name)) return [];
    if (entry.isDirectory()) return filesUnder(path);
    return entry.isFile() ? [path] : [];
  });
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export interface Import {
  /** Path from the root for own files (`src/db/pool.ts`), the package's or module's name for others. */
  target: string;
  /** Imports only types: not there when the program runs. */
  typeOnly: boolean;
}

export interface Source {
  path: string;
  text: string;
  /** The text without its comments, of the same length. */
  code: string;
  /** The code without the contents of quotes. */
  bare: string;
  imports: Import[];
}

export function readSource(path: string): Source {
  return analyse(path, readText(path));
}

export function analyse(path: string, text: string): Source {
  const code = withoutComments(text);
  const bare = withoutQuoted(code);
  return { path, text, code, bare, imports: importsOf(path, code, bare) };
}

/** Comments, texts, templates and regular expressions: none of them can begin inside another. */
const PIECES =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:[!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\//g;

const blank = (piece: string): string => piece.replace(/[^\n]/g, ' ');

function withoutComments(text: string): string {
  return text.replace(PIECES, (piece) => (/^\/[/*]/.test(piece) ? blank(piece) : piece));
}

function withoutQuoted(code: string): string {
  return code.replace(PIECES, (piece) => (/^['"/]/.test(piece) ? blank(piece) : piece));
}

function importsOf(path: string, code: string, bare: string): Import[] {
  const found: Import[] = [];
  const clause = /^\s*(import|export)\s+(type\s+)?([^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm;
  for (const [, , type, names = '', target] of code.matchAll(clause)) {
    const inBraces = /^\{([^}]*)\}\s*from/.exec(names.trim())?.[1];
    const onlyTypes = inBraces?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type '));
    found.push({ target: resolveTarget(path, target!), typeOnly: type !== undefined || onlyTypes === true });
  }
  for (const { index, 1: target } of code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) {
    if (bare.startsWith('import(', index)) found.push({ target: resolveTarget(path, target!), typeOnly: false });
  }
  return found;
}

function resolveTarget(path: string, target: string): string {
  if (!target.startsWith('.')) return target;
  return relative(ROOT, resolve(ROOT, dirname(path), target)).replaceAll('\\', '/');
}

/** A SQL statement in a file: the text of one sql`…`, and the function that contains it. */
export interface SqlText {
  within: string;
  text: string;
}

/** Returns the templates of a file that are tagged `sql`, each with its splices as they are written. */
export function sqlTexts(code: string): SqlText[] {
  const found: SqlText[] = [];
  for (const { index } of code.matchAll(/\bsql`/g)) {
    const end = endOfTemplate(code, index + 4);
    const before = code.slice(0, index);
    const within = [...before.matchAll(/^(?:export )?(?:async )?(?:function|const) (\w+)/gm)].at(-1)?.[1] ?? '';
    found.push({ within, text: code.slice(index + 4, end) });
  }
  return found;
}

/** Returns the end of the template that began before `start`; skips templates inside its splices. */
function endOfTemplate(code: string, start: number): number {
  let at = start;
  while (at < code.length && code[at] !== '`') {
    if (code[at] === '\\') at += 2;
    else if (code.startsWith('${', at)) at = endOfSplice(code, at + 2) + 1;
    else at++;
  }
  return at;
}

function endOfSplice(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at++) {
    const c = code[at];
    if (c === '`') at = endOfTemplate(code, at + 1);
    else if (c === "'" || c === '"') at = code.indexOf(c, at + 1);
    else if (c === '{') depth++;
    else if (c === '}' && depth-- === 0) return at;
  }
  return code.length;
}
