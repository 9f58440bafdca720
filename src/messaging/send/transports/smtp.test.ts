import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { buildMessage } from '../../compose/mime/build.ts';
import type { Transport } from './port.ts';
import { createSmtpTransport, type SmtpOptions } from './smtp.ts';
import { type SinkMode, type SmtpSink, startSmtpSink } from './smtp-sink.ts';
import { parseSmtpUrl } from './smtp-url.ts';
import { email } from './testing-email.ts';

const never = new AbortController().signal;
const cleanUps: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function transportTo(port: number, options: Partial<SmtpOptions> = {}): Transport {
  const transport = createSmtpTransport({ url: `smtp://127.0.0.1:${port}?tls=off`, ...options });
  cleanUps.push(() => transport.close());
  return transport;
}

describe('against a real SMTP server', () => {
  let sink: SmtpSink;
  beforeAll(async () => {
    sink = await startSmtpSink();
  });
  afterAll(() => sink.close());

  const storedFor = (to: string) => sink.stored.filter((message) => message.to === `${to}@example.net`).length;
  const deliver = (mode: SinkMode) => transportTo(sink.port).deliver(email(mode), never);

  test.each<[SinkMode, object, number]>([
    ['ok', { kind: 'sent', reply: '250 2.0.0 Queued' }, 1],
    ['slow', { kind: 'sent', reply: '250 2.0.0 Late but well' }, 1],
    ['store-then-close', { kind: 'unknown' }, 1],
    [
      'refuse-later-after-dot',
      { kind: 'failed', permanent: false, fault: 'service', reply: '451 4.3.0 Try again later' },
      0,
    ],
    ['refuse-after-dot', { kind: 'failed', permanent: true, fault: 'message', reply: '554 5.6.0 Content refused' }, 0],
    ['refuse-recipient', { kind: 'failed', permanent: true, fault: 'recipient', reply: '550 5.1.1 No such user' }, 0],
    ['defer-recipient', { kind: 'failed', permanent: false, fault: 'recipient', reply: '452 4.2.2 Mailbox full' }, 0],
    ['block-recipient', { kind: 'failed', permanent: true, fault: 'message' }, 0],
  ])('%s', async (mode, result, stored) => {
    expect(await deliver(mode)).toMatchObject(result);
    expect(storedFor(mode)).toBe(stored);
  });

  test("a refused sender is the message's fault, not the recipient's", async () => {
    const message = { ...email('ok'), from: 'refuse-sender@example.com' };
    expect(await transportTo(sink.port).deliver(message, never)).toMatchObject({
      kind: 'failed',
      permanent: true,
      fault: 'message',
    });
  });

  test('a session cut before the final dot is a failure that may be tried again', async () => {
    // So large that the dot cannot have been sent when the server hangs up.
    const big = email('close-before-dot', `Subject: x\r\n\r\n${'x'.repeat(76)}\r\n`.repeat(300_000));
    expect(await transportTo(sink.port).deliver(big, never)).toMatchObject({
      kind: 'failed',
      permanent: false,
      fault: 'service',
    });
    expect(storedFor('close-before-dot')).toBe(0);
  });

  test('a small message cut before the dot is never taken for delivered or refused', async () => {
    const results = await Promise.all(Array.from({ length: 20 }, () => deliver('close-before-dot')));
    for (const result of results) {
      expect(result.kind === 'unknown' || (result.kind === 'failed' && !result.permanent)).toBe(true);
    }
    expect(storedFor('close-before-dot')).toBe(0);
  });

  test('silence after the dot is unknown once the time-out has passed', async () => {
    const transport = transportTo(sink.port, { timeouts: { silence: 200 } });
    expect(await transport.deliver(email('silent'), never)).toMatchObject({ kind: 'unknown' });
    expect(storedFor('silent')).toBe(1);
  });

  test('an abort is a failure before the dot and unknown after it', async () => {
    const transport = transportTo(sink.port);
    expect(await transport.deliver(email('ok'), AbortSignal.abort())).toMatchObject({
      kind: 'failed',
      permanent: false,
    });
    const before = storedFor('silent');
    const result = transport.deliver(email('silent'), AbortSignal.timeout(400));
    expect(await result).toMatchObject({ kind: 'unknown' });
    expect(storedFor('silent')).toBe(before + 1);
  });

  test('the bytes arrive unchanged, dots and all', async () => {
    const raw = await buildMessage({
      from: { address: 'shop@example.com' },
      to: { address: 'bytes@example.net' },
      subject: 'Grüße',
      text: '.\r\n..\r\n.dot\r\nend',
      html: '<p>.</p>',
      messageId: '<bytes@example.com>',
      date: new Date(0),
    });
    expect(await transportTo(sink.port).deliver(email('bytes', raw), never)).toMatchObject({ kind: 'sent' });
    const [stored] = sink.stored.filter((message) => message.to === 'bytes@example.net');
    expect(stored?.raw).toBe(raw.toString('latin1').replace(/(\r\n)?$/, '\r\n'));
  });

  test('connections are kept, shared by turns and never more than allowed', async () => {
    const before = sink.sessions;
    const transport = transportTo(sink.port, { url: `smtp://127.0.0.1:${sink.port}?tls=off&connections=3` });
    const results = await Promise.all(
      Array.from({ length: 250 }, (_, n) => transport.deliver(email(`many${n}`), never)),
    );
    expect(results.every((result) => result.kind === 'sent')).toBe(true);
    expect(sink.sessions - before).toBeGreaterThanOrEqual(3);
    expect(sink.sessions - before).toBeLessThanOrEqual(6);
    expect(sink.stored.filter(({ to }) => to.startsWith('many'))).toHaveLength(250);
    // A refusal does not cost the connection.
    const sessions = sink.sessions;
    await transport.deliver(email('refuse-recipient'), never);
    await transport.deliver(email('refuse-after-dot'), never);
    expect(await transport.deliver(email('ok'), never)).toMatchObject({ kind: 'sent' });
    expect(sink.sessions).toBe(sessions);
  });

  test('addresses that are none never reach the server', async () => {
    const transport = transportTo(sink.port);
    for (const to of ['ok@example.net>\r\nRCPT TO:<evil@example.net', 'a@b@example.net', '']) {
      const result = await transport.deliver({ ...email('ok'), to }, never);
      expect(result).toMatchObject({ kind: 'failed', permanent: true, fault: 'recipient' });
    }
    const result = await transport.deliver({ ...email('ok'), from: 'x> SIZE=1' }, never);
    expect(result).toMatchObject({ kind: 'failed', permanent: true, fault: 'message' });
  });

  test('close waits for deliveries in progress and accepts no more', async () => {
    const transport = transportTo(sink.port);
    const slow = transport.deliver(email('slow'), never);
    await pause(50);
    await transport.close();
    expect(await slow).toMatchObject({ kind: 'sent' });
    expect(await transport.deliver(email('ok'), never)).toMatchObject({
      kind: 'failed',
      permanent: false,
      fault: 'service',
    });
  });

  test('STARTTLS is used, and its certificate checked', async () => {
    const url = `smtp://127.0.0.1:${sink.port}?tls=required`;
    expect(await transportTo(0, { url }).deliver(email('ok'), never)).toMatchObject({
      kind: 'failed',
      permanent: false,
      fault: 'service',
    });
    expect(await transportTo(0, { url, tls: { rejectUnauthorized: false } }).deliver(email('ok'), never)).toMatchObject(
      { kind: 'sent' },
    );
  });
});

test("a login that is refused is the service's fault and may be tried again", async () => {
  const sink = await startSmtpSink({ password: 'right horse' });
  cleanUps.push(() => sink.close());
  const tls = { rejectUnauthorized: false };
  const right = transportTo(0, { url: `smtp://me:right%20horse@127.0.0.1:${sink.port}`, tls });
  expect(await right.deliver(email('ok'), never)).toMatchObject({ kind: 'sent' });
  const wrong = transportTo(0, { url: `smtp://me:wrong@127.0.0.1:${sink.port}`, tls });
  expect(await wrong.deliver(email('ok'), never)).toMatchObject({ kind: 'failed', permanent: false, fault: 'service' });
});

describe('against a server that breaks the protocol', () => {
  let server: Server;
  const sockets = new Set<Socket>();
  let script: (socket: Socket, line: string) => void;
  let greeting = '220 hi\r\n';
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      if (greeting) socket.write(greeting);
      let rest = '';
      socket.on('data', (chunk) => {
        const lines = (rest + chunk.toString('latin1')).split('\r\n');
        rest = lines.pop() ?? '';
        for (const line of lines) script(socket, line);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const port = () => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  };
  const polite = (socket: Socket, line: string) => {
    if (/^(EHLO|MAIL|RCPT|RSET)/.test(line)) socket.write('250 ok\r\n');
    else if (line === 'DATA') socket.write('354 go on\r\n');
    else if (line === 'QUIT') socket.end('221 bye\r\n');
    else if (line === '.') socket.write('250 taken\r\n');
  };

  test.each<[string, (socket: Socket, line: string) => void, object]>([
    [
      'half a refusal after the dot',
      (socket, line) => (line === '.' ? socket.end('45') : polite(socket, line)),
      { kind: 'unknown' },
    ],
    [
      'an unfinished refusal after the dot',
      (socket, line) => (line === '.' ? socket.end('550 5.1.1 no') : polite(socket, line)),
      { kind: 'unknown' },
    ],
    [
      'nonsense after the dot',
      (socket, line) => (line === '.' ? socket.write('what?\r\n') : polite(socket, line)),
      { kind: 'unknown' },
    ],
    [
      '354 after the dot',
      (socket, line) => (line === '.' ? socket.write('354 more\r\n') : polite(socket, line)),
      { kind: 'unknown' },
    ],
    [
      '421 after the dot',
      (socket, line) => (line === '.' ? socket.end('421 4.3.2 closing\r\n') : polite(socket, line)),
      { kind: 'failed', permanent: false, fault: 'service' },
    ],
    [
      '503 to MAIL',
      (socket, line) => (line.startsWith('MAIL') ? socket.write('503 5.5.1 order\r\n') : polite(socket, line)),
      { kind: 'failed', permanent: false, fault: 'service' },
    ],
    [
      '550 to RCPT without an enhanced code',
      (socket, line) => (line.startsWith('RCPT') ? socket.write('550 no\r\n') : polite(socket, line)),
      { kind: 'failed', permanent: true, fault: 'recipient' },
    ],
    [
      'end of connection at DATA',
      (socket, line) => (line === 'DATA' ? socket.end() : polite(socket, line)),
      { kind: 'failed', permanent: false, fault: 'service' },
    ],
    [
      '554 to DATA',
      (socket, line) => (line === 'DATA' ? socket.write('554 no\r\n') : polite(socket, line)),
      { kind: 'failed', permanent: true, fault: 'message' },
    ],
    [
      'a size limit below the message',
      (socket, line) => (line.startsWith('EHLO') ? socket.write('250-x\r\n250 SIZE 5\r\n') : polite(socket, line)),
      { kind: 'failed', permanent: true, fault: 'message' },
    ],
    [
      'end of connection at EHLO',
      (socket, line) => (line.startsWith('EHLO') ? socket.end() : polite(socket, line)),
      { kind: 'failed', permanent: false, fault: 'service' },
    ],
  ])('%s', async (_name, behaviour, result) => {
    script = behaviour;
    expect(await transportTo(port()).deliver(email('ok'), never)).toMatchObject(result);
  });

  test('a refusal in the middle of the body is a failure, and the rest is never completed', async () => {
    let received = '';
    script = (socket, line) => {
      if (line === 'DATA') {
        // Stop reading here: the dot cannot have been written yet.
        socket.write('354 go on\r\n');
        socket.pause();
        setTimeout(() => socket.write('552 5.3.4 too big\r\n'), 50);
        setTimeout(() => socket.resume(), 150);
      } else {
        received = line;
        if (/^(EHLO|MAIL|RCPT)/.test(line)) socket.write('250 ok\r\n');
      }
    };
    const big = email('ok', `${'x'.repeat(76)}\r\n`.repeat(300_000));
    expect(await transportTo(port()).deliver(big, never)).toMatchObject({ kind: 'failed', permanent: true });
    await pause(400);
    expect(received).not.toBe('.');
  });

  test('a kept connection that the server has ended is replaced without a failure', async () => {
    let connections = 0;
    script = (socket, line) => {
      if (line.startsWith('EHLO')) connections += 1;
      polite(socket, line);
      if (line.startsWith('MAIL') && connections === 2) socket.destroy();
    };
    const transport = transportTo(port());
    expect(await transport.deliver(email('ok'), never)).toMatchObject({ kind: 'sent' });
    for (const socket of sockets) socket.end('421 4.4.2 idle too long\r\n');
    await pause(50);
    expect(await transport.deliver(email('ok'), never)).toMatchObject({ kind: 'failed' });
    expect(await transport.deliver(email('ok'), never)).toMatchObject({ kind: 'sent' });
    // Not noticed yet when the next message is handed over.
    for (const socket of sockets) socket.destroy();
    expect(await transport.deliver(email('ok'), never)).toMatchObject({ kind: 'sent' });
    expect(connections).toBe(4);
  });

  test('no greeting, no listener: a failure within the time-outs', async () => {
    greeting = '';
    script = () => {};
    const begun = performance.now();
    const timeouts = { connect: 200, greeting: 200 };
    expect(await transportTo(port(), { timeouts }).deliver(email('ok'), never)).toMatchObject({
      kind: 'failed',
      permanent: false,
    });
    expect(await transportTo(1, { timeouts }).deliver(email('ok'), never)).toMatchObject({
      kind: 'failed',
      permanent: false,
    });
    // 192.0.2.0/24 is reserved for documentation: packets to it vanish or are refused.
    const url = 'smtp://192.0.2.1:25';
    expect(await transportTo(0, { url, timeouts }).deliver(email('ok'), never)).toMatchObject({
      kind: 'failed',
      permanent: false,
    });
    expect(performance.now() - begun).toBeLessThan(2_000);
    greeting = '220 hi\r\n';
  });
});

describe('the address of the server', () => {
  test.each<[string, object]>([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, tls: 'offered', auth: null }],
    ['smtp://u%40x:p%3Aw@mail.example.com:2525', { port: 2525, tls: 'required', auth: { user: 'u@x', pass: 'p:w' } }],
    ['smtp://u:p@localhost:25', { tls: 'offered' }],
    ['smtp://u:p@mail.example.com?tls=off', { tls: 'off' }],
    ['smtps://mail.example.com', { port: 465, tls: 'implicit' }],
    ['smtp://[::1]:25', { host: '::1', port: 25 }],
  ])('%s', (url, server) => {
    expect(parseSmtpUrl(url)).toMatchObject(server);
  });

  test.each(['http://x', 'smtp://', 'mail.example.com:25', 'smtp://u:secret@x?tls=maybe', 'smtp://u:12?secret@x'])(
    '%s is refused without telling the password',
    (url) => {
      expect(() => parseSmtpUrl(url)).toThrow(/^(?!.*secret)/);
    },
  );
});

test('connections and rate are parameters of the address', () => {
  const at = (query: string) => createSmtpTransport({ url: `smtp://127.0.0.1:1?tls=off${query}` });
  expect(at('')).toMatchObject({ concurrency: 10, rate: null });
  expect(at('&connections=25&rate=14')).toMatchObject({ concurrency: 25, rate: 14 });
  for (const query of ['&connections=0', '&connections=101', '&rate=fast']) expect(() => at(query)).toThrow(/SMTP_URL/);
  // A limit that is spelt wrong would be none.
  expect(() => at('&from=nobody')).toThrow('The from parameter of SMTP_URL must be an e-mail address');
  expect(() => at('&rates=14')).toThrow(
    'SMTP_URL has no parameter rates: there are tls, connections, rate, batch, from',
  );
});
