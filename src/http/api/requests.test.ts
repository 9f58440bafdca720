import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { monotonicMs } from '../../clock.ts';
import { exchange } from '../../testing/exchange.ts';
import { type TestCompany, testServer } from '../../testing/harness.ts';
import { useThings } from '../../testing/probe.ts';
import { respondToClientError } from './outside.ts';

const server = testServer();
useThings(server);
let shop: TestCompany;
let headers: Record<string, string>;

beforeAll(async () => {
  shop = await server.company();
  headers = { 'x-api-key': shop.key, authorization: `Bearer ${shop.key}`, 'x-company-id': String(shop.company_id) };
});

const post = (raw: string | Buffer, more: Record<string, string> = {}, path = '/commerce/v1/things') =>
  server.request('POST', path, { raw, headers: { ...headers, ...more } });

/** The API's status for invalid fields in a body. */
const FIELDS_WRONG = { '/commerce/v1/things': 422, '/marketing/v1/things': 400 };

describe('the content type of a body', () => {
  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset="utf-8"',
  ])('%j is taken', async (type) => {
    expect((await post('{"name":"a"}', { 'content-type': type })).status).toBe(201);
  });

  it.each([
    'application/json\ttext/html',
    'application/json garbage',
    'application/jsonx',
    'application/json,text/plain',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/merge-patch+json',
    'json',
    '/',
    ';',
    ' ',
    'application/json/x',
    'application\\json',
  ])('%j is refused with 400, whatever the body', async (type) => {
    for (const path of Object.keys(FIELDS_WRONG)) {
      const response = await post('{"name":"a"}', { 'content-type': type }, path);
      expect([path, response.status]).toEqual([path, 400]);
    }
  });

  it('missing is refused with 400', async () => {
    const body = '{"name":"a"}';
    const head = `POST /commerce/v1/things HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${shop.key}\r\nConnection: close\r\n`;
    const response = await exchange(server.origin, `${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    expect(response).toMatch(/^HTTP\/1\.1 400 /);
    expect(response).toContain('"reason":"validation_failed"');
  });

  it('does not matter where there is no body', async () => {
    const response = await server.request('POST', '/commerce/v1/things/7/poke', {
      headers: { ...headers, 'content-type': 'text/plain' },
    });
    expect(response.status).toBe(200);
  });

  it('makes no difference to a GET', async () => {
    const response = await server.request('GET', '/commerce/v1/things', {
      headers: { ...headers, 'content-type': 'x y z' },
    });
    expect(response.status).toBe(200);
  });
});

describe('a body', () => {
  const nested = (levels: number): string =>
    `{"name":"a","extra":${'{"a":'.repeat(levels - 1)}1${'}'.repeat(levels - 1)}}`;

  it.each([
    ['nothing', ''],
    ['white space', '  \n'],
    ['half of an object', '{"name":'],
    ['a trailing comma', '{"name":"a",}'],
    ['a comment', '{"name":"a"/**/}'],
    ['two objects', '{"name":"a"}{"name":"b"}'],
    ['an array', '[{"name":"a"}]'],
    ['null', 'null'],
    ['a text', '"a"'],
    ['a number', '1'],
    ['NaN', '{"name":"a","count":NaN}'],
    ['a byte order mark', '\ufeff{"name":"a"}'],
    ['a raw NUL', '{"name":"a\0"}'],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"name":"a'), 0xc3, 0x28, ...Buffer.from('"}')])],
    ['overlong UTF-8', Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xaf, ...Buffer.from('"}')])],
    ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
    ['compressed JSON', gzipSync('{"name":"a"}')],
    ['more than 20 levels', nested(21)],
    ['more than 100,000 values', `{"name":"a","extra":{"x":[${'1,'.repeat(99_997)}1]}}`],
    ['more than 100,000 values, each an object', `{"name":"a","extra":{"x":[${'{} , '.repeat(99_997)}{"a":"\\"]"}]}}`],
    ['100,000 levels', `{"name":"a","extra":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
  ])('of %s is refused with 400', async (_what, raw) => {
    for (const path of Object.keys(FIELDS_WRONG)) {
      const response = await post(raw, { 'content-type': 'application/json' }, path);
      expect([path, response.status]).toEqual([path, 400]);
    }
  });

  it.each([
    ['\ufeff{"name":"a"}', 'The body begins with a byte order mark: send it without'],
    [gzipSync('{"name":"a"}'), 'The body is compressed. Send it uncompressed, without Content-Encoding'],
    [Buffer.from('{"name":"ä"}', 'latin1'), 'The body is not UTF-8'],
  ])('is refused for what its sender cannot see: %j', async (raw, message) => {
    expect((await post(raw)).body.error.message).toBe(message);
  });

  it('of 20 levels is taken', async () => {
    expect((await post(nested(20))).status).toBe(201);
  });

  it.each([
    ['numbers', `${'1,'.repeat(99_995)}1`],
    ['empty objects', `${'{} , '.repeat(99_995)}[\n]`],
    ['texts of what parts values', `${'1,'.repeat(50_000)}${'"[{,\\",\\\\",'.repeat(49_995)}1`],
  ])('of 100,000 values is taken: %s', async (_what, values) => {
    expect((await post(`{"name":"a","extra":{"x":[${values}]}}`)).status).toBe(201);
  });

  it('names at most 100 texts that cannot be stored', async () => {
    const response = await post(JSON.stringify({ name: 'a', extra: { x: Array(5_000).fill('\0') } }));
    expect(response.body.error.details.fields).toHaveLength(100);
  });

  it.each([
    ['NUL', '{"name":"a\\u0000"}', 'name'],
    ['NUL deep inside', '{"name":"a","extra":{"x":["\\u0000"]}}', 'extra.x.0'],
    ['a lone high surrogate', '{"name":"\\ud800"}', 'name'],
    ['a lone low surrogate', '{"name":"a","parts":[{"sku":"\\udc00","n":1}]}', 'parts.0.sku'],
    ['NUL in the name of a field', '{"name":"a","extra":{"\\u0000":1}}', 'extra'],
  ])('with %s is refused, naming the field', async (_what, raw, field) => {
    const commerce = await post(raw);
    expect(commerce.status).toBe(422);
    expect(commerce.body.error.details.fields).toEqual([expect.objectContaining({ field, code: 'invalid' })]);
    const marketing = await post(raw, {}, '/marketing/v1/things');
    expect(marketing.status).toBe(400);
    expect(marketing.body.details).toEqual([expect.objectContaining({ field })]);
  });

  it('with a pair of surrogates as escapes is taken', async () => {
    const response = await post('{"name":"\\ud83d\\ude00"}');
    expect(response.body.data.name).toBe('😀');
  });

  it('of 1 MiB is read, of one byte more refused with 400', async () => {
    const filled = (bytes: number): string => {
      const frame = '{"name":"a","extra":{"x":""}}';
      return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`);
    };
    expect((await post(filled(1_048_576))).status).toBe(201);
    for (const path of Object.keys(FIELDS_WRONG)) {
      const response = await post(filled(1_048_577), {}, path);
      expect(response.status).toBe(400);
      expect(JSON.stringify(response.body)).toContain('too large');
    }
  });

  it('too large is refused after it has arrived or stalled: closing the connection earlier would lose the response', async () => {
    const head = `POST /commerce/v1/things HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${shop.key}\r\nContent-Type: application/json\r\n`;
    const began = monotonicMs();
    const stuck = await exchange(server.origin, `${head}Content-Length: 10000000\r\n\r\nhalf of it`, 3_000);
    expect(stuck).toMatch(/^HTTP\/1\.1 400 /);
    expect(monotonicMs() - began).toBeGreaterThan(200);
    expect((await post(Buffer.alloc(10_000_000, 'a'))).status).toBe(400);
  });

  it('has the limit of its endpoint where that is another', async () => {
    const poke = (length: number) =>
      post(JSON.stringify({ pad: 'x'.repeat(length) }), {}, '/commerce/v1/things/7/poke');
    expect((await poke(900)).status).toBe(200);
    expect((await poke(1_000)).status).toBe(400);
  });

  it('sent in chunks has the same limit', async () => {
    const head = `POST /commerce/v1/things/7/poke HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${shop.key}\r\nContent-Type: application/json\r\n`;
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const small = await exchange(
      server.origin,
      `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk('{}')}0\r\n\r\n`,
    );
    expect(small).toMatch(/^HTTP\/1\.1 200 /);
    const large = await exchange(server.origin, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk('x'.repeat(1_001))}`);
    expect(large).toMatch(/^HTTP\/1\.1 400 /);
    expect(large).toMatch(/connection: close/i);
  });

  it('is left out where the endpoint allows it, and only there', async () => {
    expect((await server.request('POST', '/commerce/v1/things/7/poke', { headers })).status).toBe(200);
    expect((await server.request('POST', '/commerce/v1/things', { headers })).status).toBe(400);
  });

  it('names every failing field at once', async () => {
    const raw = '{"name":7,"kind":"oval","count":11,"parts":[{"sku":1},{"sku":"a","n":1.5}]}';
    const commerce = await post(raw);
    expect(commerce.status).toBe(422);
    expect(commerce.body.error.details).toMatchObject({ reason: 'validation_failed' });
    expect(commerce.body.error.details.fields).toEqual([
      { field: 'name', code: 'wrong_type', message: 'name must be string' },
      { field: 'kind', code: 'not_allowed', message: 'kind must be one of round, square' },
      { field: 'count', code: 'out_of_range', message: 'count must be <= 10' },
      { field: 'parts.0.n', code: 'required', message: 'parts.0.n is required' },
      { field: 'parts.0.sku', code: 'wrong_type', message: 'parts.0.sku must be string' },
      { field: 'parts.1.n', code: 'wrong_type', message: 'parts.1.n must be integer' },
    ]);
    const marketing = await post(raw, {}, '/marketing/v1/things');
    expect(marketing.status).toBe(400);
    expect(marketing.body).toMatchObject({ error: 'bad_request', code: 400 });
    expect(marketing.body.details).toHaveLength(6);
    expect(marketing.body.message).toContain('parts.0.n is required');
  });

  it('names at most 100 failing fields', async () => {
    const response = await post(JSON.stringify({ name: 'a', parts: Array(5_000).fill({ sku: 1, n: '' }) }));
    expect(response.body.error.details.fields).toHaveLength(100);
  });

  it('is trimmed where it is a name, before its length counts', async () => {
    const response = await post(JSON.stringify({ name: `  ${'n'.repeat(20)}\t\n` }));
    expect(response.status).toBe(201);
    expect(response.body.data.name).toBe('n'.repeat(20));
    expect((await post('{"name":"   "}')).body.error.details.fields[0].code).toBe('too_short');
  });

  it('counts characters, not units of UTF-16', async () => {
    expect((await post(JSON.stringify({ name: '😀'.repeat(20) }))).status).toBe(201);
    expect((await post(JSON.stringify({ name: '😀'.repeat(21) }))).status).toBe(422);
  });

  it('cannot reach the prototype of anything', async () => {
    const raw =
      '{"name":"a","__proto__":{"kind":"square","polluted":1},"constructor":{"prototype":{"polluted":1}},"extra":{"__proto__":{"polluted":1}}}';
    const response = await post(raw);
    expect(response.status).toBe(201);
    expect(response.body.data.kind).toBe('round');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('X-Ignored-Fields', () => {
  const ignored = async (body: unknown): Promise<string | null> =>
    (await post(JSON.stringify(body))).headers.get('x-ignored-fields');

  it('names the unknown fields of a body, as dotted paths', async () => {
    const body = { name: 'a', colour: 'red', parts: [{ sku: 's', n: 1, size: 2 }], extra: { free: 1 } };
    expect(await ignored(body)).toBe('colour, parts.0.size');
    expect(await ignored({ name: 'a' })).toBeNull();
  });

  it('is also sent with a refusal', async () => {
    const response = await post('{"nam":"a"}');
    expect(response.status).toBe(422);
    expect(response.headers.get('x-ignored-fields')).toBe('nam');
  });

  it('encodes names that a header cannot contain, and stays short', async () => {
    expect(await ignored({ name: 'a', 'x\r\nSet-Cookie: a': 1, 'ä,b': 2 })).toBe(
      'x%0D%0ASet-Cookie%3A%20a, %C3%A4%2Cb',
    );
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`${'漢'.repeat(40)}${i}`, i]));
    const header = await ignored({ name: 'a', ...many });
    expect(header!.length).toBeLessThanOrEqual(2_000);
    expect(header!.split(', ').length).toBeGreaterThan(3);
  });
});

describe('a query', () => {
  const get = (query: string, root = '/commerce/v1') => server.request('GET', `${root}/things${query}`, { headers });

  it.each([
    '?page=0',
    '?page=-1',
    '?page=1.5',
    '?page=x',
    '?page=',
    '?per_page=0',
    '?per_page=x',
    '?page=1&page=2',
    '?page=1e3',
    '?page=99999999999999999',
    '?kind=oval',
    '?kind=',
    '?kind=round&kind=round',
    '?round=yes',
    '?round=TRUE',
    '?text=%00',
    '?page=%31%00',
  ])('%s is refused with 400', async (query) => {
    for (const root of ['/commerce/v1', '/marketing/v1']) {
      const response = await get(query, root);
      if (query === '?page[]=1') expect(response.status).toBe(200);
      else expect([query, response.status]).toEqual([query, 400]);
    }
  });

  it.each([
    ['', 1, 25],
    ['?page=3&per_page=7', 3, 7],
    ['?per_page=100', 1, 100],
    ['?per_page=101', 1, 100],
    ['?per_page=9999999', 1, 100],
    ['?round=1&kind=square', 1, 25],
    ['?text=%ff%fe', 1, 25],
    ['?', 1, 25],
  ])('%j asks for page %d with %d', async (query, page, perPage) => {
    const response = await get(query);
    expect(response.status).toBe(200);
    expect(response.body.meta.pagination).toMatchObject({ page, per_page: perPage });
    const marketing = await get(query, '/marketing/v1');
    expect(marketing.body).toEqual({ things: [], pagination: response.body.meta.pagination });
  });

  it.each(['?knd=round', '?page[]=9', '?__proto__=1', '?constructor=2', '?%C3%A4%0D%0A=1'])(
    'of a list with an unknown parameter, which might be a misspelt filter, is refused: %s',
    async (query) => {
      for (const root of ['/commerce/v1', '/marketing/v1']) {
        const response = await get(query, root);
        expect([root, response.status]).toEqual([root, 400]);
        expect(response.body.message ?? response.body.error.message).toMatch(
          /^\S+ is no parameter of this list, which has page, per_page, kind, round, text$/,
        );
      }
    },
  );

  it.each(['/commerce/v1', '/marketing/v1'])('of a record names in a header what %s ignores', async (root) => {
    const written = await post('{"name":"a"}', {}, `${root}/things?dry_run=1&x%0D%0Ay=2`);
    expect([written.status, written.headers.get('x-ignored-parameters')]).toEqual([201, 'dry_run, x%0D%0Ay']);
    const read = await get(`/${written.body.id ?? written.body.data.id}?fields=name`, root);
    expect([read.status, read.headers.get('x-ignored-parameters')]).toEqual([200, 'fields']);
    expect((await get('?page=1', root)).headers.get('x-ignored-parameters')).toBeNull();
  });

  it.each(['/commerce/v1', '/marketing/v1'])('by HEAD has the status and the headers of GET on %s', async (root) => {
    for (const [path, key, status] of [
      ['/things', headers, 200],
      ['/things?page=0', headers, 400],
      ['/things/0', headers, 404],
      ['/things', {}, 401],
    ] as const) {
      const [head, read] = await Promise.all(
        ['HEAD', 'GET'].map((method) => server.request(method, root + path, { headers: key })),
      );
      expect([path, head!.status, head!.body]).toEqual([path, status, '']);
      for (const name of ['content-type', 'cache-control', 'x-ratelimit-limit']) {
        expect([path, name, head!.headers.get(name)]).toEqual([path, name, read!.headers.get(name)]);
      }
    }
  });
});

describe('malformed HTTP', () => {
  const head = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${shop.key}\r\nAuthorization: Bearer ${shop.key}\r\nX-Company-ID: ${shop.company_id}\r\n`;
  const ROOTS = ['/commerce/v1', '/marketing/v1'];

  it.each([
    ['both lengths', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
    ['a negative length', 'Content-Length: -1\r\n\r\n'],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a chunk of no size', 'Transfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a space before the colon', 'Content-Length : 4\r\n\r\nabcd'],
    ['a folded header', 'X-A: 1\r\n 2\r\n\r\n'],
    ['too long headers', `X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['very many headers', `${Array.from({ length: 3_000 }, (_, i) => `x-${i}: 1\r\n`).join('')}\r\n`],
    ['a bare line feed', 'X-A: 1\n\n'],
  ])('%s: 400 in the form of the API, and the connection ends', async (_what, rest) => {
    for (const root of ROOTS) {
      const response = await exchange(
        server.origin,
        `${head(`${root}/things`)}${rest}GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n`,
        3_000,
      );
      expect(response).toMatch(/^HTTP\/1\.1 400 /);
      expect(response.match(/HTTP\/1\.1 /g)).toHaveLength(1);
      expect(response).toMatch(/connection: close/i);
      expect(response.includes('"success":false')).toBe(root === '/commerce/v1');
    }
  });

  it('no HTTP at all: 400', async () => {
    expect(await exchange(server.origin, 'hello\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 /);
    expect(await exchange(server.origin, '\x16\x03\x01\x02\x00\x01')).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    [
      'that nothing was sent on is closed without a response, which a browser would take for that to its next request',
      '',
      '',
    ],
    ['with the beginning of a request gets 400', 'GET /he', 'HTTP/1.1 400 '],
  ])('a connection that times out %s', async (_what, sent, response) => {
    const timedOut = Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    const listener = createServer((socket) => {
      socket.on('error', () => {});
      if (sent === '') respondToClientError(timedOut, socket);
      else socket.once('data', () => respondToClientError(timedOut, socket));
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => {});
    let received = '';
    client.on('data', (chunk) => {
      received += chunk;
    });
    if (sent !== '') client.write(sent);
    await once(client, 'close');
    listener.close();
    expect(received.slice(0, 13)).toBe(response);
  });

  it('an unknown method is an unknown address', async () => {
    for (const method of ['PROPFIND', 'TRACE', 'OPTIONS', 'PUT', 'DELETE', 'QUERY']) {
      const response = await exchange(
        server.origin,
        `${method} /commerce/v1/things HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${shop.key}\r\nConnection: close\r\n\r\n`,
      );
      expect([method, response.slice(0, 13)]).toEqual([method, 'HTTP/1.1 404 ']);
    }
  });
});

describe('a failure inside', () => {
  it.each(['/commerce/v1/things', '/marketing/v1/things'])('on %s says nothing of its cause', async (path) => {
    for (const mode of ['break', 'late']) {
      const response = await post(JSON.stringify({ name: 'a', mode }), { 'x-request-id': 'req-1' }, path);
      expect(response.status).toBe(500);
      expect(response.headers.get('x-request-id')).toBe('req-1');
      const text = JSON.stringify(response.body);
      expect(text).toContain('Internal server error');
      expect(text).toContain('req-1');
      expect(text).not.toMatch(/relation|\.ts|things|COMMIT/);
    }
  });

  it('is logged with its cause and its request, without the values of the query', async () => {
    const logged = vi.spyOn(server.app.log, 'error');
    const path = '/commerce/v1/things?who=someone@example.net';
    await post(JSON.stringify({ name: 'a', mode: 'break' }), { 'x-request-id': 'req-2' }, path);
    const entries = logged.mock.calls.map(([entry]) => entry as unknown as Record<string, unknown>);
    logged.mockRestore();
    expect(entries).toMatchObject([{ request_id: 'req-2', method: 'POST', path: '/commerce/v1/things' }]);
    expect(entries[0]!.err).toBeInstanceOf(Error);
    expect(JSON.stringify(entries)).not.toContain('someone');
  });
});
