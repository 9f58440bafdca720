import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, workerCaller } from '../../../caller.ts';
import { createDb } from '../../../db/create-db.ts';
import type { Db } from '../../../db/pool.ts';
import { AppError } from '../../../errors.ts';
import { checkInvariants } from '../../../invariants.ts';
import { INITIAL_BY_API } from '../../../recipients/consent.ts';
import { type TestCompany, testServer } from '../../../testing/harness.ts';
import { rounds } from '../../../testing/random/seed.ts';
import { recordStatements, type SentStatement } from '../../../testing/statements.ts';
import type { ContactInput } from '../contact-schema.ts';
import { contactInvariants } from '../invariants.ts';
import { type ContactsService, createContactsService, resolveContacts } from '../service.ts';
import { changeContacts } from './events-and-flows.ts';

/** A simple model of the upsert contract, with which the tests compare the implementation. */
interface ModelInput {
  external_id?: string;
  email?: string;
  phone?: string;
  first_name?: string;
  tags?: string[];
}

interface ModelContact {
  external_id: string | null;
  email: string | null;
  phone: string | null;
  first_name: string | null;
  tags: string[];
}

type ModelOutcome = 'conflict' | (ModelContact & { created: boolean });

const FIELDS = ['external_id', 'email', 'phone', 'first_name'] as const;

/** Applies the upsert to `contacts` and returns its outcome. */
function upsertModel(contacts: Set<ModelContact>, input: ModelInput): ModelOutcome {
  const holder = (field: 'external_id' | 'email' | 'phone') =>
    input[field] === undefined ? undefined : [...contacts].find((contact) => contact[field] === input[field]);
  const [winner, ...losers] = new Set(
    [holder('external_id'), holder('email'), holder('phone')].filter((one) => one !== undefined),
  );
  if (losers.some((loser) => loser.external_id !== null)) return 'conflict';
  const contact = winner ?? { external_id: null, email: null, phone: null, first_name: null, tags: [] };
  contacts.add(contact);
  for (const loser of losers) {
    contacts.delete(loser);
    for (const field of FIELDS) contact[field] ??= loser[field];
    contact.tags = [...new Set([...contact.tags, ...loser.tags])];
  }
  for (const field of FIELDS) contact[field] = input[field] ?? contact[field];
  contact.tags = [...new Set([...contact.tags, ...(input.tags ?? [])])];
  return { ...contact, created: winner === undefined };
}

/** All orders of the items. */
function* permutations<T>(items: T[]): Generator<T[]> {
  if (items.length < 2) yield items;
  for (const [i, item] of items.entries()) {
    for (const rest of permutations(items.toSpliced(i, 1))) yield [item, ...rest];
  }
}

const server = testServer();
let shop: TestCompany;
let caller: Caller;
/** Stand for two more server processes on the same database. */
const processes: { db: Db; contacts: ContactsService }[] = [];

beforeAll(async () => {
  shop = await server.company();
  caller = workerCaller(shop.company_id, 'test', server.clock.now());
  for (let i = 0; i < 2; i++) {
    const db = createDb({ connection: server.connection });
    const { suppressions } = server.app.messaging;
    processes.push({ db, contacts: createContactsService({ db, countryOf: async () => 'US', suppressions }) });
  }
});
afterAll(async () => {
  await Promise.all(processes.map(({ db }) => db.close()));
});

describe('simultaneous upserts of one key', () => {
  test('20 of one process create one contact and lose nothing', async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        shop.marketing('POST', '/contacts', {
          email: 'one@example.com',
          tags: [`t${i}`],
          properties: { [`p${i}`]: i },
        }),
      ),
    );
    expect(responses.filter((response) => response.status === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.status === 200)).toHaveLength(19);
    const [contact, ...others] = await server.rows<{ tags: string[]; properties: object }>(
      "select tags, properties from contacts where email = 'one@example.com'",
    );
    expect(others).toEqual([]);
    expect(contact!.tags.sort()).toEqual(Array.from({ length: 20 }, (_, i) => `t${i}`).sort());
    expect(Object.keys(contact!.properties)).toHaveLength(20);
  });

  test('60 of two processes, by different keys of the same person, create one contact and lose nothing', async () => {
    const keys = [
      { external_id: 'p', email: 'two@example.com' },
      { email: 'two@example.com', phone: '+12133734253' },
      { external_id: 'p', phone: '+12133734253' },
    ];
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        processes[i % 2]!.contacts.upsert(caller, { ...keys[i % 3], tags: [`t${i}`] }),
      ),
    );
    const rows = await server.rows<{ tags: string[] }>(
      "select tags from contacts where external_id = 'p' or email = 'two@example.com' or phone = '+12133734253'",
    );
    expect(rows).toHaveLength(1);
    expect(new Set(rows[0]!.tags).size).toBe(60);
  });

  test('bulk upserts of two processes with the same contacts in opposite order do not deadlock', async () => {
    const people = Array.from({ length: 150 }, (_, i) => ({ email: `cross${i}@example.com`, externalId: `cross${i}` }));
    const before = performance.now();
    for (let round = 0; round < 4; round++) {
      const named = people.map((person) => ({ ...person, firstName: `round ${round}` }));
      const both = processes.map(({ db }, i) =>
        db.tx((tx) =>
          resolveContacts(tx, shop.company_id, i === 0 ? named : named.toReversed(), caller.now, {
            suppressions: server.app.messaging.suppressions,
            initialOf: () => INITIAL_BY_API,
          }),
        ),
      );
      const [one, other] = await Promise.all(both);
      expect(one!.map((item) => item.ok && item.value.contactId)).toEqual(
        other!.toReversed().map((item) => item.ok && item.value.contactId),
      );
    }
    // After a deadlock it would take a second until the database detected it.
    expect(performance.now() - before).toBeLessThan(4_000);
    const [{ n }] = (await server.rows<{ n: number }>(
      "select count(*)::int as n from contacts where external_id like 'cross%'",
    )) as [{ n: number }];
    expect(n).toBe(150);
  });

  test('a change by id and an upsert by key of the same contact both count', async () => {
    const { contact_id: id } = (await shop.marketing('POST', '/contacts', { external_id: 'both' })).body;
    await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        i % 2 === 0
          ? processes[0]!.contacts.upsert(caller, { external_id: 'both', properties: { [`p${i}`]: i } })
          : processes[1]!.db.tx((tx) =>
              changeContacts(
                tx,
                shop.company_id,
                [{ contactId: Number(id), set: { properties: { [`p${i}`]: i } } }],
                caller.now,
              ),
            ),
      ),
    );
    expect(Object.keys((await shop.marketing('GET', `/contacts/${id}`)).body.properties)).toHaveLength(30);
  });
});

describe('the cost of upserts', () => {
  const upsert = (input: ContactInput) => processes[0]!.contacts.upsert(caller, input);
  const turnsOf = (sent: SentStatement[]): number => Math.max(...sent.map((statement) => statement.turn));

  test('an existing contact takes at most two round trips, a new one three', async () => {
    const body = { email: 'cost@example.com', external_id: 'cost' };
    await upsert(body);
    expect(turnsOf(await recordStatements(() => upsert({ ...body, tags: ['t'] })))).toBeLessThanOrEqual(2);
    expect(turnsOf(await recordStatements(() => upsert({ email: 'cost-more@example.com' })))).toBeLessThanOrEqual(3);
  });

  test('simultaneous upserts share statements', async () => {
    const sent = await recordStatements(() =>
      Promise.all(Array.from({ length: 40 }, (_, i) => upsert({ email: `many${i}@example.com`, tags: ['t'] }))),
    );
    expect(sent.length).toBeLessThan(40);
  });

  test('500 known contacts are found in one round trip and without row locks', async () => {
    const people = Array.from({ length: 500 }, (_, i) => ({ email: `known${i}@example.com`, externalId: `known${i}` }));
    const { db } = processes[0]!;
    const resolve = () =>
      db.tx((tx) =>
        resolveContacts(tx, shop.company_id, people, caller.now, {
          suppressions: server.app.messaging.suppressions,
          initialOf: () => INITIAL_BY_API,
        }),
      );
    await resolve();
    const sent = await recordStatements(resolve);
    expect(sent.map(({ text }) => text).filter((text) => /\b(update|insert)\b/i.test(text))).toEqual([]);
    expect(sent.length).toBeLessThan(6);
  });
});

const input: fc.Arbitrary<ModelInput> = fc
  .record(
    {
      external_id: fc.constantFrom('x1', 'x2', 'x3'),
      email: fc.constantFrom('a@example.com', 'b@example.com', 'c@example.com'),
      phone: fc.constantFrom('+12133734253', '+12133734254'),
      first_name: fc.constantFrom('Ann', 'Ben'),
      tags: fc.subarray(['t', 'u', 'v']),
    },
    { requiredKeys: [] },
  )
  .filter((one) => one.external_id !== undefined || one.email !== undefined || one.phone !== undefined);

const shown = ({ external_id, email, phone, first_name, tags }: ModelContact): ModelContact => ({
  external_id,
  email,
  phone,
  first_name,
  tags,
});

async function stored(companyId: number): Promise<string> {
  const rows = await server.rows<ModelContact>(
    'select external_id, email, phone, first_name, tags from contacts where company_id = $1',
    [companyId],
  );
  return canonical(rows);
}

function canonical(contacts: Iterable<ModelContact>): string {
  return JSON.stringify([...contacts].map((contact) => JSON.stringify(shown(contact))).sort());
}

describe('upserts and their model', () => {
  test('a batch has the result of its upserts one after the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(input, { minLength: 1, maxLength: 25 }), async (inputs) => {
        const company = await server.company();
        const { body } = await company.marketing('POST', '/contacts/batch', { contacts: inputs });
        const contacts = new Set<ModelContact>();
        const expected = inputs.map((one) => upsertModel(contacts, one));
        expect(
          body.results.map((result: { created?: boolean; error?: string }) => result.created ?? 'conflict'),
        ).toEqual(expected.map((outcome) => (outcome === 'conflict' ? 'conflict' : outcome.created)));
        expect(await stored(company.company_id)).toBe(canonical(contacts));
      }),
      { numRuns: rounds(15, 60) },
    );
  });

  test('simultaneous upserts of two processes have the result and responses of some order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { maxLength: 2 }),
        fc.array(input, { minLength: 2, maxLength: 5 }),
        async (before, inputs) => {
          const company = await server.company();
          const by = workerCaller(company.company_id, 'test', server.clock.now());
          const contacts = new Set<ModelContact>();
          for (const one of before) {
            upsertModel(contacts, one);
            await processes[0]!.contacts.upsert(by, one).catch(() => {});
          }
          const outcomes = await Promise.all(
            inputs.map((one, i) => processes[i % 2]!.contacts.upsert(by, one).then(outcomeOf, refusalOf)),
          );
          const end = await stored(company.company_id);
          const start = [...contacts];
          const orders = [...permutations(inputs.map((one, i) => ({ one, response: JSON.stringify(outcomes[i]) })))];
          const explained = orders.some((order) => {
            const model = new Set(start.map((contact) => ({ ...contact })));
            return (
              order.every(({ one, response }) => JSON.stringify(upsertModel(model, one)) === response) &&
              canonical(model) === end
            );
          });
          expect(explained).toBe(true);
        },
      ),
      { numRuns: rounds(20, 80) },
    );
  });
});

function outcomeOf(response: ModelContact & { created: boolean }): ModelOutcome {
  return { ...shown(response), created: response.created };
}

function refusalOf(error: unknown): ModelOutcome {
  if (error instanceof AppError && error.code === 'contact_conflict') return 'conflict';
  throw error;
}

test('the invariants hold after all of these tests', async () => {
  const broken = (await checkInvariants(server.app.db, contactInvariants)).filter((finding) => !finding.ok);
  expect(broken).toEqual([]);
});
