import { createServer, type Server, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { DeliveryResult, Transport } from './port.ts';
import { createSmtpTransport } from './smtp.ts';
import { replyReader } from './smtp-replies.ts';
import { startSmtpSink } from './smtp-sink.ts';
import { email } from './testing-email.ts';

const never = new AbortController().signal;

/** Returns the server's reply to a command or a message; undefined for the usual one. */
type Whim = (command: string, message: string) => string | undefined;
/** In place of a reply: never reply again, or close the connection. Earlier replies are sent first. */
const SILENCE = 'silence';
const END = 'end';

/** A server with PIPELINING that keeps what it acknowledged, in order. */
class Server25 {
  readonly server: Server;
  readonly taken: string[] = [];
  /** Commands and messages (as their recipient) of all sessions. */
  readonly seen: string[] = [];
  readonly sockets = new Set<Socket>();
  sessions = 0;
  extensions = '250-PIPELINING\r\n250 SIZE 100000\r\n';
  whim: Whim = () => undefined;
  /** How replies are written. */
  write: (socket: Socket, replies: string) => void = (socket, replies) => void socket.write(replies);

  constructor() {
    this.server = createServer((socket) => this.#serve(socket));
  }

  #serve(socket: Socket): void {
    this.sessions += 1;
    this.sockets.add(socket);
    socket.on('error', () => {});
    socket.write('220 hi\r\n');
    let data = '';
    let to: string | null = null;
    let body: string[] | null = null;
    let open = false;
    let lost = false;
    socket.on('data', (chunk) => {
      if (lost) return;
      data += chunk.toString('latin1');
      const lines = data.split('\r\n');
      data = lines.pop()!;
      let replies = '';
      for (const line of lines) {
        if (body !== null && line !== '.') {
          body.push(line);
          continue;
        }
        const command = line.split(':')[0]!;
        const address = /<(.*?)@/.exec(line)?.[1] ?? to ?? '';
        this.seen.push(`${command} ${address}`.trim());
        const odd = this.whim(command, address);
        if (odd === SILENCE || odd === END) {
          if (replies !== '') this.write(socket, replies);
          if (odd === END) socket.end();
          lost = true;
          return;
        }
        if (odd !== undefined) replies += odd;
        if (line === '.') {
          body = null;
          open = false;
          if (odd === undefined || odd.startsWith('250')) this.taken.push(to ?? 'nobody');
          if (odd === undefined) replies += '250 2.0.0 taken\r\n';
          to = null;
        } else if (command === 'MAIL FROM') {
          if (odd === undefined) replies += open ? '503 5.5.1 nested MAIL\r\n' : '250 ok\r\n';
          open ||= odd === undefined;
        } else if (command === 'RCPT TO') {
          if (odd === undefined && open) to = address;
          if (odd === undefined) replies += open ? '250 ok\r\n' : '503 5.5.1 no sender\r\n';
        } else if (line === 'DATA') {
          if (odd === undefined) replies += to === null ? '503 5.5.1 no recipient\r\n' : '354 go on\r\n';
          if (replies.endsWith('354 go on\r\n')) body = [];
        } else if (line === 'RSET') {
          open = false;
          to = null;
          replies += '250 ok\r\n';
        } else if (command.startsWith('EHLO')) replies += `250-x\r\n${this.extensions}`;
        else if (line === 'QUIT') replies += '221 bye\r\n';
      }
      if (replies !== '') this.write(socket, replies);
    });
  }
}

const kinds = (results: DeliveryResult[]): string[] =>
  results.map((result) =>
    result.kind === 'failed' ? `${result.permanent ? 'refused' : 'later'} ${result.fault}` : result.kind,
  );

describe('several messages on one connection', () => {
  let one: Server25;
  let transport: Transport;
  async function start(
    changes: Partial<Pick<Server25, 'whim' | 'write' | 'extensions'>> = {},
    query = '',
  ): Promise<void> {
    one = Object.assign(new Server25(), changes);
    await new Promise<void>((listening) => one.server.listen(0, '127.0.0.1', listening));
    const address = one.server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    transport = createSmtpTransport({
      url: `smtp://127.0.0.1:${port}?tls=off&batch=10${query}`,
      timeouts: { silence: 2_000 },
    });
  }
  async function stop(): Promise<void> {
    await transport.close();
    for (const socket of one.sockets) socket.destroy();
    one.server.close();
  }
  afterEach(stop);

  const names = ['a', 'b', 'c', 'd', 'e'];
  const send = () =>
    transport.deliverAll(
      names.map((name) => email(name)),
      never,
    );

  test('all are taken, in order, each in one round trip', async () => {
    await start();
    const begun = one.seen.length;
    expect(kinds(await send())).toEqual(names.map(() => 'sent'));
    expect(one.taken).toEqual(names);
    expect(one.sessions).toBe(1);
    const commands = one.seen.slice(begun).filter((line) => !line.startsWith('EHLO'));
    expect(commands.slice(0, 5)).toEqual(['MAIL FROM bounces', 'RCPT TO a', 'DATA a', '. a', 'MAIL FROM bounces']);
    // The session is in a state that allows another message.
    expect(await transport.deliver(email('f'), never)).toMatchObject({ kind: 'sent' });
    expect(kinds(await send())).toEqual(names.map(() => 'sent'));
    expect(one.sessions).toBe(1);
  });

  test.each<[string, Whim, string]>([
    [
      'a refused recipient',
      (command, to) => (command === 'RCPT TO' && to === 'c' ? '550 5.1.1 nobody\r\n' : undefined),
      'refused recipient',
    ],
    [
      'a recipient for later',
      (command, to) => (command === 'RCPT TO' && to === 'c' ? '452 4.2.2 full\r\n' : undefined),
      'later recipient',
    ],
    [
      '451 after the dot',
      (command, to) => (command === '.' && to === 'c' ? '451 4.3.0 later\r\n' : undefined),
      'later service',
    ],
    [
      '554 after the dot',
      (command, to) => (command === '.' && to === 'c' ? '554-5.6.0 not\r\n554 5.6.0 this\r\n' : undefined),
      'refused message',
    ],
    [
      '554 to DATA',
      (command, to) => (command === 'DATA' && to === 'c' ? '554 5.6.0 no\r\n' : undefined),
      'refused message',
    ],
    [
      '421 after the dot',
      (command, to) => (command === '.' && to === 'c' ? '421 4.3.2 closing\r\n' : undefined),
      'later service',
    ],
  ])('%s is the reply to its message alone, with PIPELINING and without', async (_name, whim, kind) => {
    for (const extensions of [new Server25().extensions, '250 SIZE 100000\r\n']) {
      await start({ whim, extensions });
      expect(kinds(await send())).toEqual(['sent', 'sent', kind, 'sent', 'sent']);
      expect(one.taken).toEqual(['a', 'b', 'd', 'e']);
      expect(await transport.deliver(email('f'), never)).toMatchObject({ kind: 'sent' });
      await stop();
    }
  });

  test.each(['PIPELINING', 'HELP'])('a refused sender costs its message alone: a server with %s', async (extension) => {
    let mails = 0;
    await start({
      extensions: `250 ${extension}\r\n`,
      whim: (command) => (command === 'MAIL FROM' && ++mails === 2 ? '550 5.7.1 not you\r\n' : undefined),
    });
    expect(kinds(await send())).toEqual(['sent', 'refused message', 'sent', 'sent', 'sent']);
    expect(one.taken).toEqual(['a', 'c', 'd', 'e']);
  });

  test('DATA accepted without recipients: an empty message ends it', async () => {
    const whim: Whim = (command, to) => {
      if (command === 'RCPT TO' && to === 'c') return '550 5.1.1 nobody\r\n';
      return undefined;
    };
    await start({ whim });
    const dataAlways = one.whim;
    let refused = false;
    one.whim = (command, to) => {
      const odd = dataAlways(command, to);
      if (odd !== undefined) refused = true;
      if (command === 'DATA' && refused) {
        refused = false;
        return '354 go on\r\n';
      }
      if (command === '.' && to === '') return '554 5.5.1 no recipients\r\n';
      return odd;
    };
    expect(kinds(await send())).toEqual(['sent', 'sent', 'refused recipient', 'sent', 'sent']);
    expect(one.taken).toEqual(['a', 'b', 'd', 'e']);
  });

  test('a connection dropped between two dots leaves one outcome unknown; the rest go by another', async () => {
    await start();
    let dropped = false;
    one.whim = (command, to) => {
      if (command !== '.' || to !== 'c' || dropped) return undefined;
      dropped = true;
      return END;
    };
    expect(kinds(await send())).toEqual(['sent', 'sent', 'unknown', 'sent', 'sent']);
    expect(one.taken.filter((to) => to !== 'c')).toEqual(['a', 'b', 'd', 'e']);
    expect(one.sessions).toBe(2);
  });

  test('a connection dropped before the 354 leaves no outcome unknown', async () => {
    await start();
    let dropped = false;
    one.whim = (command, to) => {
      if (command !== 'DATA' || to !== 'c' || dropped) return undefined;
      dropped = true;
      return END;
    };
    expect(kinds(await send())).toEqual(names.map(() => 'sent'));
    expect(one.taken).toEqual(names);
  });

  test('a server that ends every session gets no endless row of them', async () => {
    await start({ whim: (command) => (command === 'MAIL FROM' ? '421 4.3.2 busy\r\n' : undefined) });
    expect(kinds(await send())).toEqual(names.map(() => 'later service'));
    expect(one.sessions).toBe(3);
  });

  test('silence after a dot leaves that outcome unknown', async () => {
    await start({ whim: (command, to) => (command === '.' && to === 'b' ? SILENCE : undefined) });
    expect(kinds(await send())).toEqual(['sent', 'unknown', 'sent', 'sent', 'sent']);
  });

  test('nonsense after a dot leaves that outcome unknown', async () => {
    await start({ whim: (command, to) => (command === '.' && to === 'b' ? 'what?\r\n' : undefined) });
    expect(kinds(await send())).toEqual(['sent', 'unknown', 'sent', 'sent', 'sent']);
  });

  test('half a refusal and then the end leaves that outcome unknown', async () => {
    await start({ whim: (command, to) => (command === '.' && to === 'b' ? '550 5.1.1 n' : undefined) });
    one.write = (socket, replies) => {
      if (replies.includes('5.1.1 n')) socket.end(replies.slice(0, replies.indexOf('5.1.1 n') + 7));
      else socket.write(replies);
    };
    expect(kinds(await send())).toEqual(['sent', 'unknown', 'sent', 'sent', 'sent']);
  });

  test('an abort: deliveries not begun may be retried, begun ones have an unknown outcome', async () => {
    await start({ whim: (command, to) => (command === '.' && to === 'b' ? SILENCE : undefined) });
    const results = await transport.deliverAll(
      names.map((name) => email(name)),
      AbortSignal.timeout(300),
    );
    expect(kinds(results)).toEqual(['sent', 'unknown', 'later service', 'later service', 'later service']);
  });

  test('replies byte by byte, with a refusal among them', async () => {
    await start({
      whim: (command, to) => (command === 'RCPT TO' && to === 'b' ? '550-5.1.1 no\r\n550 5.1.1 body\r\n' : undefined),
    });
    one.write = (socket, replies) => {
      socket.setNoDelay(true);
      void (async () => {
        for (const byte of replies) {
          socket.write(byte);
          await new Promise((next) => setImmediate(next));
        }
      })();
    };
    expect(kinds(await send())).toEqual(['sent', 'refused recipient', 'sent', 'sent', 'sent']);
  });

  test('a message above the size that the server takes is refused without asking; addresses that are none as well', async () => {
    await start();
    const big = email('big', `Subject: x\r\n\r\n${'x'.repeat(76)}\r\n`.repeat(2_000));
    const evil = { ...email('x'), to: 'ok@example.net>\r\nRCPT TO:<evil@example.net' };
    const results = await transport.deliverAll([email('a'), big, evil, email('b')], never);
    expect(kinds(results)).toEqual(['sent', 'refused message', 'refused recipient', 'sent']);
    expect(one.taken).toEqual(['a', 'b']);
  });

  test('a long message waits with its dot until it is out, and is whole', async () => {
    await start({ extensions: '250 PIPELINING\r\n' });
    const long = email('long', `Subject: x\r\n\r\n${`.${'x'.repeat(75)}\r\n`.repeat(20_000)}`);
    expect(kinds(await transport.deliverAll([email('a'), long, email('b')], never))).toEqual(['sent', 'sent', 'sent']);
    expect(one.taken).toEqual(['a', 'long', 'b']);
  });

  test('without PIPELINING each command waits for the reply to the one before', async () => {
    let outstanding = 0;
    let most = 0;
    await start({
      extensions: '250 SIZE 100000\r\n',
      whim: () => {
        outstanding += 1;
        most = Math.max(most, outstanding);
        return undefined;
      },
      write: (socket, replies) => {
        outstanding = 0;
        socket.write(replies);
      },
    });
    expect(kinds(await send())).toEqual(names.map(() => 'sent'));
    expect(one.taken).toEqual(names);
    expect(one.sessions).toBe(1);
    expect(most).toBe(1);
  });
});

test('a real server takes them unchanged, dots and all, over several sessions', async () => {
  const sink = await startSmtpSink();
  const transport = createSmtpTransport({ url: `smtp://127.0.0.1:${sink.port}?tls=off&batch=100&connections=2` });
  const raw = 'Subject: x\r\n\r\n.\r\n..\r\n.dot\r\nend\r\n';
  const batches = [0, 1, 2].map((batch) => Array.from({ length: 70 }, (_, n) => email(`n${batch * 70 + n}`, raw)));
  const results = await Promise.all(batches.map((batch) => transport.deliverAll(batch, never)));
  expect(results.flat().every((result) => result.kind === 'sent')).toBe(true);
  expect(new Set(sink.stored.map(({ to }) => to)).size).toBe(210);
  expect(sink.stored).toHaveLength(210);
  expect(new Set(sink.stored.map((mail) => mail.raw))).toEqual(new Set([raw]));
  await transport.close();
  await sink.close();
});

test.each<[string, string, string]>([
  ['a line end that is none', 'a\r\nb\rc\nd\r\n', 'a\r\nb\r\nc\r\nd\r\n'],
  ['nothing but a line end that is none', '\n', '\r\n'],
  ['a dot behind a line end that is none', 'a\n.\nb\r.\rc\r\n', 'a\r\n.\r\nb\r\n.\r\nc\r\n'],
  ['a dot at the beginning', '.\r\nMAIL FROM:<a@b.net>\r\n', '.\r\nMAIL FROM:<a@b.net>\r\n'],
  ['no line end', 'a.b', 'a.b\r\n'],
  ['a line end cut in two', 'a\r\nb\r', 'a\r\nb\r\n'],
  ['bytes of other charsets', 'Gr\u00fc\u00dfe \u00ff\r\n', 'Gr\u00fc\u00dfe \u00ff\r\n'],
])('%s ends no message, and goes no other way', async (_name, raw, stored) => {
  const sink = await startSmtpSink();
  const transport = createSmtpTransport({ url: `smtp://127.0.0.1:${sink.port}?tls=off&batch=10` });
  const mails = ['a', 'b'].map((name) => ({ ...email(name), raw: async () => Buffer.from(raw, 'latin1') }));
  expect(kinds(await transport.deliverAll(mails, never))).toEqual(['sent', 'sent']);
  expect(sink.stored.map((mail) => mail.raw)).toEqual([stored, stored]);
  await transport.close();
  await sink.close();
});

test('replies are the same however the stream is cut', () => {
  const stream = Buffer.from('250-one\r\n250 Grüße\r\n354 go\r\n550-5.1.1 a\r\n550 5.1.1 b\r\n', 'utf8');
  const whole = replyReader()(stream);
  expect(whole).toEqual([
    { code: 250, text: '250-one\n250 Grüße' },
    { code: 354, text: '354 go' },
    { code: 550, text: '550-5.1.1 a\n550 5.1.1 b' },
  ]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: stream.length })), (cuts) => {
      const read = replyReader();
      const points = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
      const replies = points.slice(1).flatMap((end, i) => read(stream.subarray(points[i], end)));
      expect(replies).toEqual(whole);
    }),
  );
});
