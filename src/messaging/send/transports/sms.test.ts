import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMailboxTransport } from './mailbox.ts';
import type { OutgoingMessage, OutgoingSms, Transport } from './port.ts';
import { createSmsTransport } from './sms.ts';

const never = new AbortController().signal;
const message: OutgoingSms = {
  channel: 'sms',
  id: 'm-1',
  ledger: { companyId: 1, messageId: 1, contactId: null },
  from: 'Shop',
  to: '+4930123456',
  text: 'Grüße & 1+1=2',
};

describe('the SMS provider', () => {
  const requests: { headers: IncomingMessage['headers']; method: string; url: string; body: string }[] = [];
  let respond: (response: ServerResponse) => void;
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    requests.push({ headers: request.headers, method: request.method ?? '', url: request.url ?? '', body });
    respond(response);
  });
  let port = 0;
  let transport: Transport | undefined;
  beforeAll(async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
  });
  afterEach(() => transport?.close());
  afterAll(() => server.close());

  function create(url = `http://AC1:to%3Aken@127.0.0.1:${port}/2010/Messages.json`): Transport {
    transport = createSmsTransport({ url, timeouts: { connect: 200, response: 200 } });
    return transport;
  }

  test('gets the form, the account and the key that stays the same for each attempt', async () => {
    respond = (response) => response.writeHead(201).end('{"sid":"SM1","status":"queued"}');
    const result = await create().deliver(message, never);
    expect(result).toEqual({ kind: 'sent', reply: '201 {"sid":"SM1","status":"queued"}' });
    const request = requests.at(-1)!;
    expect(request).toMatchObject({ method: 'POST', url: '/2010/Messages.json' });
    expect(Object.fromEntries(new URLSearchParams(request.body))).toEqual({
      To: '+4930123456',
      From: 'Shop',
      Body: 'Grüße & 1+1=2',
    });
    expect(request.headers['idempotency-key']).toBe('m-1');
    expect(request.headers.authorization).toBe(`Basic ${Buffer.from('AC1:to:ken').toString('base64')}`);
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  test.each<[number, string, object]>([
    [200, '', { kind: 'sent' }],
    [400, '{"code":21211,"message":"invalid To"}', { kind: 'failed', permanent: true, fault: 'recipient' }],
    // 21612 concerns the pair of numbers and 21408 our permissions, not a dead number; 21610 is an opt-out.
    [400, '{"code":21612}', { kind: 'failed', permanent: true, fault: 'message' }],
    [400, '{"code":21408}', { kind: 'failed', permanent: true, fault: 'message' }],
    [400, '{"code":21610}', { kind: 'failed', permanent: true, fault: 'recipient', optedOut: true }],
    [400, '{"code":21617}', { kind: 'failed', permanent: true, fault: 'message' }],
    [422, 'not json', { kind: 'failed', permanent: true, fault: 'message' }],
    [401, '', { kind: 'failed', permanent: false, fault: 'service' }],
    [404, '', { kind: 'failed', permanent: false, fault: 'service' }],
    [429, '', { kind: 'failed', permanent: false, fault: 'service' }],
    [500, '', { kind: 'failed', permanent: false, fault: 'service' }],
    [503, '', { kind: 'failed', permanent: false, fault: 'service' }],
    [302, '', { kind: 'failed', permanent: false, fault: 'service' }],
    [502, '', { kind: 'unknown' }],
    [504, '', { kind: 'unknown' }],
  ])('%i %s', async (status, body, result) => {
    respond = (response) => response.writeHead(status, { location: '/elsewhere' }).end(body);
    const before = requests.length;
    expect(await create().deliver(message, never)).toMatchObject(result);
    expect(requests).toHaveLength(before + 1);
  });

  test('no response after the request is unknown', async () => {
    respond = () => {};
    expect(await create().deliver(message, never)).toMatchObject({ kind: 'unknown' });
    respond = (response) => response.socket?.destroy();
    expect(await create().deliver(message, never)).toMatchObject({ kind: 'unknown' });
    respond = () => {};
    const aborting = create().deliver(message, AbortSignal.timeout(50));
    expect(await aborting).toMatchObject({ kind: 'unknown' });
  });

  test('no connection is a failure that may be tried again', async () => {
    for (const url of ['http://127.0.0.1:1/', 'http://nowhere.invalid/', `https://127.0.0.1:${port}/`]) {
      expect(await create(url).deliver(message, never), url).toMatchObject({
        kind: 'failed',
        permanent: false,
        fault: 'service',
      });
    }
    expect(await create().deliver(message, AbortSignal.abort())).toMatchObject({ kind: 'failed', permanent: false });
  });

  test('one that waits for its turn when it is aborted has not been sent', async () => {
    respond = () => {};
    const before = requests.length;
    const one = createSmsTransport({ url: `http://127.0.0.1:${port}/?connections=1`, timeouts: { response: 200 } });
    const signal = AbortSignal.timeout(50);
    const results = await Promise.all([one.deliver(message, signal), one.deliver(message, signal)]);
    expect(results).toMatchObject([{ kind: 'unknown' }, { kind: 'failed', permanent: false }]);
    expect(requests).toHaveLength(before + 1);
    await one.close();
  });

  test('a status counts although its body breaks off or never ends', async () => {
    respond = (response) => {
      response.writeHead(201, { 'content-length': '100' }).write('{"sid"');
      setTimeout(() => response.socket?.destroy(), 30);
    };
    expect(await create().deliver(message, never)).toMatchObject({ kind: 'sent' });
    respond = (response) => {
      response.writeHead(400);
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
    };
    expect(await create().deliver(message, never)).toMatchObject({ kind: 'failed', permanent: true });
    await pause(20);
  });

  test('the address is checked, and told without its token', () => {
    expect(() => createSmsTransport({ url: 'ftp://a:secret@x' })).toThrow(/^(?!.*secret).*SMS_URL/);
    for (const parameter of ['rate=0', 'rate=-1', 'rate=1e3', 'rate=', 'connections=101']) {
      const url = `https://a:secret@x/?${parameter}`;
      expect(() => createSmsTransport({ url }), parameter).toThrow(/^(?!.*secret).*parameter of SMS_URL/);
    }
  });

  test('the rate applies to the provider account; our parameters are removed, those of the provider are passed on', async () => {
    respond = (response) => response.writeHead(201).end();
    const other = `http://AC1:other@127.0.0.1:${port}/send?rate=25&connections=2&Region=ie1`;
    const one = create(other);
    expect(one).toMatchObject({ provider: `AC1@127.0.0.1:${port}`, rate: 25, concurrency: 2 });
    await one.deliver(message, never);
    expect(requests.at(-1)!.url).toBe('/send?Region=ie1');
    expect(create()).toMatchObject({ provider: `AC1@127.0.0.1:${port}`, rate: null, concurrency: 5 });
    expect(create(`http://AC2:x@127.0.0.1:${port}/`).provider).not.toBe(one.provider);
  });
});

describe('the built-in mailbox', () => {
  test('keeps messages, and a failure to keep one may be retried', async () => {
    const kept: OutgoingMessage[] = [];
    const mailbox = createMailboxTransport({ channel: 'sms', store: async (sms) => void kept.push(sms) });
    expect(await mailbox.deliver(message, never)).toMatchObject({ kind: 'sent' });
    expect(kept).toEqual([message]);
    const broken = createMailboxTransport({ channel: 'sms', store: () => Promise.reject(new Error('disk full')) });
    expect(await broken.deliver(message, never)).toEqual({
      kind: 'failed',
      permanent: false,
      fault: 'service',
      reply: 'disk full',
    });
    await expect(
      createMailboxTransport({ channel: 'email', store: async () => {} }).deliver(message, never),
    ).rejects.toThrow();
  });
});
