import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { monotonicMs } from '../../clock.ts';
import { filesUnder, ROOT, readSource } from '../house/sources.ts';
import { AREAS, type Area } from './areas.ts';
import { outdated, readKnown, reasonFor } from './known.ts';
import { type Mutant, mutantsOf } from './mutate.ts';
import { mutableFiles, NearestTests, STAGES, type StageName } from './nearest.ts';
import { randomOrder } from './sample.ts';
import { openSandbox, type Sandbox } from './sandbox.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

type Fate = 'killed' | 'known' | 'survived';

interface Result {
  mutant: Mutant;
  fate: Fate;
  /** The test or check that noticed it, or the reason why none has to. */
  by: string;
}

interface Options {
  areas: boolean;
  area: string[];
  sample: number;
  seed: number;
  /** Only mutants whose line contains one of them, before or after. */
  match: string[];
  until: StageName;
  list?: true;
}

/** No run of the tests of a mutant is given up sooner. */
const LEAST_MS = 90_000;
const MOST_FILES = 6;

async function main(paths: string[], options: Options): Promise<void> {
  const areas = areasOf(paths, options);
  const known = readKnown();
  const drawn = areas.map((area) => ({ area, mutants: draw(area, options, known) }));
  say(`${drawn.reduce((sum, { mutants }) => sum + mutants.length, 0)} mutants, seed ${options.seed}`);
  if (options.list) {
    for (const { mutants } of drawn) for (const mutant of mutants) say(described(mutant));
    return;
  }
  const nearest = new NearestTests(
    filesUnder('src')
      .filter((path) => path.endsWith('.ts'))
      .map(readSource),
  );
  const sandbox = await openSandbox();
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void sandbox.close().finally(() => process.exit(130)));
  }
  const table: { name: string; results: Result[] }[] = [];
  try {
    const trial = new Trial(sandbox, nearest, options.until);
    for (const { area, mutants } of drawn) {
      const results: Result[] = [];
      table.push({ name: area.name, results });
      for (const mutant of mutants) {
        const began = monotonicMs();
        const result = await trial.of(mutant, area, reasonFor(known, mutant));
        results.push(result);
        const seconds = ((monotonicMs() - began) / 1000).toFixed(1);
        say(`${result.fate.padEnd(8)} ${seconds.padStart(6)} s  ${described(mutant)}\n${' '.repeat(20)}${result.by}`);
      }
    }
  } finally {
    await sandbox.close();
  }
  report(table);
}

function areasOf(paths: string[], { areas, area }: Options): Area[] {
  if (paths.length > 0) {
    const also = AREAS.filter((one) => one.paths.some((path) => paths.some((asked) => path.startsWith(asked)))).flatMap(
      (one) => one.also ?? [],
    );
    return [{ name: paths.join(' '), paths, also }];
  }
  if (area.length > 0) return AREAS.filter(({ name }) => area.includes(name));
  if (areas) return AREAS;
  throw new InvalidArgumentError('Name files or folders below src, or use --areas');
}

function draw(area: Area, { sample, seed, match }: Options, known: ReturnType<typeof readKnown>): Mutant[] {
  const all = mutableFiles(area.paths).flatMap((path) => {
    const mutants = mutantsOf(path, readFileSync(join(ROOT, path), 'utf8'));
    for (const { before, after } of outdated(known, path, mutants)) say(`outdated: ${path}: ${before} → ${after}`);
    return mutants;
  });
  const isWanted = ({ before, after }: Mutant): boolean =>
    match.length === 0 || match.some((text) => before.includes(text) || after.includes(text));
  return randomOrder(all.filter(isWanted), seed).slice(0, sample);
}

/** Tries mutants one by one, in a copy of the tree. */
class Trial {
  private readonly sandbox: Sandbox;
  private readonly nearest: NearestTests;
  private readonly until: StageName;
  /** How long a test file takes without a change, or what fails in it. */
  private readonly baseline = new Map<string, number | string>();
  private readonly original = new Map<string, string>();
  /** Files that were written since the last run. */
  private readonly changed = new Set<string>();

  constructor(sandbox: Sandbox, nearest: NearestTests, until: StageName) {
    this.sandbox = sandbox;
    this.until = until;
    this.nearest = nearest;
  }

  async of(mutant: Mutant, area: Area, reason: string | undefined): Promise<Result> {
    if (reason !== undefined) return { mutant, fate: 'known', by: reason };
    let tried = false;
    for (const { name, files } of this.nearest.of(mutant.path, area.also)) {
      if (STAGES.indexOf(name) > STAGES.indexOf(this.until)) continue;
      for (const group of inGroups(files)) {
        const passing = await this.passing(group);
        if (passing.files.length === 0) continue;
        tried = true;
        const failed = await this.withMutant(mutant, () => this.run(passing.files, LEAST_MS + 4 * passing.ms));
        if (failed !== null) return { mutant, fate: 'killed', by: `${name}: ${failed}` };
      }
    }
    if (this.until === 'wide' && mutant.path.endsWith('.ts')) {
      const error = await this.withMutant(mutant, async () => this.sandbox.checkTypes());
      if (error !== null) return { mutant, fate: 'killed', by: `types: ${error}` };
    }
    return {
      mutant,
      fate: 'survived',
      by: tried ? 'no test near it failed' : 'no test is near it: areas.ts can name some',
    };
  }

  /** The files that pass without the mutant, and how long they take together. */
  private async passing(files: string[]): Promise<{ files: string[]; ms: number }> {
    const fresh = files.filter((file) => !this.baseline.has(file));
    // Together first: each run loads the program anew.
    for (const group of fresh.length > 1 ? [fresh, ...fresh.map((file) => [file])] : [fresh]) {
      if (group.length === 0 || group.every((file) => this.baseline.has(file))) continue;
      const began = monotonicMs();
      const failed = await this.run(group, 10 * LEAST_MS);
      const ms = (monotonicMs() - began) / group.length;
      if (failed === null) for (const file of group) this.baseline.set(file, ms);
      else if (group.length === 1) {
        this.baseline.set(group[0]!, failed);
        say(`left out: ${group[0]} fails without a change: ${failed}`);
      }
    }
    const passing = files.filter((file) => typeof this.baseline.get(file) === 'number');
    return { files: passing, ms: passing.reduce((sum, file) => sum + Number(this.baseline.get(file)), 0) };
  }

  private async run(files: string[], mostMs: number): Promise<string | null> {
    const changed = [...this.changed];
    this.changed.clear();
    return this.sandbox.run(files, changed, mostMs);
  }

  private async withMutant<T>({ path, text }: Mutant, work: () => Promise<T>): Promise<T> {
    if (!this.original.has(path)) this.original.set(path, readFileSync(join(ROOT, path), 'utf8'));
    await this.write(path, text);
    try {
      return await work();
    } finally {
      await this.write(path, this.original.get(path)!);
    }
  }

  private async write(path: string, text: string): Promise<void> {
    this.changed.add(path);
    await this.sandbox.write(path, text);
  }
}

/** A run loads the program once for all of its files, and shows its result when the last one is done. */
function inGroups(files: string[]): string[][] {
  const groups: string[][] = [];
  for (let at = 0; at < files.length; at += MOST_FILES) groups.push(files.slice(at, at + MOST_FILES));
  return groups;
}

function described({ path, line, before, after }: Mutant): string {
  return `${path}:${line}: ${shortened(before)} → ${shortened(after)}`;
}

function shortened(text: string): string {
  return text.length > 110 ? `${text.slice(0, 109)}…` : text;
}

function report(table: { name: string; results: Result[] }[]): void {
  const of = (results: Result[], fate: Fate): number => results.filter((result) => result.fate === fate).length;
  const all = { name: 'together', results: table.flatMap(({ results }) => results) };
  say('\n| area | mutants | killed | survive with a reason | survive |\n| --- | ---: | ---: | ---: | ---: |');
  for (const { name, results } of table.length > 1 ? [...table, all] : table) {
    say(
      `| ${name} | ${results.length} | ${of(results, 'killed')} | ${of(results, 'known')} | ${of(results, 'survived')} |`,
    );
  }
  const survivors = all.results.filter(({ fate }) => fate === 'survived');
  for (const { mutant } of survivors) {
    const { path, before, after } = mutant;
    say(JSON.stringify({ path, before, after, reason: '' }));
  }
  if (survivors.length > 0) process.exitCode = 1;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('A whole number is needed');
  return Number(text);
}

await new Command('test:mutants')
  .description('Changes the program one line at a time and reports the changes that no test notices')
  .argument('[paths...]', 'files and folders below src')
  .option('--areas', 'take the core, area by area', false)
  .option('--area <name...>', 'take these areas of the core', [])
  .option('--sample <n>', 'how many mutants to try, of each area', wholeNumber, 20)
  .option('--seed <n>', 'which ones', wholeNumber, Math.floor(monotonicMs()) % 10_000)
  .option('--match <text...>', 'only those whose line contains one of these texts, before or after', [])
  .addOption(
    new Option(
      '--until <stage>',
      'the last tests to try: without a server, of the folder, of the feature and the compiler',
    )
      .choices([...STAGES])
      .default('wide'),
  )
  .option('--list', 'only print the mutants')
  .action(main)
  .parseAsync();
