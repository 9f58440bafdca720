import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbedded } from '../db/embedded/embedded.ts';
import { type Block, blocksIn, documents } from './documents/blocks.ts';
import { readText } from './house/sources.ts';
import { copyPreparedDatabase, type Program, startProgram, temporaryDataFolder } from './program.ts';

const ROOT = new URL('../../', import.meta.url);
const MAIN = fileURLToPath(new URL('src/main.ts', ROOT));
const ORIGIN = 'http://127.0.0.1:3000';
/** Run on a data folder without a server: an operator's commands. */
const WITHOUT_SERVER = ['docs/operations.md', 'docs/guides/upgrade.md'];
const BACKUPS = 'docs/guides/back-up-and-restore.md';
/** Folders on a reader's machine, which the test creates below a folder of its own. */
const FOLDERS = /(?<=[\s=])\/(mnt|secure|tmp|var)\//g;
/**
 * Numbers of blocks that cannot be run, with the reason before each in the document: they need a machine, containers, a cluster, a second
 * PostgreSQL server or disks, which do not exist here, or they would start this test. Every additional one must be justified.
 */
const NOT_RUN: Record<string, number> = {
  'README.md': 2,
  'docs/guides/assistant.md': 1,
  'docs/guides/deliverability.md': 1,
  [BACKUPS]: 1,
  'docs/guides/install.md': 10,
  'docs/guides/monitoring.md': 2,
  'docs/guides/quick-start.md': 1,
  'docs/guides/take-your-first-payment.md': 1,
  'docs/operations.md': 6,
  'docs/storefront.md': 2,
};
/** Languages of blocks that contain no code. */
const SHOWN = ['text', 'mermaid'];

/** Replaces the commands of a reader's machine: the program under test, and a curl that fails on refusals. */
const PRELUDE = `
set -euo pipefail
tradeloom() {
  # No program uses the key that would have to see the new one.
  if [ "$1" = rotate-master-key ]; then set -- "$@" --wait 1s; fi
  "$NODE" "$MAIN" "$@"
}
npx() { shift; tradeloom "$@"; }
curl() { command curl --silent --show-error --fail-with-body "$@" && echo; }
`;

const blocks = documents().flatMap((file) => blocksIn(file));
const pages = [...Map.groupBy(blocks, ({ file }) => file).keys()];
const runnable = (file: string, ...languages: string[]): Block[] =>
  blocks.filter((block) => block.file === file && block.notRun === null && languages.includes(block.language));
const hasCommands = (file: string): boolean => runnable(file, 'sh').length > 0;
const placeOf = ({ file, line }: Block): string => `${file}:${line}`;

async function run(command: string, args: string[], options: { env: Record<string, string>; cwd: string }) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE: process.execPath, MAIN, ...options.env };
  const child = spawn(command, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** Joins the commands of a page, as a reader pastes them into one terminal, with the machine's folders moved below `root`. */
function scriptOf(
  file: string,
  { origin = ORIGIN, key = '', root }: { origin?: string; key?: string; root: string },
): string {
  const parts = runnable(file, 'sh').map((block) => `echo "--- ${placeOf(block)}"\n${block.code}`);
  const code = parts.join('').replaceAll(ORIGIN, origin).replaceAll('tl_live_…', key);
  return PRELUDE + code.replaceAll(FOLDERS, `${root}/$1/`);
}

const withJq = spawnSync('jq', ['--version']).error === undefined;
const usesJq = (file: string): boolean => runnable(file, 'sh').some(({ code }) => /\bjq\b/.test(code));
if (!withJq) process.stderr.write(`SKIPPED, since jq is not installed: ${pages.filter(usesJq).join(', ')}\n`);

describe('commands in the documents work', { timeout: 300_000 }, () => {
  describe('against the demo shop', () => {
    const dataDir = temporaryDataFolder({ prepared: true });
    let program: Program;
    let env: Record<string, string>;

    beforeAll(async () => {
      program = await startProgram(['--data-dir', dataDir, '--test-clock']);
      env = {
        TRADELOOM_KEY: /API key +(\S+)/.exec(program.stdout())![1]!,
        TRADELOOM_URL: program.origin,
        TRADELOOM_DATA_DIR: dataDir,
        PORT: new URL(program.origin).port,
      };
    });
    afterAll(async () => {
      await program.end('SIGTERM');
    });

    // docs/api.md first: its examples use the ids that come next in a new demo shop, at the time of this machine.
    const withServer = pages.filter((file) => hasCommands(file) && ![...WITHOUT_SERVER, BACKUPS].includes(file));
    const inOrder = ['docs/api.md', ...withServer.filter((file) => file !== 'docs/api.md')];
    for (const file of inOrder.filter((one) => withJq || !usesJq(one))) {
      test(`the commands of ${file}`, async () => {
        const script = scriptOf(file, { origin: program.origin, key: env.TRADELOOM_KEY!, root: dataDir });
        const { code, output } = await run('bash', ['-c', script], { env, cwd: dataDir });
        expect(code, output).toBe(0);
      });
    }

    test.each(pages.flatMap((file) => runnable(file, 'js', 'ts')).map((block) => [placeOf(block), block] as const))(
      'the code at %s',
      async (_place, { code, language }) => {
        const client = new URL('client/src/client.ts', ROOT).href;
        mkdirSync(join(dataDir, 'code'), { recursive: true });
        const path = join(dataDir, 'code', `block.${language === 'ts' ? 'mts' : 'mjs'}`);
        writeFileSync(path, code.replaceAll("'@tradeloom/client'", `'${client}'`));
        const { code: exit, output } = await run(process.execPath, [path], { env, cwd: dataDir });
        expect(exit, output).toBe(0);
      },
    );

    test.each(pages.flatMap((file) => runnable(file, 'liquid')).map((block) => [placeOf(block), block] as const))(
      'the template at %s',
      async (_place, { code }) => {
        const response = await fetch(`${program.origin}/marketing/v1/templates/preview`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${env.TRADELOOM_KEY}`,
            'X-Company-ID': '1',
            'Content-Type': 'application/json',
          },
          body: JSON.stringify({
            channel: 'email',
            subject: 'A subject',
            content: code,
            contact_id: 2,
            event_data: { order_id: '7', total: 29, items: [{ name: 'Morning Ridge', quantity: 2 }] },
          }),
        });
        const text = await response.text();
        expect(response.status, text).toBe(200);
        expect(JSON.parse(text).html).not.toMatch(/\{[{%]/);
      },
    );

    test('the quick start orders what its search finds first', async () => {
      const text = readText('docs/guides/quick-start.md');
      const search = /products\?search=(\w+)/.exec(text)![1]!;
      const headers = { 'X-API-Key': env.TRADELOOM_KEY! };
      const response = await fetch(`${program.origin}/commerce/v1/products?search=${search}`, { headers });
      const { data } = (await response.json()) as { data: { id: number }[] };
      expect(data[0]?.id).toBe(Number(/"product_id": (\d+)/.exec(text)![1]));
    });

    test('addresses of the program that documents link to exist', async () => {
      const texts = documents().flatMap((file) => linksTo(file));
      expect(texts.length).toBeGreaterThan(2);
      for (const url of new Set(texts)) {
        const response = await fetch(url.replace(ORIGIN, program.origin));
        expect([url, response.status]).toEqual([url, 200]);
      }
    });
  });

  describe('on a data folder without a server', () => {
    const cwd = temporaryDataFolder();
    let server: EmbeddedPostgres;

    beforeAll(async () => {
      for (const folder of ['archive', 'other']) mkdirSync(join(cwd, 'mnt', folder), { recursive: true });
      writeFileSync(join(cwd, 'mnt/other/erasures.log'), '');
      copyPreparedDatabase(join(cwd, 'data'));
      // Each command would start one otherwise.
      server = await startEmbedded({ dataDir: join(cwd, 'data'), log: () => {}, extraSettings: { fsync: 'off' } });
    });
    afterAll(() => server.stop());

    test.each(WITHOUT_SERVER.map((file) => [file]))('the commands of %s', async (file) => {
      const { code, output } = await run('bash', ['-c', scriptOf(file, { root: cwd })], { env: {}, cwd });
      expect(code, output).toBe(0);
    });

    test(`the commands of ${BACKUPS}, on a shop of its own`, async () => {
      const root = join(cwd, 'backed-up');
      for (const folder of ['mnt/backups', 'mnt/archive', 'mnt/other', 'secure', 'var/log', 'var/lib', 'tmp']) {
        mkdirSync(join(root, folder), { recursive: true });
      }
      const segment = (n: string): string => join(root, 'mnt/archive', `0000000100000000000000${n}`);
      for (const n of ['32', '33']) writeFileSync(segment(n), '');
      copyPreparedDatabase(join(root, 'data'));
      writeFileSync(join(root, 'mnt/other/erasures.log'), '');
      const setUp = `${PRELUDE}tradeloom companies create --name "Corner shop"\ncp data/master.key secure/\n`;
      // What a reader has at that point: the backup of one night, under the name of another.
      const named = `cp mnt/backups/*.tar.zst backup.tar.zst; cp backup.tar.zst mnt/backups/tradeloom-20260501T020000Z.tar.zst\n`;
      const blocks = runnable(BACKUPS, 'sh').map(({ code }, i) => `(\n${code})\n${i === 0 ? named : ''}`);
      const script = setUp + blocks.join('').replaceAll(FOLDERS, `${root}/$1/`);
      const { code, output } = await run('bash', ['-c', script], { env: {}, cwd: root });
      expect(code, output).toBe(0);
      expect([existsSync(segment('32')), existsSync(segment('33'))]).toEqual([false, true]);
    });
  });
});

describe('code blocks of the documents', () => {
  test.each(blocks.filter(({ language }) => language === 'json').map((block) => [placeOf(block), block] as const))(
    '%s is JSON',
    (_place, { code }) => {
      expect(() => JSON.parse(code)).not.toThrow();
    },
  );

  test('are run, or say why they are not', () => {
    const run = ['sh', 'js', 'ts', 'json', 'liquid'];
    const unknown = blocks.filter(
      ({ language, notRun }) => ![...run, ...SHOWN].includes(language) && (notRun === null || language === ''),
    );
    expect(unknown.map((block) => `${placeOf(block)}: ${block.language}`)).toEqual([]);
    for (const { notRun } of blocks) expect(notRun?.length ?? 99).toBeGreaterThan(10);
    const notRun = Map.groupBy(
      blocks.filter((block) => block.notRun !== null),
      ({ file }) => file,
    );
    expect(Object.fromEntries([...notRun].map(([file, { length }]) => [file, length]))).toEqual(NOT_RUN);
    expect(blocks.filter(({ language, notRun }) => notRun === null && run.includes(language)).length).toBeGreaterThan(
      80,
    );
  });
});

function linksTo(file: string): string[] {
  return [...readText(file).matchAll(/\]\((http:\/\/127\.0\.0\.1:3000[^)\s]*)\)/g)].map(([, url]) => url!);
}
