import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { responseReader } from './load/framing.ts';
import { Histogram } from './load/histogram.ts';

describe('histogram', () => {
  test('quantiles are never below the true value and at most 1/64 and a microsecond above it', () => {
    const durations = fc.array(fc.integer({ min: 0, max: 60_000_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(durations, fc.double({ min: 0, max: 1, noNaN: true }), (micros, q) => {
        const histogram = new Histogram();
        for (const each of micros) histogram.record(each);
        const sorted = micros.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(micros.length * q)) - 1]!;
        const told = histogram.quantile(q);
        expect(told).toBeGreaterThanOrEqual(exact);
        expect(told).toBeLessThanOrEqual(exact + exact / 64 + 1);
      }),
    );
  });

  test('values beyond its range count as the longest', () => {
    const histogram = new Histogram();
    histogram.record(1e12);
    expect(histogram.total).toBe(1);
    expect(histogram.quantile(1)).toBe(2 ** 26);
  });

  test('nothing recorded has no quantile', () => {
    expect(new Histogram().quantile(0.5)).toBe(0);
  });
});

describe('response framing', () => {
  const responses = [
    { status: 200, body: '{"name":"Käse \u{1f9c0}"}' },
    { status: 201, body: '' },
    { status: 422, body: 'a body with\r\n\r\nempty lines' },
  ];
  const stream = Buffer.concat(
    responses.map(({ status, body }) =>
      Buffer.from(
        `HTTP/1.1 ${status} OK\r\nX-A: b\r\ncontent-length: ${Buffer.byteLength(body)}\r\nZ: 1\r\n\r\n${body}`,
      ),
    ),
  );

  test('responses come out whole, however the stream is cut and its memory used again', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 20 });
    fc.assert(
      fc.property(cuts, (at) => {
        const seen: { status: number; body: string }[] = [];
        const read = responseReader((status, body) => seen.push({ status, body: body() }));
        let from = 0;
        for (const to of [...at.toSorted((a, b) => a - b), stream.length]) {
          const piece = Buffer.from(stream.subarray(from, to));
          read(piece);
          piece.fill(0);
          from = to;
        }
        expect(seen).toEqual(responses);
      }),
    );
  });

  test('a response of unknown length is refused', () => {
    const read = responseReader(() => {});
    expect(() => read(Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'))).toThrow('Content-Length');
  });
});

test('neighbours: a company is served and measured while another attacks it', async () => {
  const program = fileURLToPath(new URL('./neighbours.ts', import.meta.url));
  const names = ['bodies', 'webhooks', 'exports', 'overload'];
  const run = promisify(execFile)(process.execPath, [program, '--smoke', '--only', names.join()], { timeout: 110_000 });
  const reports = (await run).stdout.split(/^(?=\w+: )/m).slice(1);
  expect(reports.map((text) => text.slice(0, text.indexOf(':')))).toEqual(names);
  for (const text of reports.slice(0, -1)) {
    expect(text).toMatch(/ {2}product +\d/);
    // Refused or not, every request of the attacker gets a response, and no other request fails because of it.
    expect(text).toMatch(/responses to the attacker: \d/);
    expect(text).toMatch(/that failed: 0\n/);
  }
  expect(reports.at(-1)).toMatch(/ratio \d/);
});

test('a measurement that a signal ends leaves no database behind', async () => {
  const program = fileURLToPath(new URL('./neighbours.ts', import.meta.url));
  const folder = await mkdtemp(join(tmpdir(), 'tradeloom-ended-'));
  const databaseOf = async (): Promise<number | null> => {
    for (const name of await readdir(folder)) {
      const file = join(folder, name, 'postgres', 'postmaster.pid');
      const text = await readFile(file, 'utf8').catch(() => '');
      if (text.includes('\n')) return Number.parseInt(text, 10);
    }
    return null;
  };
  const wait = { timeout: 60_000, interval: 100 };
  // In a process group of its own, to which `timeout` sends its signal.
  const run = spawn(process.execPath, [program, '--smoke'], {
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, TMPDIR: folder },
  });
  await expect.poll(databaseOf, wait).not.toBeNull();
  const database = (await databaseOf())!;
  process.kill(-run.pid!, 'SIGTERM');
  await expect.poll(() => isAlive(database), wait).toBe(false);
  const left = async () => (await readdir(folder)).filter((name) => name.startsWith('tradeloom-'));
  await expect.poll(left, wait).toEqual([]);
  await rm(folder, { recursive: true });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
