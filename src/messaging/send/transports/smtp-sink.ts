import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** For tests: what the server does with a message; selected by the recipient's local part, `ok` otherwise. */
export type SinkMode =
  | 'ok'
  | 'store-then-close'
  | 'close-before-dot'
  | 'refuse-later-after-dot'
  | 'refuse-after-dot'
  | 'slow'
  | 'silent'
  | 'refuse-recipient'
  | 'defer-recipient'
  | 'block-recipient'
  | 'greylist';

export interface SmtpSink {
  port: number;
  /** Messages received up to the final dot, in order of arrival, with the recipient. */
  stored: { to: string; raw: string }[];
  sessions: number;
  close(): Promise<void>;
}

function refusal(code: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: code });
}

/**
 * A real SMTP server on 127.0.0.1 that misbehaves on request. `slowMs`: delay of `slow` before its 250. `allowInsecureAuth`: no TLS needed.
 */
export async function startSmtpSink({
  slowMs = 300,
  password = '',
  allowInsecureAuth = false,
} = {}): Promise<SmtpSink> {
  const stored: SmtpSink['stored'] = [];
  const sink = { sessions: 0 };
  const server = new SMTPServer({
    authOptional: password === '',
    allowInsecureAuth,
    disableReverseLookup: true,
    closeTimeout: 100,
    size: 32 * 1024 * 1024,
    onConnect(_session, done) {
      sink.sessions += 1;
      done();
    },
    onAuth(auth, _session, done) {
      if (auth.password === password) done(null, { user: auth.username });
      else done(refusal(535, '5.7.8 Authentication failed'));
    },
    onMailFrom(address, _session, done) {
      done(address.address.startsWith('refuse-sender') ? refusal(550, '5.7.1 Sender not allowed') : null);
    },
    onRcptTo(address, _session, done) {
      const mode = address.address.split('@')[0];
      if (mode === 'refuse-recipient') done(refusal(550, '5.1.1 No such user'));
      else if (mode === 'defer-recipient') done(refusal(452, '4.2.2 Mailbox full'));
      else if (mode === 'block-recipient') done(refusal(554, '5.7.1 Client host is on a block list'));
      else if (mode?.startsWith('greylist')) done(refusal(451, '4.7.1 Greylisted, please come back later'));
      else done();
    },
    onData(stream, session, done) {
      const to = session.envelope.rcptTo[0]?.address ?? '';
      const mode = to.split('@')[0];
      const chunks: Buffer[] = [];
      const hangUp = () => socketOf(session.id)?.resetAndDestroy();
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (mode === 'close-before-dot') hangUp();
      });
      stream.on('end', () => {
        if (mode === 'close-before-dot') return;
        if (mode === 'refuse-later-after-dot') return done(refusal(451, '4.3.0 Try again later'));
        if (mode === 'refuse-after-dot') return done(refusal(554, '5.6.0 Content refused'));
        stored.push({ to, raw: Buffer.concat(chunks).toString('latin1') });
        if (mode === 'store-then-close') hangUp();
        else if (mode === 'slow') setTimeout(() => done(null, '2.0.0 Late but well'), slowMs);
        else if (mode !== 'silent') done(null, '2.0.0 Queued');
      });
    },
  });
  function socketOf(id: string): Socket | undefined {
    const connections: Iterable<{ id: string; _socket: Socket }> = server.connections;
    return [...connections].find((connection) => connection.id === id)?._socket;
  }
  server.on('error', () => {});
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.server.address() as AddressInfo).port,
    stored,
    get sessions() {
      return sink.sessions;
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  };
}
