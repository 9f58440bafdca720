/** One instruction of a Dockerfile: its name in capitals, and the rest with its lines joined. */
export interface Instruction {
  name: string;
  flags: Record<string, string>;
  rest: string;
}

export interface Stage {
  base: string;
  name: string | null;
  instructions: Instruction[];
}

/** Returns the stages of a Dockerfile, with the arguments before the first one substituted. */
export function readDockerfile(text: string): Stage[] {
  const args = new Map<string, string>();
  const stages: Stage[] = [];
  const lines = text.replace(/^\s*#.*\n/gm, '').replace(/\\\n/g, ' ');
  for (const line of lines.split('\n').filter((one) => one.trim() !== '')) {
    const [, name, all] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    if (name === undefined || all === undefined) throw new Error(`Not an instruction: ${line}`);
    if (name === 'ARG') args.set(...pairOf(all));
    else if (name === 'FROM')
      stages.push(stageOf(all.replace(/\$\{(\w+)\}/g, (_, arg: string) => args.get(arg) ?? '')));
    else stages.at(-1)!.instructions.push({ name, ...splitFlags(all) });
  }
  return stages;
}

/** What a stage sets by ENV. */
export function environmentOf({ instructions }: Stage): Record<string, string> {
  const pairs = instructions.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(/\s+/).map(pairOf));
  return Object.fromEntries(pairs);
}

/** The last of an instruction, which is the effective one. */
export function lastOf({ instructions }: Stage, name: string): Instruction {
  const found = instructions.findLast((one) => one.name === name);
  if (found === undefined) throw new Error(`The Dockerfile has no ${name}`);
  return found;
}

/** The words of ENTRYPOINT, CMD and HEALTHCHECK, which must be JSON here: no other form runs without a shell. */
export function wordsOf({ rest }: Instruction): string[] {
  return JSON.parse(rest.slice(rest.indexOf('['))) as string[];
}

function stageOf(rest: string): Stage {
  const [base, , name] = rest.split(/\s+/);
  return { base: base!, name: name ?? null, instructions: [] };
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  return [text.slice(0, at), text.slice(at + 1).replace(/^"(.*)"$/, '$1')];
}

function splitFlags(all: string): Pick<Instruction, 'flags' | 'rest'> {
  const flags: Record<string, string> = {};
  let rest = all;
  for (let match = FLAG.exec(rest); match !== null; match = FLAG.exec(rest)) {
    flags[match[1]!] = match[2]!;
    rest = rest.slice(match[0].length);
  }
  return { flags, rest };
}

const FLAG = /^--([a-z-]+)=(\S+)\s+/;
