import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram, temporaryDataFolder, tradeloom } from '../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });

test('if the output is not a terminal, no credentials are printed', { timeout: 300_000 }, async () => {
  const program = await startProgram(['--data-dir', dataDir], { TRADELOOM_PRINT_SECRETS: '0' });
  const { code, stdout, stderr } = await program.end('SIGTERM');
  expect(code).toBe(0);
  expect(stdout).toContain(`Admin app   ${program.origin}/admin/\n`);
  const file = join(dataDir, 'sign-in-link');
  expect(stdout).toContain(`the link that signs you in, once, within the hour, is in ${file}`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/admin\/sign-in\?token=[\w-]{43}\n$/);
  expect(stdout).toContain('tradeloom keys create');
  for (const secret of [/token=/, /tl_live_/, /whsec_/]) expect(stdout + stderr).not.toMatch(secret);
  const link = await tradeloom(['sign-in', '--data-dir', dataDir, '--json']);
  expect(JSON.parse(link.stdout).url).toContain('/admin/sign-in?token=');
});

test('where there is an owner, the next start leaves no link behind', { timeout: 60_000 }, async () => {
  const link = join(dataDir, 'sign-in-link');
  rmSync(link);
  const made = await tradeloom([
    'admins',
    'create',
    '--email',
    'olivia@example.com',
    '--name',
    'Olivia',
    '--data-dir',
    dataDir,
  ]);
  expect(made.code, made.stderr).toBe(0);
  const program = await startProgram(['--data-dir', dataDir], { TRADELOOM_PRINT_SECRETS: '0' });
  const { stdout } = await program.end('SIGTERM');
  expect(stdout).toContain('npx tradeloom sign-in');
  expect(existsSync(link)).toBe(false);
});
