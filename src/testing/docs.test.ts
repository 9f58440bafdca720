import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Program, startProgram, temporaryDataFolder } from './program.ts';

const ROOT = new URL('../../', import.meta.url);
const MAIN = fileURLToPath(new URL('src/main.ts', ROOT));

/** What stands for the commands of a reader's machine: the program under test, and a curl that fails on refusals. */
const PRELUDE = `
set -eu
npx() { shift; "$NODE" "$MAIN" "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@"; echo; }
`;

/** The blocks of a guide that a reader is meant to paste: fenced as sh. */
function blocksOf(file: string): string[] {
  const text = readFileSync(new URL(file, ROOT), 'utf8');
  return [...text.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm)].map((match) => match[2]!);
}

async function run(script: string, env: Record<string, string>, cwd: string) {
  const child = spawn('sh', ['-c', PRELUDE + script], {
    cwd,
    env: { PATH: process.env.PATH, NODE: process.execPath, MAIN, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('what the guides tell to paste works', { timeout: 60_000 }, () => {
  describe('against the demo shop', () => {
    const dataDir = temporaryDataFolder();
    let program: Program;

    beforeAll(async () => {
      program = await startProgram(['--data-dir', dataDir]);
    });
    afterAll(async () => {
      await program.end('SIGTERM');
    });

    test.each(['README.md', 'docs/api.md'].flatMap((file) => blocksOf(file).map((block) => [file, block] as const)))(
      'in %s: %s',
      async (_file, block) => {
        const key = /API key +(\S+)/.exec(program.stdout())![1]!;
        const script = block.replaceAll('http://127.0.0.1:3000', program.origin);
        const { code, output } = await run(script, { TRADELOOM_KEY: key, TRADELOOM_DATA_DIR: dataDir }, dataDir);
        expect(code, output).toBe(0);
      },
    );
  });

  describe('on a data folder without a server', () => {
    const folder = temporaryDataFolder();

    test.each(blocksOf('docs/operations.md').map((block) => [block]))('in docs/operations.md: %s', async (block) => {
      const { code, output } = await run(block, {}, folder);
      expect(code, output).toBe(0);
    });
  });

  test('there is something to test', () => {
    expect(blocksOf('README.md').length).toBeGreaterThan(0);
    expect(blocksOf('docs/api.md').length).toBeGreaterThan(5);
    expect(blocksOf('docs/operations.md').length).toBeGreaterThan(2);
  });
});
