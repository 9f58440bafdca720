import { describe, expect, test } from 'vitest';
import type { Role } from '../access/roles.ts';
import { ABSOLUTE_MS, IDLE_MS, issueSignIn, SIGN_IN_MS } from '../access/sessions.ts';
import { testServer } from '../testing/harness.ts';
import { FROM_THE_APP, testPerson } from '../testing/people.ts';

const server = testServer({ impatient: true, config: { trustedProxies: ['127.0.0.1'] } });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const SAME_ORIGIN = { ...FORM, 'sec-fetch-site': 'same-origin' };

function newToken(): Promise<string> {
  return issueSignIn(server.app.db, server.clock.now());
}

async function exchange(token: string, headers: Record<string, string> = SAME_ORIGIN) {
  return server.request('POST', '/admin/sign-in', { raw: `token=${token}`, headers });
}

function cookieOf({ headers }: { headers: Headers }): string {
  return /^tradeloom=([^;]+);/.exec(headers.get('set-cookie')!)![1]!;
}

/** Returns the Cookie header of a new session. */
async function signedIn(): Promise<{ cookie: string }> {
  const response = await exchange(await newToken());
  expect(response.status).toBe(303);
  return { cookie: response.headers.get('set-cookie')!.split(';')[0]! };
}

async function session(headers: Record<string, string>) {
  return server.request('GET', '/admin/api/session', { headers });
}

describe('signing in', () => {
  test('a link shows a button and is not used up; the button signs in', async () => {
    const token = await newToken();
    for (let i = 0; i < 2; i++) {
      const shown = await server.request('GET', `/admin/sign-in?token=${token}`);
      expect(shown.headers.get('set-cookie')).toBeNull();
      const looked = await server.request('POST', '/admin/api/links/look', { body: { token }, headers: FROM_THE_APP });
      expect([looked.status, looked.body.kind]).toEqual([200, 'owner_setup']);
    }
    const response = await exchange(token);
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe('/admin/');
    expect(response.headers.get('set-cookie')).toMatch(
      /^tradeloom=[\w-]{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    );
  });

  test('a token works once, and only one of many at once gets in', async () => {
    const token = await newToken();
    const responses = await Promise.all(Array.from({ length: 8 }, () => exchange(token)));
    expect(responses.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(7);
  });

  test('a token ends after an hour', async () => {
    const token = await newToken();
    server.clock.advance(SIGN_IN_MS);
    expect((await exchange(token)).status).toBe(401);
  });

  test('over https the cookie is bound to the host and never sent in clear', async () => {
    const response = await exchange(await newToken(), { ...SAME_ORIGIN, 'x-forwarded-proto': 'https' });
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-tradeloom=.*; Secure$/);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another port of this host', { 'sec-fetch-site': 'same-site' }],
    ['an old browser on another site', { origin: 'https://evil.example' }],
    ['no page at all', {}],
  ])('a form of %s is refused and uses nothing up', async (_who, headers) => {
    const token = await newToken();
    expect((await exchange(token, { ...FORM, ...headers })).status).toBe(400);
    expect((await exchange(token)).status).toBe(303);
  });

  test('an old browser is believed its own origin', async () => {
    expect((await exchange(await newToken(), { ...FORM, origin: server.origin })).status).toBe(303);
  });

  test('only hashes are stored', async () => {
    const token = await newToken();
    const { cookie } = await signedIn();
    const rows = await server.rows(
      'select encode(hash, $1) as hash from admin_sign_ins union all select encode(hash, $1) from admin_sessions',
      ['base64'],
    );
    const stored = JSON.stringify(rows).replaceAll('+', '-').replaceAll('/', '_');
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(cookie.split('=')[1]);
  });

  test('guessing is slowed down', async () => {
    const proxied = { ...SAME_ORIGIN, 'x-forwarded-for': '203.0.113.9' };
    const statuses = [];
    for (let i = 0; i < 31; i++) statuses.push((await exchange('guess', proxied)).status);
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401));
    expect(statuses[30]).toBe(429);
  });
});

describe('a session', () => {
  test('ends after twelve hours without a request', async () => {
    const held = await signedIn();
    server.clock.advance(IDLE_MS - 1_000);
    expect((await session(held)).status).toBe(200);
    server.clock.advance(IDLE_MS - 1_000);
    expect((await session(held)).status).toBe(200);
    server.clock.advance(IDLE_MS);
    expect((await session(held)).status).toBe(401);
  });

  test('ends after seven days, however busy', async () => {
    const held = await signedIn();
    for (let passed = 0; passed < ABSOLUTE_MS - IDLE_MS; passed += IDLE_MS / 2) {
      server.clock.advance(IDLE_MS / 2);
      expect((await session(held)).status).toBe(200);
    }
    server.clock.advance(IDLE_MS / 2);
    await session(held);
    server.clock.advance(IDLE_MS / 2);
    expect((await session(held)).status).toBe(401);
  });

  test('ends by signing out, which only its own pages can do', async () => {
    const held = await signedIn();
    const forged = await server.request('POST', '/admin/sign-out', {
      raw: '',
      headers: { ...FORM, ...held, 'sec-fetch-site': 'cross-site' },
    });
    expect(forged.status).toBe(400);
    expect((await session(held)).status).toBe(200);
    const out = await server.request('POST', '/admin/sign-out', { raw: '', headers: { ...SAME_ORIGIN, ...held } });
    expect(out.status).toBe(303);
    expect(out.headers.get('set-cookie')).toMatch(/^tradeloom=; Path=\/; Max-Age=0;/);
    expect((await session(held)).status).toBe(401);
  });
});

describe('the secret of a session', () => {
  test('has 256 random bits, as a link has, and is never the same twice', async () => {
    const links = await Promise.all(Array.from({ length: 50 }, newToken));
    const sessions = await Promise.all(links.slice(0, 5).map(async (link) => cookieOf(await exchange(link))));
    const all = [...links, ...sessions];
    expect(new Set(all).size).toBe(55);
    expect(all.map((secret) => Buffer.from(secret, 'base64url').length)).toEqual(all.map(() => 32));
  });

  test('is in a cookie that no script reads and no other site sends, and nowhere else', async () => {
    const response = await exchange(await newToken());
    expect(response.headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict$/);
    const secret = cookieOf(response);
    const shown = await session({ cookie: `tradeloom=${secret}` });
    expect(shown.status).toBe(200);
    expect(String(shown.body)).not.toContain(secret);
    expect([...shown.headers.values()].join()).not.toContain(secret);
  });

  test('is another one after each sign-in, which ends the session before', async () => {
    const first = await signedIn();
    const second = await exchange(await newToken(), { ...SAME_ORIGIN, ...first });
    expect(second.status).toBe(303);
    expect((await session(first)).status).toBe(401);
    expect((await session({ cookie: `tradeloom=${cookieOf(second)}` })).status).toBe(200);
  });

  test('ends when signing out, and the browser is told to clear its data', async () => {
    const held = await signedIn();
    const headers = { ...SAME_ORIGIN, ...held };
    const response = await server.request('POST', '/admin/sign-out', { raw: '', headers });
    expect(response.headers.get('clear-site-data')).toBe('"cache", "storage"');
    expect(response.headers.get('set-cookie')).toContain('Max-Age=0');
  });
});

describe('the pages', () => {
  test('show messages in a sandbox without an origin, to the operator only, and of no other company', async () => {
    const [shop, other] = [await server.company(), await server.company()];
    const [row] = await server.rows<{ id: string }>(
      `insert into mailbox_messages (company_id, id, channel, sender, recipient, subject, html, created_at)
       values ($1, 1, 'email', 'a@example.com', 'b@example.com', 'Hello & more', '<script>alert(1)</script><p>Hi</p>', $2)
       returning id`,
      [shop.company_id, server.clock.now()],
    );
    const path = `/admin/messages/${shop.company_id}/${row!.id}`;
    expect((await server.request('GET', path)).status).toBe(401);
    const held = await signedIn();
    const shown = await server.request('GET', path, { headers: held });
    expect(String(shown.body)).toContain('<p>Hi</p>');
    expect(shown.headers.get('content-security-policy')).toBe(
      `sandbox; default-src 'none'; img-src data: ${server.origin}/demo/images/ ${server.origin}/pictures/; style-src 'unsafe-inline'; frame-ancestors 'self'`,
    );
    for (const absent of [`${other.company_id}/${row!.id}`, `${shop.company_id}/999`, '0/1', 'x/y', '1e3/1']) {
      expect((await server.request('GET', `/admin/messages/${absent}`, { headers: held })).status).toBe(404);
    }
  });

  test('show product descriptions in a sandbox without an origin, only with pictures of the shop', async () => {
    const { headers } = await server.request('GET', '/admin/description-frame');
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; script-src 'sha256-[^' ]+'; /);
    expect(policy).toContain(`; img-src data: ${server.origin}/demo/images/ ${server.origin}/pictures/; `);
  });

  test('show messages to members whose role may read them, and to no member of another company', async () => {
    const [shop, other] = [await server.company(), await server.company()];
    await server.rows(
      `insert into mailbox_messages (company_id, id, channel, sender, recipient, subject, html, created_at)
       values ($1, 1, 'email', 'a@example.com', 'b@example.com', 'Secret', '<p>Secret</p>', $2)`,
      [shop.company_id, server.clock.now()],
    );
    const shown = async (roles: Record<number, Role>) => {
      const { cookie } = await testPerson(server, roles);
      const path = `/admin/messages/${shop.company_id}/1`;
      const response = await server.request('GET', path, { headers: { cookie } });
      return [response.status, String(response.body).includes('Secret')];
    };
    expect(await shown({ [shop.company_id]: 'viewer' })).toEqual([200, true]);
    expect(await shown({ [shop.company_id]: 'fulfilment' })).toEqual([403, false]);
    expect(await shown({ [other.company_id]: 'owner' })).toEqual([404, false]);
    expect(await shown({})).toEqual([404, false]);
  });

  test('carry a policy that runs no script of anybody else', async () => {
    for (const path of ['/admin/', '/admin/1/orders', '/admin/sign-in?token=x']) {
      const { headers } = await server.request('GET', path);
      const policy = headers.get('content-security-policy')!;
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  test('a token from the address cannot become markup', async () => {
    const shown = await server.request('GET', '/admin/sign-in?token=%22%3E%3Cscript%3E');
    expect(String(shown.body)).not.toContain('"><script>');
  });

  test('the test clock does not exist without its flag', async () => {
    const response = await server.request('POST', '/admin/api/test-clock', { body: { advance: '1d' } });
    expect(response.status).toBe(404);
  });

  test('health tells whether the server is ready, and nothing more', async () => {
    expect((await server.request('GET', '/health/live')).body).toEqual({ status: 'ok' });
    expect((await server.request('GET', '/health/ready')).body).toEqual({ status: 'ok' });
  });
});
