import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { send } from '../../../admin/src/api/transport.ts';

const bodies: string[] = [];
let responses: Response[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  bodies.length = 0;
  vi.stubGlobal('fetch', async (request: Request) => {
    bodies.push(await request.text());
    return responses.shift()!;
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const refusal = (retryAfter?: string): Response =>
  new Response('{}', { status: 429, headers: retryAfter === undefined ? {} : { 'Retry-After': retryAfter } });
const save = (): Promise<Response> =>
  send(new Request('http://127.0.0.1/admin/api/1/templates', { method: 'POST', body: '{"name":"Spring"}' }));

test('a request refused by a busy server is sent again after Retry-After, with the same body', async () => {
  responses = [refusal('1'), refusal('2'), new Response('{}', { status: 201 })];
  const saved = save();
  await vi.advanceTimersByTimeAsync(999);
  expect(bodies).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(bodies).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await saved).status).toBe(201);
  expect(bodies).toEqual(Array(3).fill('{"name":"Spring"}'));
});

test.each([
  ['for the third time', ['1', '1', '1'], 3],
  ['for minutes', ['60'], 1],
  ['without saying for how long', [undefined], 1],
])('a refusal %s is told', async (_name, waits, sent) => {
  responses = waits.map(refusal);
  const saved = save();
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await saved).status).toBe(429);
  expect(bodies).toHaveLength(sent);
});
