import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Program, startProgram, temporaryDataFolder, tradeloom } from '../testing/program.ts';

const dataDir = temporaryDataFolder({ prepared: true });
const FORGED = 'forged"\n{"msg":"signed in to the admin pages"}';
let program: Program;
let stderr: string;
const secrets: string[] = [];
const statuses: number[] = [];

async function signIn(token: string): Promise<Response> {
  return fetch(`${program.origin}/admin/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ token }),
  });
}

async function session(): Promise<string> {
  const link = await tradeloom(['sign-in', '--data-dir', dataDir, '--json']);
  const token = new URL(JSON.parse(link.stdout).url).searchParams.get('token')!;
  const cookie = (await signIn(token)).headers.get('set-cookie')!.split(';')[0]!;
  secrets.push(token, cookie.split('=')[1]!);
  return cookie;
}

const read = async (cookie: string): Promise<number> =>
  (await fetch(`${program.origin}/admin/api/session`, { headers: { cookie } })).status;

beforeAll(async () => {
  program = await startProgram(['--data-dir', dataDir, '--empty'], { LOG_LEVEL: 'info' });
  await tradeloom(['companies', 'create', '--name', 'Shop', '--data-dir', dataDir]);
  const key = await tradeloom([
    'keys',
    'create',
    '--company',
    '1',
    '--name',
    'till',
    '--scope',
    'orders:read',
    '--data-dir',
    dataDir,
    '--json',
  ]);
  const { key: apiKey } = JSON.parse(key.stdout) as { key: string };
  secrets.push(apiKey);

  const [first, second] = [await session(), await session()];
  statuses.push(await read(first), await read(second));
  await signIn(FORGED);
  await fetch(`${program.origin}/admin/sign-out`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: first, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  });
  const ended = await tradeloom(['sign-out', '--data-dir', dataDir, '--json']);
  statuses.push(JSON.parse(ended.stdout).sessions, await read(second));

  await fetch(`${program.origin}/commerce/v1/products?search=someone@example.net`, {
    headers: { 'x-api-key': FORGED.replace('\n', ' ') },
  });
  await fetch(`${program.origin}/commerce/v1/products`, { headers: { 'x-api-key': apiKey } });
  ({ stderr } = await program.end('SIGTERM'));
}, 300_000);
afterAll(() => {
  if (program.process.exitCode === null) program.process.kill('SIGKILL');
});

/** The log: one object for each line, whatever was sent. */
const entries = () =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('sign-ins, sign-outs and refusals are in the log, with when, from where, which request and why', () => {
  const lines = entries();
  const of = (msg: string) => lines.filter((line) => line.msg === msg);
  expect(of('signed in to the admin pages')).toHaveLength(2);
  expect(of('signed out of the admin pages')).toHaveLength(1);
  expect(of('access denied').map(({ reason, route }) => [reason, route])).toEqual([
    ['invalid_key', '/admin/sign-in'],
    ['missing_session', '/admin/api/session'],
    ['invalid_key', '/commerce/v1/products'],
    ['missing_scope', '/commerce/v1/products'],
  ]);
  for (const line of lines.filter(({ msg }) => /signed|denied/.test(String(msg)))) {
    expect(line).toMatchObject({ time: expect.any(Number), address: '127.0.0.1', request_id: expect.any(String) });
  }
  expect(of('access denied').at(-1)).toMatchObject({ company_id: 1, key_id: expect.any(Number) });
});

test('the log holds no credential, no query and no line that a client made', () => {
  for (const secret of [...secrets, 'forged', 'someone@example.net']) expect(stderr).not.toContain(secret);
  expect(secrets).toHaveLength(5);
  expect(entries().length).toBeGreaterThan(6);
});

test('tradeloom sign-out ends every session', () => {
  expect(statuses).toEqual([200, 200, 1, 401]);
});
