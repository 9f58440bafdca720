import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { Overloaded } from '../../errors.ts';
import { BodyBudget } from './body-budget.ts';

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

const takes = (budget: BodyBudget, company: number, headers: Record<string, string>, ip?: string) => {
  const { request, reply, end } = asked(headers, ip);
  budget.take(request, reply, company, MIB);
  return end;
};
const LARGE = { 'content-length': String(MIB) };

it('gives one company half of the memory for bodies, until the responses are sent', () => {
  const budget = new BodyBudget(8 * MIB);
  const ends = Array.from({ length: 4 }, () => takes(budget, 1, LARGE));
  expect(() => takes(budget, 1, LARGE)).toThrow(Overloaded);
  takes(budget, 2, LARGE);
  ends[0]!();
  takes(budget, 1, LARGE);
});

it('refuses everybody once all of it is used, counts an unknown length as the limit, and lets small bodies through', () => {
  const budget = new BodyBudget(4 * MIB);
  for (const company of [1, 1, 2, 2]) takes(budget, company, { 'transfer-encoding': 'chunked' });
  expect(() => takes(budget, 3, LARGE)).toThrow(Overloaded);
  takes(budget, 3, { 'content-length': '900' });
  takes(budget, 3, {});
});

it('gives the share of a request back at once whose client has gone before it is taken', () => {
  const budget = new BodyBudget(2 * MIB);
  for (let n = 0; n < 3; n++) {
    const { request } = asked(LARGE);
    const raw = Object.assign(new EventEmitter(), { destroyed: true, closed: true });
    budget.take(request, { raw } as unknown as FastifyReply, 1, MIB);
  }
  takes(budget, 1, LARGE);
});

it('gives one network a part of what requests have whose company is not known', () => {
  const budget = new BodyBudget(32 * MIB);
  const ends = [takes(budget, 0, LARGE), takes(budget, 0, LARGE)];
  expect(() => takes(budget, 0, LARGE)).toThrow(Overloaded);
  takes(budget, 0, LARGE, '192.0.2.2');
  // A company's own requests are not counted by where they come from.
  for (let n = 0; n < 10; n++) takes(budget, 7, LARGE);
  ends[0]!();
  takes(budget, 0, LARGE);
});

it('counts an IPv6 client by its network', () => {
  const budget = new BodyBudget(16 * MIB);
  takes(budget, 0, LARGE, '2001:db8::1');
  expect(() => takes(budget, 0, LARGE, '2001:db8::2')).toThrow(Overloaded);
  takes(budget, 0, LARGE, '2001:db8:1::1');
});
