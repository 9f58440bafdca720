import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Where raw bytes go: to the program itself, or by TLS to a proxy under the name that its certificate has. */
export interface Target {
  port: number;
  tls?: { servername: string; ca: string };
  /** The address of this machine that the connection comes from. */
  from?: string;
}

export interface Exchange {
  /** All that came back, one character a byte. */
  text: string;
  /** Whether the other side ended the connection. */
  ended: boolean;
}

export interface Pause {
  /** Milliseconds before these bytes are sent. */
  after: number;
  bytes: string | Buffer;
}

/** Sends bytes as they are, then more after a pause, and reads until the end of the connection or for `ms` beyond the last. */
export function exchangeRaw(target: Target, bytes: string | Buffer, more: Pause[] = [], ms = 400): Promise<Exchange> {
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
      timers.push(setTimeout(() => socket.destroy(), at + ms));
    };
    socket.once(target.tls ? 'secureConnect' : 'connect', write);
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => {
      ended = true;
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A refusal resets the connection when bytes are left unread: that is one of the results.
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
  /** By their names in lower case. */
  headers: Record<string, string>;
  /** The body as it came, chunks and all. */
  rest: string;
}

/** The responses in what came back, without interim ones. */
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
