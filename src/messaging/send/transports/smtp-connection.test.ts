import { createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { connectSmtp, type SmtpServer } from './smtp-connection.ts';

const never = new AbortController().signal;
const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

/** Starts a server on a free port that replies to each line as `respond` says; collects the lines it receives. */
async function scripted(
  respond: (line: string, socket: Socket) => string,
  greeting = '220 mail.example.net\r\n',
): Promise<{ port: number; lines: string[] }> {
  const lines: string[] = [];
  const sockets: Socket[] = [];
  const server: Server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(greeting);
    let rest = '';
    socket.on('data', (piece) => {
      const read = (rest + piece.toString('latin1')).split('\r\n');
      rest = read.pop()!;
      for (const line of read) {
        lines.push(line);
        const reply = respond(line, socket);
        if (reply !== '') socket.write(reply);
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  cleanUps.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' && address !== null ? address.port : 0, lines };
}

const to = (port: number, changes: Partial<SmtpServer> = {}): SmtpServer => ({
  host: '127.0.0.1',
  port,
  tls: 'off',
  auth: null,
  tlsOptions: {},
  timeouts: { connect: 500, greeting: 500, silence: 500 },
  ...changes,
});

async function open(server: SmtpServer, signal = never) {
  const connection = await connectSmtp(server, signal);
  cleanUps.push(() => connection.socket.destroy());
  return connection.extensions;
}

test('the extensions are those of the response to EHLO', async () => {
  const { port } = await scripted(
    () =>
      '250-mail.example.net\r\n250-PIPELINING\r\n250-SIZE 10240000\r\n250-AUTH PLAIN login\r\n250 AUTH=CRAM-MD5\r\n',
  );
  expect(await open(to(port))).toEqual({
    pipelining: true,
    size: 10_240_000,
    startTls: false,
    auth: new Set(['PLAIN', 'LOGIN', 'CRAM-MD5']),
  });
});

test('a server without ESMTP gets HELO', async () => {
  const { port, lines } = await scripted((line) => (line.startsWith('EHLO') ? '502 what?\r\n' : '250 hello\r\n'));
  expect(await open(to(port))).toMatchObject({ pipelining: false, size: null });
  expect(lines.map((line) => line.slice(0, 4))).toEqual(['EHLO', 'HELO']);
});

const auth = { user: 'shop', pass: 'p\u00e4ss word' };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test.each([
  ['PLAIN LOGIN', [`AUTH PLAIN ${base64('\0shop\0p\u00e4ss word')}`]],
  ['CRAM-MD5', [`AUTH PLAIN ${base64('\0shop\0p\u00e4ss word')}`]],
  ['LOGIN', ['AUTH LOGIN', base64('shop'), base64('p\u00e4ss word')]],
])('with AUTH %s the login is %j', async (offered, said) => {
  let left = said.length;
  const { port, lines } = await scripted((line) => {
    if (line.startsWith('EHLO')) return `250-x\r\n250 AUTH ${offered}\r\n`;
    left -= 1;
    return left === 0 ? '235 2.7.0 welcome\r\n' : '334 VXNlcm5hbWU6\r\n';
  });
  await open(to(port, { auth }));
  expect(lines.slice(1)).toEqual(said);
});

test.each(['PLAIN', 'LOGIN'])(
  'a login by %s that is refused says what the server said, and no password',
  async (by) => {
    const { port } = await scripted((line) =>
      line.startsWith('EHLO') ? `250-x\r\n250 AUTH ${by}\r\n` : '535 5.7.8 no such person\r\n',
    );
    await expect(open(to(port, { auth }))).rejects.toThrow(/^the login was refused: 535 5\.7\.8 no such person$/);
  },
);

test('a message is never sent without TLS if TLS is required', async () => {
  const without = await scripted(() => '250 x\r\n');
  await expect(open(to(without.port, { tls: 'required', auth }))).rejects.toThrow(/unexpected|refused/);
  const refusing = await scripted((line) => (line === 'STARTTLS' ? '454 not now\r\n' : '250-x\r\n250 STARTTLS\r\n'));
  await expect(open(to(refusing.port, { tls: 'required', auth }))).rejects.toThrow('STARTTLS was refused: 454 not now');
  expect([...without.lines, ...refusing.lines].some((line) => line.startsWith('AUTH'))).toBe(false);
});

test('a connection continues without TLS if TLS is optional and refused', async () => {
  const { port, lines } = await scripted((line) =>
    line === 'STARTTLS' ? '454 not now\r\n' : '250-x\r\n250 STARTTLS\r\n',
  );
  expect(await open(to(port, { tls: 'offered' }))).toMatchObject({ startTls: true });
  expect(lines).toHaveLength(2);
});

test('rejects plain text behind the reply to STARTTLS', async () => {
  const { port } = await scripted((line, socket) => {
    if (line !== 'STARTTLS') return '250-x\r\n250 STARTTLS\r\n';
    new TLSSocket(socket, { isServer: true }).on('error', () => {});
    return '220 go on\r\n250-x\r\n250 AUTH PLAIN\r\n';
  });
  await expect(open(to(port, { tls: 'required', auth }))).rejects.toThrow(/reply to no command/);
});

test('a server that falls silent is given up within the time of each phase', async () => {
  const mute = await scripted(() => '', '');
  const greeting = to(mute.port, { timeouts: { connect: 500, greeting: 100, silence: 5_000 } });
  await expect(open(greeting)).rejects.toThrow('no greeting, response to EHLO or TLS within 100 ms');
  const stuck = await scripted((line) => (line.startsWith('EHLO') ? '250 x\r\n' : ''));
  const silence = to(stuck.port, { auth, timeouts: { connect: 500, greeting: 5_000, silence: 100 } });
  await expect(open(silence)).rejects.toThrow('no response to the login within 100 ms');
});

test('an abort ends it in every phase', async () => {
  await expect(open(to(1), AbortSignal.abort(new Error('aborted')))).rejects.toThrow('aborted');
  const mute = await scripted(() => '', '');
  await expect(open(to(mute.port), AbortSignal.timeout(50))).rejects.toThrow('aborted');
});
