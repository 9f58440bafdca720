import { matchesGlob } from 'node:path';
import { filesUnder, type Source } from '../house/sources.ts';
import { COMPLETE, TIMED } from '../test-files.ts';

export const STAGES = ['unit', 'near', 'wide'] as const;
export type StageName = (typeof STAGES)[number];

/** Test files to run for a mutant, the fastest and nearest first; each stage runs only if those before did not notice it. */
export interface Stage {
  name: StageName;
  files: string[];
}

const HARNESS = 'src/testing/harness.ts';
const MOST_UNIT_FILES = 6;
/** Files that look at the tree, and not at what the program does. */
const OF_THE_TREE = /^src\/testing\/(house|mutants)\//;

/** Whether a file shows quickly what the program does: the others take minutes, or measure time. */
function isQuick(path: string): boolean {
  return !OF_THE_TREE.test(path) && ![...COMPLETE, ...TIMED].some((pattern) => matchesGlob(path, pattern));
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** Which test files stand near a source file: by folder, and by what imports it. */
export class NearestTests {
  private readonly sources: Map<string, Source>;
  private readonly tests: Source[];
  private readonly reached = new Map<string, ReadonlySet<string>>();

  constructor(sources: Source[]) {
    this.sources = new Map(sources.map((source) => [source.path, source]));
    this.tests = sources.filter(({ path }) => path.endsWith('.test.ts') && isQuick(path));
  }

  /** `also` are files that stand for the mutated file though nothing says so. */
  of(path: string, also: readonly string[] = []): Stage[] {
    const folder = folderOf(path);
    const [unit, served] = [
      this.tests.filter((test) => !this.isServed(test)),
      this.tests.filter((test) => this.isServed(test)),
    ];
    const reaching = unit.filter((test) => this.reachedFrom(test.path).has(path));
    const nearUnits = reaching
      .sort((a, b) => distance(a.path, folder) - distance(b.path, folder))
      .slice(0, MOST_UNIT_FILES);
    const direct = served.filter((test) => test.imports.some(({ target, typeOnly }) => target === path && !typeOnly));
    const beside = this.beside(folder);
    const feature = path.split('/').slice(0, 3).join('/');
    const around = this.tests.filter(({ path: test }) => test.startsWith(`${feature}/`));
    const stages: Stage[] = [
      { name: 'unit', files: nearUnits.map((test) => test.path) },
      { name: 'near', files: [...beside, ...direct].map((test) => test.path) },
      { name: 'wide', files: [...also, ...around.map((test) => test.path)] },
    ];
    const seen = new Set<string>();
    for (const stage of stages) {
      stage.files = stage.files.filter((file) => !seen.has(file) && seen.add(file));
    }
    return stages.filter(({ files }) => files.length > 0);
  }

  /** Tests of the same folder, or of the closest one above that has any. */
  private beside(folder: string): Source[] {
    for (let at = folder; at.includes('/'); at = folderOf(at)) {
      const found = this.tests.filter(({ path }) => folderOf(path) === at);
      if (found.length > 0) return found;
    }
    return [];
  }

  private isServed(test: Source): boolean {
    return this.reachedFrom(test.path).has(HARNESS) || /startEmbedded|spawn|fork\(/.test(test.bare);
  }

  /** All files of ours that a file loads, directly and through others. */
  private reachedFrom(path: string): ReadonlySet<string> {
    const known = this.reached.get(path);
    if (known !== undefined) return known;
    const found = new Set<string>();
    const open = [path];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const { target, typeOnly } of this.sources.get(at)?.imports ?? []) {
        if (typeOnly || found.has(target) || !this.sources.has(target)) continue;
        found.add(target);
        open.push(target);
      }
    }
    this.reached.set(path, found);
    return found;
  }
}

/** How many folders lie between a file and a folder. */
function distance(path: string, folder: string): number {
  const [a, b] = [folderOf(path).split('/'), folder.split('/')];
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared++;
  return a.length + b.length - 2 * shared;
}

/** Returns the source files below these paths that can be mutated. */
export function mutableFiles(paths: readonly string[]): string[] {
  const all = filesUnder('src');
  const found = paths.flatMap((path) => {
    const below = all.filter((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
    if (below.length === 0) throw new Error(`There is no source file ${path}`);
    return below;
  });
  return [...new Set(found)]
    .filter((file) => /\.(ts|sql)$/.test(file) && !/\.test\.ts$|testing|fixtures|\.d\.ts$/.test(file))
    .sort();
}
