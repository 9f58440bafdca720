import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Fastify from 'fastify';
import pino from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { Db } from '../../db/pool.ts';
import { notFound } from '../../errors.ts';
import { picturePages } from './pages.ts';
import { createPicturesService, type PicturesDeps, type PicturesService } from './service.ts';

const MIB = 2 ** 20;
const log = pino({ level: 'silent' });
/** Pictures that exist, and no files. */
const NONE = {
  exists: async () => true,
  readFile: async () => {
    throw notFound('file');
  },
};
let server = Fastify();
afterEach(async () => {
  await server.close();
  server = Fastify();
});

test('clients that go away before their picture is read take nothing of the bytes that may be on their way', async () => {
  const waiting: ((content: Buffer) => void)[] = [];
  const read = () => new Promise<Buffer>((resolve) => waiting.push(resolve));
  picturePages(server, { pictures: { ...NONE, read }, log });
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });
  const addressOf = (id: number) => `${origin}/pictures/1/${id}-${'a'.repeat(32)}/large.webp`;
  for (const id of [1, 2, 3]) {
    const gone = new AbortController();
    const asked = fetch(addressOf(id), { signal: gone.signal }).catch((error: Error) => error.name);
    await expect.poll(() => waiting.length).toBe(1);
    gone.abort();
    expect(await asked).toBe('AbortError');
    await expect.poll(() => new Promise((resolve) => server.server.getConnections((_, n) => resolve(n)))).toBe(0);
    waiting.pop()!(Buffer.alloc(40 * MIB));
    await sleep(20);
  }
  const asked = fetch(addressOf(4));
  await expect.poll(() => waiting.length).toBe(1);
  waiting.pop()!(Buffer.alloc(40 * MIB));
  const response = await asked;
  expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 40 * MIB]);
});

test('a client that does not read pictures keeps them from its own network alone', async () => {
  server = Fastify({ trustProxy: true });
  picturePages(server, { pictures: { ...NONE, read: async () => Buffer.alloc(7 * MIB) }, log });
  const origin = await server.listen({ port: 0, host: '127.0.0.1' });
  const path = `/pictures/1/1-${'a'.repeat(32)}/large.webp`;
  const sockets: Socket[] = [];
  const leaveUnread = (): void => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n`);
    sockets.push(socket);
  };
  const statusFrom = async (address: string) => {
    const response = await fetch(origin + path, { headers: { 'X-Forwarded-For': address } });
    await response.arrayBuffer();
    return response.status;
  };
  for (let n = 0; n < 3; n++) leaveUnread();
  // Many may share a network: there is room.
  await sleep(200);
  expect(await statusFrom('192.0.2.1')).toBe(200);
  for (let n = 0; n < 3; n++) leaveUnread();
  await expect.poll(() => statusFrom('192.0.2.1')).toBe(503);
  expect(await statusFrom('192.0.2.2')).toBe(200);
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => statusFrom('192.0.2.1')).toBe(200);
});

test('an address without a picture is looked up once, and one with another hash of a picture that is known never', async () => {
  const asked: string[] = [];
  const read: PicturesService['read'] = async ({ id, hash, name }) => {
    asked.push(`${id}-${hash[0]} ${name}`);
    if (id === 1 && hash[0] === 'a') return Buffer.from('picture');
    throw notFound('picture');
  };
  picturePages(server, { pictures: { ...NONE, read }, log });
  const statusOf = async (id: number, letter: string, variant = 'large') =>
    (await server.inject(`/pictures/1/${id}-${letter.repeat(32)}/${variant}.webp`)).statusCode;
  expect([await statusOf(2, 'a'), await statusOf(2, 'a'), await statusOf(1, 'b')]).toEqual([404, 404, 404]);
  expect([await statusOf(1, 'a'), await statusOf(1, 'c'), await statusOf(1, 'a', 'thumb')]).toEqual([200, 404, 200]);
  expect(asked).toEqual(['2-a large', '1-b large', '1-a large', '1-a thumb']);
});

test('whether there is a picture is asked on behalf of strangers, not of the company', async () => {
  const db = {
    strangers: { query: async () => [] },
    lists: () => {
      throw new Error('spends what the company may');
    },
  } as unknown as Db;
  const deps = { db, stores: {}, resizer: {}, maxBytes: 1, origin: () => '' } as unknown as PicturesDeps;
  const ref = { companyId: 1, id: 2, hash: 'a'.repeat(32), name: 'large' as const };
  await expect(createPicturesService(deps).read(ref)).rejects.toMatchObject({ code: 'not_found' });
});

test('a picture that is deleted is served from memory for a moment at most', async () => {
  let isThere = true;
  const read: PicturesService['read'] = async () => Buffer.from('picture');
  picturePages(server, { pictures: { ...NONE, read, exists: async () => isThere }, log, checkedMs: 1 });
  const statusNow = async () => (await server.inject(`/pictures/1/7-${'a'.repeat(32)}/large.webp`)).statusCode;
  expect(await statusNow()).toBe(200);
  await sleep(5);
  expect(await statusNow()).toBe(200);
  isThere = false;
  await sleep(5);
  expect(await statusNow()).toBe(404);
});
