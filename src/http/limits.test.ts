import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { Overloaded } from '../errors.ts';
import { RequestLimits } from './limits.ts';

const MIB = 2 ** 20;

interface Asked {
  request: FastifyRequest;
  reply: FastifyReply;
  end(): void;
}

function asked(headers: Record<string, string>, ip = '192.0.2.1'): Asked {
  const raw = new EventEmitter();
  return {
    request: { headers, ip } as unknown as FastifyRequest,
    reply: { raw } as unknown as FastifyReply,
    end: () => raw.emit('close'),
  };
}

const admit = (limits: RequestLimits, company: number | null, headers: Record<string, string>, ip?: string) => {
  const { request, reply, end } = asked(headers, ip);
  limits.admitBody(request, reply, company, MIB);
  return end;
};
const LARGE = { 'content-length': String(MIB) };
/** Three quarters of this are for companies: 8 MiB. */
const MEMORY = (32 / 3) * MIB;

it('gives one company half of the memory for bodies, until the responses are sent', () => {
  const limits = new RequestLimits(MEMORY);
  const ends = Array.from({ length: 4 }, () => admit(limits, 1, LARGE));
  expect(() => admit(limits, 1, LARGE)).toThrow(Overloaded);
  admit(limits, 2, LARGE);
  ends[0]!();
  admit(limits, 1, LARGE);
});

it('refuses everybody once the memory is used, counts an unknown length as the limit, and lets small bodies through', () => {
  const limits = new RequestLimits(MEMORY / 2);
  for (const company of [1, 1, 2, 2]) admit(limits, company, { 'transfer-encoding': 'chunked' });
  expect(() => admit(limits, 3, LARGE)).toThrow(Overloaded);
  admit(limits, 3, { 'content-length': '900' });
  admit(limits, 3, {});
});

it('releases the memory of a request at once if its client disconnected before it is admitted', () => {
  const limits = new RequestLimits(MEMORY / 4);
  for (let n = 0; n < 3; n++) {
    const { request } = asked(LARGE);
    const raw = Object.assign(new EventEmitter(), { destroyed: true, closed: true });
    limits.admitBody(request, { raw } as unknown as FastifyReply, 1, MIB);
  }
  admit(limits, 1, LARGE);
});

it('gives one network an eighth of the memory for requests whose company is not known', () => {
  const limits = new RequestLimits(64 * MIB);
  const ends = [admit(limits, null, LARGE), admit(limits, null, LARGE)];
  expect(() => admit(limits, null, LARGE)).toThrow(Overloaded);
  admit(limits, null, LARGE, '192.0.2.2');
  // A company's own requests are not counted by where they come from.
  for (let n = 0; n < 10; n++) admit(limits, 7, LARGE);
  ends[0]!();
  admit(limits, null, LARGE);
});

it('counts an IPv6 client by its network', () => {
  const limits = new RequestLimits(32 * MIB);
  admit(limits, null, LARGE, '2001:db8::1');
  expect(() => admit(limits, null, LARGE, '2001:db8::2')).toThrow(Overloaded);
  admit(limits, null, LARGE, '2001:db8:1::1');
});

it('processes a mebibyte of one company at a time, beside that of another', async () => {
  const limits = new RequestLimits();
  const began: string[] = [];
  const process = async (company: number, name: string) => {
    const end = await limits.processBody(company, MIB);
    began.push(name);
    return end!;
  };
  const first = await process(1, 'a1');
  const second = process(1, 'a2');
  const other = await process(2, 'b1');
  const waiting = process(2, 'b2');
  expect(limits.processBody(1, 1_000)).toBeNull();
  other();
  (await waiting)();
  expect(began).toEqual(['a1', 'b1', 'b2']);
  first();
  (await second)();
  const small = await Promise.all(Array.from({ length: 8 }, () => limits.processBody(1, 128 * 1024)));
  expect(small).toHaveLength(8);
});

it('lets the event loop serve others between two large bodies', async () => {
  const limits = new RequestLimits();
  const end = await limits.processBody(1, MIB)!;
  const order: string[] = [];
  const second = limits.processBody(1, MIB)!.then(() => order.push('second'));
  setImmediate(() => order.push('others'));
  end();
  await second;
  expect(order).toEqual(['others', 'second']);
});

it('refuses large bodies of a company while twenty wait', async () => {
  const limits = new RequestLimits();
  await limits.processBody(1, MIB);
  for (let n = 0; n < 20; n++) void limits.processBody(1, MIB)!.catch(() => {});
  await expect(limits.processBody(1, MIB)).rejects.toMatchObject({ retryAfter: 2 });
  await limits.processBody(2, MIB);
});

it('streams two responses of a company and eight in all', () => {
  const limits = new RequestLimits();
  const hold = limits.beginStream(1);
  limits.beginStream(1);
  const refusal = expect.objectContaining({ code: 'rate_limited', details: { retry_after: 5 } });
  expect(() => limits.beginStream(1)).toThrow(refusal);
  for (const company of [2, 2, 3, 3, 4, 4]) limits.beginStream(company);
  expect(() => limits.beginStream(5)).toThrow(refusal);
  hold.release();
  hold.release();
  limits.beginStream(5);
  expect(() => limits.beginStream(1)).toThrow(refusal);
});
