import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHostGuard } from '../../net/host-guard.ts';
import { createProbe } from '../../net/probe.ts';
import { testServer } from '../../testing/harness.ts';
import { testPerson } from '../../testing/people.ts';
import { createAddressChecks } from './service.ts';

let web: Server;
let seen: string[] = [];
const held: ServerResponse[] = [];
const pages: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/ok': (_request, response) => response.end('ok'),
  '/gone': (_request, response) => response.writeHead(404).end(),
  '/no-head': ({ method }, response) =>
    method === 'HEAD' ? response.writeHead(405).end() : response.end('x'.repeat(5_000_000)),
  '/drops-head': ({ method }, response) => (method === 'HEAD' ? response.destroy() : response.end('ok')),
  '/drops': (_request, response) => response.destroy(),
  '/never-ends': ({ method }, response) =>
    method === 'HEAD' ? response.writeHead(501).end() : response.writeHead(200).write('x'),
  '/moved': (_request, response) => response.writeHead(301, { location: '/ok' }).end(),
  '/round': (_request, response) => response.writeHead(302, { location: '/round' }).end(),
  '/picture.png': (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png; x=1', 'content-length': 1_000 }).end(),
  '/large.png': (_request, response) =>
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': 1_000_001 }).end(),
  '/page.png': (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
  '/waits': (_request, response) => held.push(response),
};

beforeAll(async () => {
  web = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    (pages[request.url!.split('?')[0]!] ?? pages['/ok']!)(request, response);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  web.closeAllConnections();
  web.close();
});
beforeEach(() => {
  seen = [];
});
const at = (path: string) => `http://127.0.0.1:${(web.address() as AddressInfo).port}${path}`;
const link = (path: string) => ({ address: at(path), kind: 'link' as const });
const picture = (path: string) => ({ address: at(path), kind: 'picture' as const });

describe('in a private network', () => {
  const server = testServer({ impatient: true, config: { allowPrivateWebhooks: true, mailbox: true } });
  const marketer = async () => {
    const shop = await server.company();
    const person = await testPerson(server, { [shop.company_id]: 'marketer' });
    const check = (addresses: object[]) => person.ask('POST', `/${shop.company_id}/address-checks`, { addresses });
    return { shop, person, check };
  };
  const short = ({ result, status, reason }: { result: string; status: number | null; reason: string | null }) =>
    [result, status, reason].filter((one) => one !== null).join(' ');

  test('each address is called, by GET where HEAD is refused, and its redirects are followed', async () => {
    const { check } = await marketer();
    const paths = ['/ok', '/gone', '/no-head', '/drops-head', '/drops', '/never-ends', '/moved', '/round'];
    const { status, body } = await check(paths.map(link));
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.addresses.map(short)).toEqual([
      ...['ok 200', 'bad_status 404', 'ok 200', 'ok 200', 'unreachable failed', 'ok 200', 'ok 200'],
      'unreachable redirects',
    ]);
    expect(body.addresses.map(({ address }: { address: string }) => address)).toEqual(paths.map(at));
    expect(seen.filter((one) => one.endsWith(' /ok'))).toEqual(['HEAD /ok', 'HEAD /ok']);
  });

  test('pictures must be pictures and small', async () => {
    const { check } = await marketer();
    const { body } = await check([
      ...['/picture.png', '/large.png', '/page.png'].map(picture),
      { address: 'http://127.0.0.1:9/x', kind: 'link' },
    ]);
    expect(body.addresses).toEqual([
      { ...picture('/picture.png'), result: 'ok', status: 200, reason: null, type: 'image/png', bytes: 1_000 },
      {
        ...picture('/large.png'),
        result: 'large_picture',
        status: 200,
        reason: null,
        type: 'image/png',
        bytes: 1_000_001,
      },
      { ...picture('/page.png'), result: 'not_a_picture', status: 200, reason: null, type: 'text/html', bytes: null },
      {
        address: 'http://127.0.0.1:9/x',
        kind: 'link',
        result: 'unreachable',
        status: null,
        reason: 'refused',
        type: null,
        bytes: null,
      },
    ]);
  });

  test('a redirect to a personal address, or to one that is none, is not followed', async () => {
    const { check } = await marketer();
    for (const [path, location] of Object.entries({
      '/to-token': '/cart?token=8f3',
      '/to-mail': 'mailto:a@b.example',
    })) {
      pages[path] = (_request, response) => void response.writeHead(302, { location }).end();
    }
    const { body } = await check(['/to-token', '/to-mail'].map(link));
    expect(body.addresses.map(short)).toEqual(['not_checked personal', 'not_checked not_web']);
    expect(seen).toEqual(expect.arrayContaining(['HEAD /to-token', 'HEAD /to-mail']));
    expect(seen.filter((one) => one.includes('/cart'))).toEqual([]);
  });

  test('personal addresses and those that are none are not called, and one that is there twice is called once', async () => {
    const { check } = await marketer();
    const { body } = await check([
      ...['/unsubscribe/8f3', '/cart?token=8f3'].map(link),
      { address: `${server.origin}/u/8f3`, kind: 'link' },
      { address: `${server.origin}/t/c/8f3/9`, kind: 'link' },
      { address: 'ftp://shop.example/', kind: 'link' },
      { address: at('/ok').replace('//', '//user:secret@'), kind: 'link' },
      ...[link('/ok'), picture('/ok'), link('/ok')],
    ]);
    expect(body.addresses.map(short)).toEqual([
      ...Array(4).fill('not_checked personal'),
      ...['not_checked not_web', 'not_checked password', 'ok 200', 'not_a_picture 200', 'ok 200'],
    ]);
    expect(seen).toEqual(['HEAD /ok']);
  });

  test('one check of a company runs at a time, and holds no database connection; others are not held up', async () => {
    const [one, other] = [await marketer(), await marketer()];
    const first = one.check([link('/waits')]);
    await expect.poll(() => held.length).toBe(1);
    const second = await one.check([link('/ok')]);
    expect([second.status, second.body.error, second.headers.get('retry-after')]).toEqual([429, 'rate_limited', '5']);
    expect((await other.check([link('/ok')])).status).toBe(200);
    const busy = await server.rows(
      "select 1 from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
    );
    expect(busy).toEqual([]);
    held.pop()!.end();
    expect((await first).body.addresses.map(short)).toEqual(['ok 200']);
    expect((await one.check([link('/ok')])).status).toBe(200);
  });

  test('viewers may not, and more than 30 addresses are refused', async () => {
    const { shop, check } = await marketer();
    const viewer = await testPerson(server, { [shop.company_id]: 'viewer' });
    const asked = await viewer.ask('POST', `/${shop.company_id}/address-checks`, { addresses: [link('/ok')] });
    expect([asked.status, seen]).toEqual([403, []]);
    expect((await check(Array.from({ length: 31 }, (_, i) => link(`/${i}`)))).status).toBe(400);
  });

  test('a preview and a campaign name the addresses that can be checked', async () => {
    const { shop } = await marketer();
    const content =
      '<p>Hi <a href="https://shop.example/{{ contact.first_name }}">A</a><a href="https://shop.example/b">B</a>' +
      '<img src="https://shop.example/c.png" alt="C"><a href="{{ unsubscribe_url }}">Out</a></p>';
    const addresses = [
      { address: 'https://shop.example/b', kind: 'link', unchecked: null },
      { address: 'https://shop.example/c.png', kind: 'picture', unchecked: null },
      { address: 'https://shop.example/{{ contact.first_name }}', kind: 'link', unchecked: 'incomplete' },
      { address: '{{ unsubscribe_url }}', kind: 'link', unchecked: 'personal' },
    ];
    const preview = await shop.marketing('POST', '/templates/preview', { content });
    expect(preview.body.addresses).toEqual(addresses);
    const { contact_id } = (await shop.marketing('POST', '/contacts', { email: 'a@x.example', first_name: 'Ada' }))
      .body;
    const forAda = await shop.marketing('POST', '/templates/preview', { content, contact_id });
    expect(forAda.body.addresses[0]).toEqual({ address: 'https://shop.example/Ada', kind: 'link', unchecked: null });
    const variants = [
      { key: 'a', weight: 1 },
      { key: 'b', weight: 1, content: '<a href="https://shop.example/other">O</a>' },
    ];
    const made = await shop.marketing('POST', '/campaigns', {
      name: 'S',
      type: 'email',
      subject: 'S',
      content,
      variants,
    });
    const checked = await shop.marketing('GET', `/campaigns/${made.body.campaign_id}/check`);
    expect(checked.body.addresses).toEqual([
      ...addresses,
      { address: 'https://shop.example/other', kind: 'link', unchecked: null },
    ]);
  });
});

test('a page of the installation is personal, also where a dot ends its host', async () => {
  const called: string[] = [];
  const checks = createAddressChecks({
    probe: async (url) => {
      called.push(url);
      return { status: 200, type: 'text/html', bytes: null };
    },
    ownHosts: async () => ['shop.example'],
    anyPort: false,
    now: () => 0,
  });
  const addresses = ['https://shop.example/u/8f3', 'https://shop.example./t/c/8f3/9', 'https://shop.example./u'];
  const checked = await checks.check(
    1,
    addresses.map((address) => ({ address, kind: 'link' })),
  );
  expect(checked.map(({ reason }) => reason)).toEqual(['personal', 'personal', null]);
  expect(called).toEqual(['https://shop.example./u']);
});

describe('on the public internet', () => {
  test.each(['https://127.0.0.1/', 'http://169.254.169.254/latest/meta-data/', 'https://inside.example/'])(
    '%s is not called',
    async (url) => {
      const guard = createHostGuard({ allowPrivate: false, resolve: async () => [{ address: '10.0.0.1', family: 4 }] });
      const probe = createProbe(guard);
      expect(await probe.probe(url, AbortSignal.timeout(1_000))).toEqual({ unreachable: 'not_public' });
      await probe.close();
    },
  );

  test('a redirect into the network of the server is refused', async () => {
    // The connection guard treats the first host as public.
    const guard = createHostGuard({ allowPrivate: true });
    const strict = createHostGuard({ allowPrivate: false });
    let first = true;
    const probe = createProbe({
      lookup: guard.lookup,
      get allowPrivate() {
        return first;
      },
      requireHost(host) {
        strict.requireHost(host);
      },
    });
    pages['/inward'] = (_request, response) => {
      first = false;
      response.writeHead(302, { location: 'http://127.0.0.1/ok' }).end();
    };
    expect(await probe.probe(at('/inward'), AbortSignal.timeout(1_000))).toEqual({ unreachable: 'not_public' });
    expect(seen).toEqual(['HEAD /inward']);
    await probe.close();
  });

  test('a server that never responds costs its time and no more', async () => {
    const probe = createProbe(createHostGuard({ allowPrivate: true }), { timeoutMs: 100 });
    expect(await probe.probe(at('/waits'), new AbortController().signal)).toEqual({ unreachable: 'timed_out' });
    await probe.close();
  });
});

describe('a check', () => {
  const deps = { ownHosts: async () => [], anyPort: false };
  const asked = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ address: `https://a.example/${i}`, kind: 'link' as const }));

  test('calls six addresses at once, and in its time no more than it has time for', async () => {
    let [now, most] = [0, 0];
    const checks = createAddressChecks({
      ...deps,
      now: () => 0,
      totalMs: 50,
      probe: (_url, signal) =>
        new Promise((resolve) => {
          now += 1;
          most = Math.max(most, now);
          signal.addEventListener('abort', () => resolve({ unreachable: 'timed_out' }));
        }),
    });
    const results = (await checks.check(1, asked(10))).map(({ reason }) => reason);
    expect(results).toEqual([...Array(6).fill('timed_out'), ...Array(4).fill('out_of_time')]);
    expect(most).toBe(6);
  });

  test('a company has 20 in ten minutes', async () => {
    let now = 0;
    const probe = async () => ({ status: 200, type: '', bytes: null });
    const checks = createAddressChecks({ ...deps, now: () => now, probe });
    for (let i = 0; i < 20; i++) await checks.check(1, asked(1));
    await expect(checks.check(1, asked(1))).rejects.toMatchObject({ details: { retry_after: 600 } });
    await checks.check(2, asked(1));
    now = 600_001;
    await checks.check(1, asked(1));
  });

  test('a port that is not of the web is not called', async () => {
    const probe = () => Promise.reject(new Error('called'));
    const checks = createAddressChecks({ ...deps, now: () => 0, probe });
    const [one] = await checks.check(1, [{ address: 'https://a.example:8443/', kind: 'link' }]);
    expect(one).toMatchObject({ result: 'not_checked', reason: 'port' });
  });
});
