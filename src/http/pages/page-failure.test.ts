import Fastify from 'fastify';
import pg from 'pg';
import pino from 'pino';
import { expect, test } from 'vitest';
import { DatabaseUnavailable } from '../../db/unavailable.ts';
import { AppError, Overloaded } from '../../errors.ts';
import { pageFailure } from './page-failure.ts';

const gone = new DatabaseUnavailable('no connection');
const cancelled = Object.assign(new pg.DatabaseError('canceling statement', 1, 'error'), { code: '57014' });
const tooLarge = Object.assign(new Error('too large'), { statusCode: 413 });

test.each([
  ['what does not exist', new AppError('not_found', 'Not found'), [404, null, 'Not found', 0]],
  ['a malformed request', new AppError('bad_request', 'No address'), [400, null, 'No address', 0]],
  ['too many requests', new AppError('rate_limited', 'Too many', { retry_after: 9 }), [429, '9', 'Too many', 0]],
  ['a body that is too large', tooLarge, [413, null, null, 0]],
  ['overload', new Overloaded(2_000), [503, '2', 'Too many requests are in progress: try again later', 0]],
  ['a database that is gone', gone, [503, '2', 'The database is unavailable: try again later', 1]],
  ['a statement that took too long', cancelled, [503, null, 'The request took too long: narrow it down', 1]],
  ['a fault of the program', new TypeError('x of undefined'), [500, null, null, 1]],
] as const)('a page says of %s what may be known', async (_name, error, expected) => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const server = Fastify();
  server.setErrorHandler((thrown, request, reply) => {
    const { status, headers, shown } = pageFailure(log, thrown, request);
    return reply
      .code(status)
      .headers(headers)
      .send({ message: shown?.message ?? null });
  });
  server.get('/u/:token', () => {
    throw error;
  });
  const response = await server.inject('/u/the-token');
  const { statusCode, headers } = response;
  expect([statusCode, headers['retry-after'] ?? null, response.json().message, lines.length]).toEqual(expected);
  for (const line of lines) expect(JSON.parse(line).route).toBe('/u/:token');
  expect(lines.join()).not.toContain('the-token');
  await server.close();
});
