import { expect, test } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { type Outcome, startProgram, temporaryDataFolder } from '../../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });
const ENV = { LOG_LEVEL: 'info', SMTP_URL: 'smtp://shop:not-for-logs@mail.example:587' };

function linesOf({ stderr }: Outcome): Record<string, unknown>[] {
  return stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('the log reports the start, the database and providers, the cause of the stop, and what the stop waited for', async () => {
  const program = await startProgram(['--data-dir', dataDir, '--empty'], ENV);
  const { origin } = program;
  await expect.poll(() => fetch(`${origin}/health/ready`).then(({ status }) => status)).toBe(200);
  const outcome = await program.end('SIGTERM');
  expect(outcome.code).toBe(0);
  const lines = linesOf(outcome);
  const started = lines.find(({ msg }) => msg === 'started')!;
  expect(started).toMatchObject({
    level: 30,
    version: manifest.version,
    mode: 'development',
    role: 'all',
    listening: origin,
    public_url: null,
    database: { embedded: dataDir, version: expect.stringMatching(/^18\./) },
    email: 'mail.example:587',
    sms: 'mailbox',
    pictures: 'database',
    migrations_applied: [],
    took_ms: expect.any(Number),
  });
  expect(started.workers).toContain('sender');
  expect(lines.slice(lines.indexOf(started) + 1)).toMatchObject([
    { msg: 'stopping', signal: 'SIGTERM' },
    { msg: expect.stringMatching(/^stopped/), requests_in_flight: 0, took_ms: expect.any(Number) },
  ]);
  expect(outcome.stderr).not.toContain('not-for-logs');
});

test('the log says that the server listens on all networks, where it does', async () => {
  const program = await startProgram(['--data-dir', dataDir, '--host', '0.0.0.0'], ENV);
  const [started] = linesOf(await program.end('SIGTERM')).filter(({ msg }) => msg === 'started');
  expect(started!.listening).toMatch(/^http:\/\/0\.0\.0\.0:\d+$/);
});
