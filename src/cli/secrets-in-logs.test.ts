import { expect, test } from 'vitest';
import { startProgram, temporaryDataFolder, tradeloom } from '../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });

test('where the output is no terminal, nothing that lets anybody in is printed', { timeout: 300_000 }, async () => {
  const program = await startProgram(['--data-dir', dataDir], { TRADELOOM_PRINT_SECRETS: '0' });
  const { code, stdout, stderr } = await program.end('SIGTERM');
  expect(code).toBe(0);
  expect(stdout).toContain(`Admin app   ${program.origin}/admin/\n`);
  expect(stdout).toContain('tradeloom sign-in');
  expect(stdout).toContain('tradeloom keys create');
  for (const secret of [/token=/, /tl_live_/, /whsec_/]) expect(stdout + stderr).not.toMatch(secret);
  const link = await tradeloom(['sign-in', '--data-dir', dataDir, '--json']);
  expect(JSON.parse(link.stdout).url).toContain('/admin/sign-in?token=');
});
