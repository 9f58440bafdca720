import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const cwd = fileURLToPath(new URL('../../../', import.meta.url));

/** What a script of package.json prints, with nothing where it finds nothing. */
async function findingsOf(script: string): Promise<string> {
  try {
    await promisify(execFile)('npm', ['run', '--silent', script], { cwd, maxBuffer: 64 * 1024 * 1024 });
    return '';
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    return `${stdout ?? ''}${stderr ?? ''}` || message;
  }
}

test('the types are right', async () => {
  expect(await findingsOf('typecheck')).toBe('');
});

test('the linter and the formatter find nothing', async () => {
  expect(await findingsOf('lint')).toBe('');
});
