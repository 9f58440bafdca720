import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where raw bytes are sent: to the program itself, or over TLS to a proxy under the name in its certificate. */
export interface Target {
  port: number;
  tls?: { servername: string; ca: string };
  /** The local address from which to connect. */
  from?: string;
}

export interface Exchange {
  /** All bytes received, one character per byte. */
  text: string;
  /** Whether the other side ended the connection. */
  ended: boolean;
}

export interface Pause {
  /** Milliseconds to wait before sending these bytes. */
  after: number;
  bytes: string | Buffer;
}

/** How long a busy machine gets for what is still to come. */
const LONGEST_MS = 10_000;

/**
 * Sends bytes unchanged, then more after a pause, and reads until the connection ends, or for `ms` after the last byte was sent; longer
 * while what was read is not enough.
 */
export function exchangeRaw(
  target: Target,
  bytes: string | Buffer,
  more: Pause[] = [],
  { ms = 400, isEnough = () => true }: { ms?: number; isEnough?: (text: string) => boolean } = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let text = '';
    let ended = false;
    const timers: NodeJS.Timeout[] = [];
    const socket = open(target);
    const write = (): void => {
      socket.write(bytes);
      let at = 0;
      for (const pause of more) {
        at += pause.after;
        timers.push(setTimeout(() => socket.writable && socket.write(pause.bytes), at));
      }
      const end = (after: number): void => {
        if (after >= LONGEST_MS || isEnough(text)) socket.destroy();
        else timers.push(setTimeout(() => end(after + 50), 50));
      };
      timers.push(setTimeout(() => end(ms), at + ms));
    };
    socket.once(target.tls ? 'secureConnect' : 'connect', write);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => {
      ended = true;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A refusal resets the connection when bytes are left unread: a valid result here.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') ended = true;
      else reject(error);
    });
    socket.on('close', () => {
      for (const timer of timers) clearTimeout(timer);
      resolve({ text, ended });
    });
  });
}

function open({ port, tls, from }: Target): Socket {
  const where = { host: '127.0.0.1', port, localAddress: from };
  return tls === undefined ? connect(where) : connectTls({ ...where, ...tls, ALPNProtocols: ['http/1.1'] });
}

export interface Response {
  status: number;
  /** By name, in lower case. */
  headers: Record<string, string>;
  /** The body as received, including chunk framing. */
  rest: string;
}

/** Returns the responses in the received text, without interim ones. */
export function responsesIn(text: string): Response[] {
  return text
    .split(/(?=HTTP\/1\.[01] \d{3})/)
    .filter((part) => /^HTTP\/1\.[01] (?!1\d\d)/.test(part))
    .map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const headers = Object.fromEntries(
        head
          .split('\r\n')
          .slice(1)
          .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
      );
      return { status: Number(part.slice(9, 12)), headers, rest: rest.join('\r\n\r\n') };
    });
}
