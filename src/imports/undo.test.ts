import { beforeEach, describe, expect, test } from 'vitest';
import { settle } from '../erasure/markers.ts';
import { checkInvariants } from '../invariants.ts';
import { type TestBody, type TestCompany, testServer } from '../testing/harness.ts';
import { TestImports } from './testing/imports.ts';

const server = testServer();
let shop: TestCompany;
let imports: TestImports;

beforeEach(async () => {
  shop = await server.company();
  imports = new TestImports(server, shop);
});

const create = async (fields: object): Promise<number> => {
  const { status, body } = await shop.marketing('POST', '/contacts', fields);
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body.contact_id;
};
const contact = async (id: number): Promise<TestBody> => (await shop.marketing('GET', `/contacts/${id}`)).body;

/** Imports a file a minute after everything that was written before. */
async function imported(file: string, options: object = {}): Promise<number> {
  server.clock.advance(60_000);
  const done = await imports.import('csv-contacts', file, { email_consent: 'never', ...options });
  expect(done).toMatchObject({ status: 'done', refused: 0 });
  server.clock.advance(60_000);
  return done.id;
}

async function isSound(): Promise<void> {
  const findings = await checkInvariants(server.app.db);
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
}

describe('an undo of contacts', () => {
  test('keeps a contact whose former phone number or address belongs to another one now', async () => {
    const first = await create({ email: 'a@example.com', phone: '+12133734253', first_name: 'A' });
    const second = await create({ email: 'old@example.com', external_id: 'x1', first_name: 'B' });
    const third = await create({ email: 'c@example.com', first_name: 'C' });
    const id = await imported(
      [
        'email,phone,external id,first name',
        'a@example.com,+12133734254,,Ann',
        'new@example.com,,x1,Bea',
        'c@example.com,,,Cid\n',
      ].join('\n'),
    );
    expect(await contact(second)).toMatchObject({ email: 'new@example.com' });
    await create({ email: 'holder@example.com', phone: '+12133734253' });
    await create({ email: 'old@example.com' });
    expect(await imports.undo(id)).toMatchObject({ status: 'undone', undone: 1, kept: 2 });
    expect(await contact(first)).toMatchObject({ phone: '+12133734254', first_name: 'Ann' });
    expect(await contact(second)).toMatchObject({ email: 'new@example.com', first_name: 'Bea' });
    expect(await contact(third)).toMatchObject({ first_name: 'C' });
    const reasons = (await imports.findings(id, 'undo')).map(({ reason }) => reason.split(' was ')[0]);
    expect(reasons.sort()).toEqual([`contact ${first}`, `contact ${second}`].sort());
    await isSound();
  });

  test('takes back every row of a contact that the file has in two', async () => {
    const id = await create({ email: 'a@example.com', phone: '+12133734253', first_name: 'A' });
    const done = await imported(
      [
        'email,phone,first name',
        'a@example.com,+12133734253,Ann',
        ',+12133734253,Anna',
        'new@example.com,+12133734255,New',
        ',+12133734255,Newer\n',
      ].join('\n'),
    );
    expect(await contact(id)).toMatchObject({ first_name: 'Anna' });
    expect(await imports.undo(done)).toMatchObject({ status: 'undone', kept: 0 });
    expect(await contact(id)).toMatchObject({ first_name: 'A' });
    expect((await shop.marketing('GET', '/contacts?search=new@example.com')).body.contacts).toEqual([]);
    await isSound();
  });

  test('leaves an address unsubscribed that was suppressed since', async () => {
    const id = await create({ email: 'old@example.com', external_id: 'x1', consent: { email: 'subscribed' } });
    const done = await imported('email,external id\nnew@example.com,x1\n');
    const other = await create({ email: 'old@example.com' });
    await shop.marketing('POST', `/contacts/unsubscribe/${other}`, {});
    await shop.marketing('DELETE', `/contacts/${other}`);
    await settle(server);
    expect(await imports.undo(done)).toMatchObject({ undone: 1, kept: 0 });
    expect(await contact(id)).toMatchObject({ email: 'old@example.com', status: 'unsubscribed' });
    await isSound();
  });

  test('goes on after a record that the database refuses', async () => {
    const refused = await create({ email: 'a@example.com', first_name: 'A' });
    const restored = await create({ email: 'b@example.com', first_name: 'B' });
    const id = await imported('email,first name\na@example.com,Ann\nb@example.com,Bea\n');
    await server.rows(`
      create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'taken' using errcode = 'unique_violation'; end $$`);
    await server.rows(`
      create trigger refuse before update on contacts for each row when (new.id = ${refused}) execute function refuse()`);
    try {
      expect(await imports.undo(id)).toMatchObject({ status: 'undone', undone: 1, kept: 1 });
    } finally {
      await server.rows('drop trigger refuse on contacts');
      await server.rows('drop function refuse');
    }
    expect(await contact(refused)).toMatchObject({ first_name: 'Ann' });
    expect(await contact(restored)).toMatchObject({ first_name: 'B' });
    expect(await imports.findings(id, 'undo')).toMatchObject([{ reason: expect.stringContaining(`${refused}`) }]);
  });
});
