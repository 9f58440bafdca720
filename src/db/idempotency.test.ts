import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, IdempotencyTicket } from '../caller.ts';
import { AppError } from '../errors.ts';
import { anotherApp } from '../testing/another-app.ts';
import { type TestCompany, type TestResponse, testServer } from '../testing/harness.ts';
import { useThings } from '../testing/probe.ts';
import { allSlices } from '../work/slices.ts';
import { createDb } from './create-db.ts';
import { Replayed, write, writeForInstallation } from './idempotency.ts';
import type { Db } from './pool.ts';
import { sql } from './sql.ts';
import { KEPT_MS, purgeResponses } from './stored-responses.ts';

const server = testServer({ impatient: true });
useThings(server);
let shop: TestCompany;

beforeAll(async () => {
  shop = await server.company();
});

let keys = 0;
const freshKey = (): string => `key-${++keys}`;
const post = (body: unknown, key: string, path = '/things') =>
  shop.commerce('POST', path, body, { 'idempotency-key': key });
const things = async (name: string): Promise<number> =>
  (await server.rows('select 1 from things where name = $1', [name])).length;
const stored = async (key: string): Promise<number> =>
  (await server.rows('select 1 from idempotency_keys where key = $1', [key])).length;
const replayed = (response: TestResponse): boolean => response.headers.get('idempotent-replayed') === 'true';

/** The bytes of a response, without what differs for each response. */
async function bytes(path: string, raw: string, key: string) {
  const headers = { 'content-type': 'application/json', 'x-api-key': shop.key, 'idempotency-key': key };
  const response = await fetch(`${server.origin}/commerce/v1${path}`, { method: 'POST', body: raw, headers });
  return {
    status: response.status,
    replayed: response.headers.get('idempotent-replayed'),
    text: await response.text(),
  };
}

describe('an Idempotency-Key', () => {
  it('gives the same bytes for the same request, and the write happens once', async () => {
    const key = freshKey();
    const first = await bytes('/things', '{"name":"once"}', key);
    expect(first).toMatchObject({ status: 201, replayed: null });
    for (let i = 0; i < 3; i++) {
      expect(await bytes('/things', '{"name":"once"}', key)).toEqual({ ...first, replayed: 'true' });
    }
    expect(await things('once')).toBe(1);
  });

  it.each([
    ['body', '/things', '{"name":"reused "}'],
    ['path', '/things/7/poke', '{"name":"reused"}'],
    ['query', '/things?a=1', '{"name":"reused"}'],
  ])('with another %s is refused', async (_what, path, raw) => {
    const key = freshKey();
    await bytes('/things', '{"name":"reused"}', key);
    const response = await bytes(path, raw, key);
    expect(response).toMatchObject({ status: 422, replayed: null });
    expect(response.text).toContain('"reason":"idempotency_key_reused"');
    expect((await bytes('/things', '{"name":"reused"}', key)).replayed).toBe('true');
    const marketing = await shop.marketing('POST', '/things', { name: 'reused' }, { 'idempotency-key': key });
    expect([marketing.status, marketing.body.error]).toEqual([400, 'bad_request']);
  });

  it('belongs to its company', async () => {
    const other = await server.company();
    const key = freshKey();
    await post({ name: 'theirs' }, key);
    const response = await other.commerce('POST', '/things', { name: 'theirs' }, { 'idempotency-key': key });
    expect([response.status, replayed(response)]).toEqual([201, false]);
    expect(await things('theirs')).toBe(2);
  });

  it('is kept for 24 hours, then forgotten', async () => {
    const key = freshKey();
    await post({ name: 'daily' }, key);
    server.clock.advance(KEPT_MS - 1);
    expect(replayed(await post({ name: 'daily' }, key))).toBe(true);
    server.clock.advance(1);
    const again = await post({ name: 'other' }, key);
    expect([again.status, replayed(again)]).toEqual([201, false]);
    expect(replayed(await post({ name: 'other' }, key))).toBe(true);
    server.clock.advance(KEPT_MS);
    expect(await allSlices(purgeResponses(server.app.db, server.clock))).toBeGreaterThan(0);
    expect(await stored(key)).toBe(0);
  });

  it('keeps a definite refusal: of the write, the fields, the path', async () => {
    for (const [body, path, status] of [
      [{ name: 'refused', mode: 'refuse' }, '/things', 422],
      [{ name: '' }, '/things', 422],
      [{}, '/things/abc/poke', 404],
    ] as const) {
      const key = freshKey();
      const first = await post(body, key, path);
      const second = await post(body, key, path);
      expect([path, first.status, replayed(first)]).toEqual([path, status, false]);
      expect([path, second.status, replayed(second)]).toEqual([path, status, true]);
      expect(second.body).toEqual(first.body);
    }
    expect(await things('refused')).toBe(0);
  });

  it('stores nothing for a failure, so that the next attempt does the write', async () => {
    const key = freshKey();
    const failed = await post({ name: 'broken', mode: 'break' }, key);
    expect(failed.status).toBe(500);
    expect([await stored(key), await things('broken')]).toEqual([0, 0]);
    expect((await post({ name: 'broken' }, key)).status).toBe(201);
  });

  it('replays the response when the process broke after COMMIT', async () => {
    const key = freshKey();
    expect((await post({ name: 'late', mode: 'late' }, key)).status).toBe(500);
    const again = await post({ name: 'late', mode: 'late' }, key);
    expect([again.status, replayed(again), again.body.data.name]).toEqual([201, true, 'late']);
    expect(await things('late')).toBe(1);
  });

  it('keeps nothing of 401, 403 and 429', async () => {
    const reader = await server.company({ scopes: ['products:read'] });
    const small = await server.company({ requestsPerHour: 1 });
    const key = freshKey();
    const header = { 'idempotency-key': key };
    await small.commerce('GET', '/things');
    const responses = [
      await server.request('POST', '/commerce/v1/things', { body: {}, headers: header }),
      await reader.commerce('POST', '/things', {}, header),
      await small.commerce('POST', '/things', {}, header),
    ];
    expect(responses.map((response) => response.status)).toEqual([401, 403, 429]);
    expect(await stored(key)).toBe(0);
  });

  it('does concurrent twins once and gives them one response', async () => {
    const key = freshKey();
    const responses = await Promise.all(Array.from({ length: 12 }, () => post({ name: 'twin', mode: 'slow' }, key)));
    expect(new Set(responses.map((response) => response.status))).toEqual(new Set([201]));
    expect(new Set(responses.map((response) => JSON.stringify(response.body))).size).toBe(1);
    expect(responses.filter(replayed)).toHaveLength(11);
    expect(await things('twin')).toBe(1);
  });

  it('does twins in two processes once', async () => {
    const other = await anotherApp(server);
    try {
      const key = freshKey();
      const headers = { 'content-type': 'application/json', 'x-api-key': shop.key, 'idempotency-key': key };
      const body = JSON.stringify({ name: 'far twin', mode: 'slow' });
      const sent = [server.origin, other.origin, server.origin, other.origin].map((origin) =>
        fetch(`${origin}/commerce/v1/things`, { method: 'POST', headers, body }).then((response) => response.text()),
      );
      expect(new Set(await Promise.all(sent)).size).toBe(1);
      expect(await things('far twin')).toBe(1);
    } finally {
      await other.stop();
    }
  });

  it('lets no crowd of twins hold up the others', async () => {
    const key = freshKey();
    const twins = Array.from({ length: 40 }, () => post({ name: 'crowd', mode: 'slow' }, key));
    await expect
      .poll(() =>
        server.rows("select 1 from pg_stat_activity where query = 'select pg_sleep(0.4)' and state = 'active'"),
      )
      .toHaveLength(1);
    const began = performance.now();
    expect((await shop.commerce('POST', '/things', { name: 'passer-by' })).status).toBe(201);
    expect(performance.now() - began).toBeLessThan(300);
    await Promise.all(twins);
  });

  it.each(['', ' '.repeat(3), 'x'.repeat(256), 'ä', 'a\tb'])('of %j is a bad request', async (key) => {
    // A client trims white space, so the empty key arrives.
    const response = await post({ name: 'bad key' }, key);
    expect([key, response.status]).toEqual([key, 400]);
  });

  it.each(['x'.repeat(255), '~ !"#', "';drop table things"])('of %j is taken', async (key) => {
    expect((await post({ name: 'good key' }, key)).status).toBe(201);
    expect(replayed(await post({ name: 'good key' }, key))).toBe(true);
  });

  it('means nothing on a GET', async () => {
    const headers = { 'idempotency-key': freshKey() };
    const responses = [await shop.commerce('GET', '/things/999', undefined, headers)];
    responses.push(await shop.commerce('GET', '/things', undefined, headers));
    expect(responses.map((response) => [response.status, replayed(response)])).toEqual([
      [404, false],
      [200, false],
    ]);
  });
});

describe('write', () => {
  let impatient: Db;
  beforeAll(() => {
    impatient = createDb({ connection: server.connection, lockTimeoutMs: 300 });
  });
  afterAll(() => impatient.close());

  const ticketOf = (key: string): IdempotencyTicket => ({
    key,
    sentBy: 1,
    requestHash: Buffer.alloc(32),
    render: (result) => ({ status: 201, body: JSON.stringify(result) }),
    renderError: (error) => ({ status: 422, body: error.code }),
    stored: false,
  });
  const callerWith = (key: string): Caller => ({
    companyId: shop.company_id,
    actor: 'key:test',
    requestId: 'r',
    now: server.clock.now(),
    idempotency: ticketOf(key),
  });

  it('says that the first is still running when it does not end in time', async () => {
    const key = freshKey();
    let finish = (): void => {};
    const running = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = write(server.app.db, callerWith(key), async () => {
      await running;
      return 'first';
    });
    await expect
      .poll(() =>
        server.rows(
          `select 1 from pg_locks l join pg_database d on d.oid = l.database
           where d.datname = current_database() and l.locktype = 'advisory' and l.granted`,
        ),
      )
      .not.toEqual([]);
    const second = write(impatient, callerWith(key), async () => 'second');
    await expect(second).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    finish();
    await expect(first).resolves.toBe('first');
    const third = write(impatient, callerWith(key), async () => 'third');
    await expect(third).rejects.toMatchObject({ response: { status: 201, body: '"first"' } });
    await expect(third).rejects.toThrow(Replayed);
  });

  it('takes no connection for a request behind one with its key, also after an earlier one of them has ended', async () => {
    const key = freshKey();
    let began = 0;
    const counting: Db = Object.create(server.app.db, {
      tenantTx: {
        value: (...given: Parameters<Db['tenantTx']>) => {
          began++;
          return server.app.db.tenantTx(...given);
        },
      },
    });
    const ends = [1, 2].map(() => Promise.withResolvers<'breaks' | 'second'>());
    const twins = ends.map(({ promise }) =>
      write(counting, callerWith(key), async () => {
        if ((await promise) === 'breaks') throw new Error('broken');
        return 'second';
      }),
    );
    expect(began).toBe(1);
    ends[0]!.resolve('breaks');
    await expect(twins[0]).rejects.toThrow('broken');
    await expect.poll(() => began).toBe(2);
    const last = write(counting, callerWith(key), async () => 'last');
    expect(began).toBe(2);
    ends[1]!.resolve('second');
    expect(await twins[1]).toBe('second');
    await expect(last).rejects.toThrow(Replayed);
  });

  it('leaves the audit log entry of an installation write to its transaction', async () => {
    const around: string[] = [];
    const audit = {
      recorded: false,
      async around<T>(_tx: unknown, work: () => Promise<T>): Promise<T> {
        const result = await work();
        around.push(String(result));
        return result;
      },
    };
    const caller: Caller = { ...callerWith(freshKey()), idempotency: null, audit };
    expect(await writeForInstallation(server.app.db, caller, async () => 'ended')).toBe('ended');
    expect([around, audit.recorded]).toEqual([['ended'], true]);
  });

  it('stores a refusal and rolls back the writes', async () => {
    const caller = callerWith(freshKey());
    const refused = write(server.app.db, caller, async (tx) => {
      await tx.query(sql`insert into things (company_id, name, kind) values (1, 'undone', 'round')`);
      throw new AppError('duplicate', 'no');
    });
    await expect(refused).rejects.toMatchObject({ code: 'duplicate' });
    expect(caller.idempotency!.stored).toBe(true);
    expect(await things('undone')).toBe(0);
    expect(await stored(caller.idempotency!.key)).toBe(1);
  });

  it('commits the write and its response together or neither', async () => {
    const caller = callerWith(freshKey());
    caller.idempotency!.render = () => {
      throw new TypeError('cannot be shown');
    };
    const failed = write(server.app.db, caller, (tx) =>
      tx.query(sql`insert into things (company_id, name, kind) values (1, 'unseen', 'round')`),
    );
    await expect(failed).rejects.toThrow(TypeError);
    expect(caller.idempotency!.stored).toBe(false);
    expect([await things('unseen'), await stored(caller.idempotency!.key)]).toEqual([0, 0]);
  });
});
