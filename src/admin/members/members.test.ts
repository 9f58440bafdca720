import { describe, expect, test } from 'vitest';
import { testServer } from '../../testing/harness.ts';
import { stranger, type TestPerson, testPerson } from '../../testing/people.ts';

const server = testServer();
const PASSWORD = 'a long enough secret';

async function shopWithOwner() {
  const shop = await server.company();
  const company = shop.company_id;
  return { shop, company, owner: await testPerson(server, { [company]: 'owner' }) };
}

describe('invitations', () => {
  test('make a member with an account of their own, once', async () => {
    const { company, owner } = await shopWithOwner();
    const email = `invited-${company}@example.com`;
    const invited = await owner.ask('POST', `/${company}/invitations`, { email, role: 'manager' });
    expect(invited.status).toBe(201);
    const token = new URL(invited.body.url).searchParams.get('token')!;
    expect((await owner.ask('GET', `/${company}/invitations`)).body.invitations).toMatchObject([{ email }]);
    const browser = stranger(server);
    const look = await browser.ask('POST', '/links/look', { token });
    expect(look.body).toEqual({ kind: 'invitation', email, company: 'Test shop' });
    const joined = await browser.ask('POST', '/links/use', { token, name: 'Grace', password: PASSWORD });
    expect(joined.body.companies).toMatchObject([{ id: company, role: 'manager' }]);
    expect((await stranger(server).ask('POST', '/links/use', { token, name: 'X', password: PASSWORD })).status).toBe(
      401,
    );
    const { entries } = (await owner.ask('GET', `/${company}/audit?action=member.`)).body;
    expect(entries).toMatchObject([
      { action: 'member.create', actor_name: 'Grace', details: { role: 'manager', invited_by: `admin:${owner.id}` } },
    ]);
  });

  test('do not give the holder of the link access to an existing account', async () => {
    const { company, owner } = await shopWithOwner();
    const other = await testPerson(server, {});
    const { body } = await owner.ask('POST', `/${company}/invitations`, { email: other.email, role: 'viewer' });
    const token = new URL(body.url).searchParams.get('token')!;
    const taken = await stranger(server).ask('POST', '/links/use', { token, name: 'Thief', password: PASSWORD });
    expect(taken.status).toBe(401);
    const joined = await other.ask('POST', '/links/use', { token });
    expect(joined.body).toMatchObject({ person: { id: other.id }, companies: [{ id: company, role: 'viewer' }] });
  });

  test('end after seven days, and when they are taken back', async () => {
    const { company, owner } = await shopWithOwner();
    const tokens = [];
    for (const email of ['late@example.com', 'back@example.com']) {
      const { body } = await owner.ask('POST', `/${company}/invitations`, { email, role: 'viewer' });
      tokens.push([body.id, new URL(body.url).searchParams.get('token')]);
    }
    expect((await owner.ask('DELETE', `/${company}/invitations/${tokens[1]![0]}`)).status).toBe(200);
    expect((await stranger(server).ask('POST', '/links/look', { token: tokens[1]![1] })).status).toBe(401);
    server.clock.advance(7 * 86_400_000);
    expect((await stranger(server).ask('POST', '/links/look', { token: tokens[0]![1] })).status).toBe(401);
  });
});

describe('open invitations', () => {
  test('are twenty at most', async () => {
    const { company, owner } = await shopWithOwner();
    const invite = (n: number) =>
      owner.ask('POST', `/${company}/invitations`, { email: `many-${n}-${company}@example.com`, role: 'viewer' });
    const statuses = [];
    for (let n = 0; n < 20; n++) statuses.push((await invite(n)).status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const more = await invite(20);
    expect([more.status, more.body.details[0]]).toEqual([
      ...[400, { field: 'email', message: 'There are 20 open invitations: withdraw one first' }],
    ]);
    const { invitations } = (await owner.ask('GET', `/${company}/invitations`)).body;
    expect((await owner.ask('DELETE', `/${company}/invitations/${invitations[0].id}`)).status).toBe(200);
    expect((await invite(21)).status).toBe(201);
  });

  test('are fifty a day at most, also where they are taken back', async () => {
    const { company, owner } = await shopWithOwner();
    const statuses = [];
    for (let n = 0; n < 51; n++) {
      const email = `cycle-${n}-${company}@example.com`;
      const { status, body } = await owner.ask('POST', `/${company}/invitations`, { email, role: 'viewer' });
      statuses.push(status);
      if (status === 201) await owner.ask('DELETE', `/${company}/invitations/${body.id}`);
    }
    expect(statuses).toEqual([...Array(50).fill(201), 429]);
  });

  test.each([
    ['is removed', (owner: TestPerson, path: string) => owner.ask('DELETE', path)],
    ['loses the role', (owner: TestPerson, path: string) => owner.ask('PATCH', path, { role: 'manager' })],
  ])('end when the owner who invited %s', async (_name, leave) => {
    const { company, owner } = await shopWithOwner();
    const second = await testPerson(server, { [company]: 'owner' });
    const email = `back-door-${company}@example.com`;
    const { body } = await second.ask('POST', `/${company}/invitations`, { email, role: 'owner' });
    const kept = await owner.ask('POST', `/${company}/invitations`, { email: `kept-${email}`, role: 'viewer' });
    expect((await leave(owner, `/${company}/members/${second.id}`)).status).toBe(200);
    const { invitations } = (await owner.ask('GET', `/${company}/invitations`)).body;
    expect(invitations).toMatchObject([{ id: kept.body.id }]);
    const token = new URL(body.url).searchParams.get('token')!;
    const given = { token, name: 'Back', password: PASSWORD };
    expect((await stranger(server).ask('POST', '/links/use', given)).status).toBe(401);
  });

  test('are void when the inviter may no longer invite, for whatever reason', async () => {
    const { company, owner } = await shopWithOwner();
    const email = `late-${company}@example.com`;
    const { body } = await owner.ask('POST', `/${company}/invitations`, { email, role: 'owner' });
    await server.rows("update members set role = 'viewer' where company_id = $1", [company]);
    const token = new URL(body.url).searchParams.get('token')!;
    expect((await stranger(server).ask('POST', '/links/look', { token })).status).toBe(401);
  });
});

describe('members', () => {
  test('are listed, get another role, and lose their permissions at once', async () => {
    const { company, owner } = await shopWithOwner();
    const clerk = await testPerson(server, { [company]: 'viewer' });
    expect((await owner.ask('GET', `/${company}/members`)).body.members).toHaveLength(2);
    expect((await clerk.ask('POST', `/${company}/products`, { name: 'Mug', price: 5 })).status).toBe(403);
    const changed = await owner.ask('PATCH', `/${company}/members/${clerk.id}`, { role: 'fulfilment' });
    expect(changed.body.role).toBe('fulfilment');
    const { id } = (await owner.ask('POST', `/${company}/products`, { name: 'Mug', price: 5 })).body.data;
    const adjusted = { delta: 3, reason: 'found' };
    expect((await clerk.ask('POST', `/${company}/products/${id}/inventory/adjust`, adjusted)).status).toBe(200);
    expect((await owner.ask('DELETE', `/${company}/members/${clerk.id}`)).status).toBe(200);
    expect((await clerk.ask('GET', `/${company}/products`)).status).toBe(404);
    const { entries } = (await owner.ask('GET', `/${company}/audit?target=person:${clerk.id}`)).body;
    expect(entries).toMatchObject([
      { action: 'member.delete', actor: `admin:${owner.id}`, before: { role: 'fulfilment' } },
      { action: 'member.update', details: { role: 'fulfilment' }, before: { role: 'viewer' } },
    ]);
  });

  test('of fulfilment change no price, and neither erase nor merge customers', async () => {
    const { company, owner } = await shopWithOwner();
    const clerk = await testPerson(server, { [company]: 'fulfilment' });
    const { id } = (await owner.ask('POST', `/${company}/products`, { name: 'Mug', price: 5 })).body.data;
    const customer = (await clerk.ask('POST', `/${company}/customers`, { email: 'kept@example.com' })).body.data.id;
    const statuses = [
      await clerk.ask('PATCH', `/${company}/products/${id}`, { price: 0.01 }),
      await clerk.ask('DELETE', `/${company}/customers/${customer}`),
      await clerk.ask('POST', `/${company}/customers/${customer}/merge`, { from: customer }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 403]);
    expect((await clerk.ask('PATCH', `/${company}/customers/${customer}`, { first_name: 'Kay' })).status).toBe(200);
  });

  test('have sessions that only an owner sees and ends, at once', async () => {
    const { company, owner } = await shopWithOwner();
    const elsewhere = await shopWithOwner();
    const clerk = await testPerson(server, { [company]: 'manager', [elsewhere.company]: 'viewer' });
    const path = `/${company}/members/${clerk.id}/sessions`;
    const { sessions } = (await owner.ask('GET', path)).body;
    expect(sessions).toMatchObject([{ id: expect.any(Number), current: false, last_seen_at: expect.any(String) }]);
    expect(Object.keys(sessions[0]).sort()).toEqual([
      ...['address', 'created_at', 'current', 'id', 'last_seen_at', 'user_agent'],
    ]);
    for (const method of ['GET', 'DELETE'])
      expect((await clerk.ask(method, `/${company}/members/${owner.id}/sessions`)).status).toBe(403);
    const ended = await owner.ask('DELETE', path);
    expect([ended.status, ended.body]).toEqual([200, { ended: 1 }]);
    expect((await clerk.ask('GET', `/${company}/products`)).status).toBe(401);
    expect((await owner.ask('GET', path)).body).toEqual({ sessions: [] });
    const { entries } = (await owner.ask('GET', `/${company}/audit?action=member.end_sessions`)).body;
    expect(entries).toMatchObject([
      { actor: `admin:${owner.id}`, target: `person:${clerk.id}`, details: { ended: 1 } },
    ]);
    const { entries: theirs } = (
      await elsewhere.owner.ask('GET', `/${elsewhere.company}/audit?action=member.end_sessions`)
    ).body;
    expect(theirs).toMatchObject([{ actor: `admin:${owner.id}`, target: `person:${clerk.id}` }]);
  });

  test('keep the current session when they end their other sessions', async () => {
    const { company, owner } = await shopWithOwner();
    const path = `/${company}/members/${owner.id}/sessions`;
    expect((await owner.ask('GET', path)).body.sessions).toMatchObject([{ current: true }]);
    expect((await owner.ask('DELETE', path)).body).toEqual({ ended: 0 });
    expect((await owner.ask('GET', path)).status).toBe(200);
  });

  test('of another company show no sessions and keep them; ending sessions requires a recent proof', async () => {
    const { company, owner } = await shopWithOwner();
    const other = await shopWithOwner();
    for (const method of ['GET', 'DELETE'])
      expect((await owner.ask(method, `/${company}/members/${other.owner.id}/sessions`)).status).toBe(404);
    expect((await other.owner.ask('GET', `/${other.company}/products`)).status).toBe(200);
    const clerk = await testPerson(server, { [company]: 'viewer' });
    server.clock.advance(15 * 60_000);
    const late = await owner.ask('DELETE', `/${company}/members/${clerk.id}/sessions`);
    expect([late.status, late.body.error]).toEqual([403, 'confirmation_required']);
    expect((await clerk.ask('GET', `/${company}/products`)).status).toBe(200);
  });

  test('keep one owner, even where two leave at once', async () => {
    const { company, owner } = await shopWithOwner();
    const alone = await owner.ask('DELETE', `/${company}/members/${owner.id}`);
    expect([alone.status, alone.body.details[0].message]).toEqual([400, expect.stringContaining('only owner')]);
    const second = await testPerson(server, { [company]: 'owner' });
    const left = await Promise.all([
      owner.ask('PATCH', `/${company}/members/${owner.id}`, { role: 'viewer' }),
      second.ask('PATCH', `/${company}/members/${second.id}`, { role: 'viewer' }),
    ]);
    expect(left.map(({ status }) => status).sort()).toEqual([200, 400]);
  });
});
