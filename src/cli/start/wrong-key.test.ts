import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram, temporaryDataFolder, tradeloom } from '../../testing/program.ts';

const folder = temporaryDataFolder({ prepared: true });
const at = ['--data-dir', folder];
const REFUSAL =
  /^The secrets in this database were made with another master key than this program has: set TRADELOOM_MASTER_KEY .*master\.key.*\.\n$/;

test('a start with another master key is refused, by each role, until it is the right one or asked to go without', {
  timeout: 300_000,
}, async () => {
  expect(await tradeloom(['companies', 'create', '--name', 'Shop', ...at])).toMatchObject({ code: 0 });
  const other = { TRADELOOM_MASTER_KEY: randomBytes(32).toString('base64') };
  for (const role of ['all', 'api', 'worker']) {
    const refused = await tradeloom(['start', '--port', '0', '--role', role, ...at], other);
    expect([role, refused.code, refused.stdout, refused.stderr]).toEqual([role, 1, '', expect.stringMatching(REFUSAL)]);
  }
  // A company would have a secret of the other key, and the next start would take that for the right one.
  expect(await tradeloom(['companies', 'create', '--name', 'Second', ...at], other)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(REFUSAL),
  });

  const right = await startProgram(at);
  expect(await right.end('SIGTERM')).toMatchObject({ code: 0, stderr: '' });
  const without = await startProgram(at, { ...other, TRADELOOM_WITHOUT_SECRETS: '1' });
  const { code, stderr } = await without.end('SIGTERM');
  expect([code, JSON.parse(stderr).level]).toEqual([0, 40]);
});

test('a key that is missing is not taken for a first start', { timeout: 300_000 }, async () => {
  rmSync(join(folder, 'master.key'));
  const refused = await tradeloom(['start', '--port', '0', ...at]);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(REFUSAL)]);
});
