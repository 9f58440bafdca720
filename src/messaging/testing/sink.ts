import { type AddressInfo, createServer, type Socket } from 'node:net';

/**
 * What the sink does with one message: `drop-at-data` closes the connection instead of requesting the message, `drop-before-dot` when its
 * first bytes arrive, `store-then-drop` after its dot and before the response; `later` responds 451; `late` responds 250 after a while.
 */
export type SinkAction = 'store' | 'late' | 'later' | 'drop-at-data' | 'drop-before-dot' | 'store-then-drop';

export interface CountingSink {
  port: number;
  /** How often each recipient's mail was accepted, by address. */
  stored: Map<string, number>;
  /** Matches of `capture` in the mails of each recipient, by address. */
  captured: Map<string, Set<string>>;
  /** Number of messages by action. */
  done: Map<SinkAction, number>;
  /** How long it takes to respond to a message whose action is `late`; may be changed. */
  speed: { lateMs: number };
  close(): Promise<void>;
}

/**
 * For tests: an SMTP server on plain sockets that only counts, so that tens of thousands of messages cost little. Calls `decide` once per
 * message with its recipient.
 */
export async function startCountingSink(
  decide: (to: string) => SinkAction,
  capture: RegExp | null = null,
): Promise<CountingSink> {
  const stored = new Map<string, number>();
  const captured = new Map<string, Set<string>>();
  const done = new Map<SinkAction, number>();
  const speed = { lateMs: 100 };
  const sockets = new Set<Socket>();

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
    let unread = '';
    let to = '';
    let action: SinkAction | null = null;

    function take(mail: string): void {
      const now = action!;
      action = null;
      if (now === 'later') return void socket.write('451 4.3.0 Try again later\r\n');
      stored.set(to, (stored.get(to) ?? 0) + 1);
      // Without the soft line breaks of quoted-printable.
      const found = capture?.exec(mail.replaceAll('=\r\n', ''))?.[0];
      if (found !== undefined) captured.set(to, (captured.get(to) ?? new Set()).add(found));
      if (now === 'store-then-drop') socket.destroy();
      else if (now === 'late') setTimeout(() => socket.write('250 2.0.0 Late but well\r\n'), speed.lateMs);
      else socket.write('250 2.0.0 Stored\r\n');
    }

    function command(line: string): void {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') return void socket.write('250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n');
      if (verb === 'QUIT') return void socket.end('221 2.0.0 Bye\r\n');
      if (verb === 'RCPT') to = /<([^>]*)>/.exec(line)?.[1] ?? '';
      if (verb !== 'DATA') return void socket.write('250 2.0.0 OK\r\n');
      action = decide(to);
      done.set(action, (done.get(action) ?? 0) + 1);
      if (action === 'drop-at-data') socket.destroy();
      else socket.write('354 Go on\r\n');
    }

    socket.write('220 sink ESMTP\r\n');
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      unread += chunk;
      while (unread !== '' && !socket.destroyed) {
        if (action === 'drop-before-dot') return void socket.destroy();
        const end = unread.indexOf(action === null ? '\r\n' : '\r\n.\r\n');
        if (end < 0) return;
        const head = unread.slice(0, end);
        unread = unread.slice(end + (action === null ? 2 : 5));
        if (action === null) command(head);
        else take(head);
      }
    });
  }

  const server = createServer(serve);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    port: (server.address() as AddressInfo).port,
    stored,
    captured,
    done,
    speed,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
