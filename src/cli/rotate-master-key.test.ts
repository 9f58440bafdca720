import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadMasterKey } from '../access/master-key.ts';
import { connectionUrl } from '../testing/global-setup.ts';
import { testServer } from '../testing/harness.ts';
import { tradeloom } from '../testing/program.ts';

const server = testServer();
const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const ENDPOINTS = 30_000;

const countOf = async (version: number): Promise<number> => {
  const [row] = await server.rows<{ n: number }>(
    'select count(*)::int as n from webhook_endpoints where get_byte(secret, 0) = $1',
    [version],
  );
  return row!.n;
};

test('a killed replacement continues with the same key and loses no secret', { timeout: 300_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rotated-key-'));
  const { company_id: company } = await server.company();
  const before = loadMasterKey(dataDir, null);
  await server.rows('delete from company_secrets');
  const secrets = Array.from({ length: ENDPOINTS }, (_, i) => before.seal(`secret ${i}`));
  await server.rows(
    `insert into webhook_endpoints (company_id, url, secret, description, created_at, updated_at)
     select $1, 'https://example.com', secret, i - 1, now(), now() from unnest($2::bytea[]) with ordinality as s (secret, i)`,
    [company, secrets],
  );
  const env = { DATABASE_URL: connectionUrl(server.connection), TRADELOOM_DATA_DIR: dataDir };
  const killed = spawn(process.execPath, [MAIN, 'rotate-master-key'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: 'ignore',
  });
  const ended = once(killed, 'exit');
  await expect.poll(() => countOf(2), { timeout: 300_000, interval: 5 }).toBeGreaterThan(0);
  killed.kill('SIGKILL');
  expect((await ended)[1]).toBe('SIGKILL');
  const halfway = readFileSync(join(dataDir, 'master.key'), 'utf8');
  expect(halfway).toMatch(/^2:\S{44},token:\S{44},1:\S{44}\n$/);
  expect(await countOf(1)).toBeGreaterThan(0);
  expect(before.open((await oneOf(2)).secret)).toMatch(/^secret /);

  const { code, stdout } = await tradeloom(['rotate-master-key', '--wait', '1s', '--json'], env);
  expect([code, JSON.parse(stdout).version]).toEqual([0, 2]);
  expect(readFileSync(join(dataDir, 'master.key'), 'utf8')).toBe(halfway.replace(/,1:.*/, ''));
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
  const after = loadMasterKey(dataDir, null);
  const rows = await server.rows<{ secret: Buffer; description: string }>(
    'select secret, description from webhook_endpoints',
  );
  expect(rows).toHaveLength(ENDPOINTS);
  expect(rows.filter(({ secret, description }) => after.open(secret) !== `secret ${description}`)).toEqual([]);
  expect(await countOf(2)).toBe(ENDPOINTS);
});

async function oneOf(version: number): Promise<{ secret: Buffer }> {
  const [row] = await server.rows<{ secret: Buffer }>(
    'select secret from webhook_endpoints where get_byte(secret, 0) = $1 limit 1',
    [version],
  );
  return row!;
}

test('TRADELOOM_MASTER_KEY is replaced in two steps, and its next value is in no output', {
  timeout: 300_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rotated-key-'));
  const first = Buffer.from(Array.from({ length: 32 }, (_, i) => i * 7)).toString('base64');
  const database = { DATABASE_URL: connectionUrl(server.connection), TRADELOOM_DATA_DIR: dataDir };
  await server.rows('delete from webhook_endpoints; delete from company_secrets');
  const { company_id: company } = await server.company();
  await server.rows('update company_secrets set ciphertext = $1', [loadMasterKey(dataDir, first).seal('whsec')]);
  const env = { ...database, TRADELOOM_MASTER_KEY: first };
  const out = join(dataDir, 'next.key');
  expect(await tradeloom(['rotate-master-key'], env)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--out'),
  });
  const begun = await tradeloom(['rotate-master-key', '--out', out], env);
  expect([begun.code, statSync(out).mode & 0o777]).toEqual([0, 0o600]);
  const next = readFileSync(out, 'utf8').trim();
  expect(next).toMatch(new RegExp(`^2:\\S{44},token:\\S{44},1:${first.replaceAll(/[+/]/g, '.')}$`));
  expect(begun.stdout + begun.stderr).not.toContain(next.slice(2, 46));
  // A second call would make another key.
  expect((await tradeloom(['rotate-master-key', '--out', out], env)).code).toBe(1);

  const ended = await tradeloom(['rotate-master-key'], { ...env, TRADELOOM_MASTER_KEY: next });
  expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('Secrets re-encrypted: 1')]);
  const [row] = await server.rows<{ ciphertext: Buffer }>(
    'select ciphertext from company_secrets where company_id = $1',
    [company],
  );
  expect(loadMasterKey(dataDir, next.replace(/,1:.*/, '')).open(row!.ciphertext)).toBe('whsec');
});
