import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { replyReader, type SmtpReply } from './smtp-replies.ts';

export interface SmtpServer {
  host: string;
  port: number;
  /** `implicit`: TLS from the first byte; `required`: STARTTLS or failure; `offered`: STARTTLS if the server supports it. */
  tls: 'implicit' | 'required' | 'offered' | 'off';
  auth: { user: string; pass: string } | null;
  tlsOptions: ConnectionOptions;
  /** How the host name is resolved; by the system if absent. */
  lookup?: LookupFunction | undefined;
  timeouts: SmtpTimeouts;
}

/** In milliseconds: the TCP connection; greeting, EHLO and TLS together; silence within a session, including the login. */
export interface SmtpTimeouts {
  connect: number;
  greeting: number;
  silence: number;
}

/** Extensions listed in the server's reply to EHLO. */
export interface SmtpExtensions {
  /** RFC 2920 */
  pipelining: boolean;
  /** RFC 1870: the maximum size of a message in bytes, 0 for a server without a limit; null without the extension. */
  size: number | null;
  startTls: boolean;
  /** AUTH mechanisms, in upper case. */
  auth: ReadonlySet<string>;
}

export interface SmtpConnection {
  socket: Socket;
  extensions: SmtpExtensions;
}

const NO_EXTENSIONS: SmtpExtensions = { pipelining: false, size: null, startTls: false, auth: new Set() };

/** Connects, secures and logs in; rejects with the reason. The errors never contain the password. */
export async function connectSmtp(server: SmtpServer, signal: AbortSignal): Promise<SmtpConnection> {
  signal.throwIfAborted();
  const { greeting, silence } = server.timeouts;
  const tcp = connect({
    host: server.host,
    port: server.port,
    noDelay: true,
    ...(server.lookup && { lookup: server.lookup }),
  });
  // Destroying it ends everything awaited below, including over TLS.
  const abort = (): void => void tcp.destroy(new Error('aborted'));
  const timer = deadline(tcp);
  signal.addEventListener('abort', abort, { once: true });
  try {
    timer.set(server.timeouts.connect, 'no connection');
    await happened(tcp, 'connect');
    timer.set(greeting, 'no greeting, response to EHLO or TLS');
    const { dialogue, extensions } = await introduce(tcp, server);
    timer.set(silence, 'no response to the login');
    if (server.auth) await logIn(dialogue, server.auth, extensions);
    return { socket: dialogue.end(), extensions };
  } catch (error) {
    tcp.destroy();
    throw error;
  } finally {
    timer.clear();
    signal.removeEventListener('abort', abort);
  }
}

function deadline(socket: Socket): { set(ms: number, missing: string): void; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    set(ms, missing) {
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(new Error(`${missing} within ${ms} ms`)), ms);
    },
    clear: () => clearTimeout(timer),
  };
}

function happened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('the connection was closed'));
    socket.once('error', reject).once('close', closed);
    socket.once(event, () => {
      socket.off('error', reject).off('close', closed);
      resolve();
    });
  });
}

/** Runs up to the EHLO reply that counts: with TLS, the one after the handshake. */
async function introduce(tcp: Socket, server: SmtpServer): Promise<{ dialogue: Dialogue; extensions: SmtpExtensions }> {
  let dialogue = new Dialogue(server.tls === 'implicit' ? await secure(tcp, tcp, server) : tcp);
  await expectCode(dialogue.reply(), 220, 'the greeting');
  let extensions = await sayHello(dialogue);
  if (server.tls === 'required' || (server.tls === 'offered' && extensions.startTls)) {
    const reply = await dialogue.ask('STARTTLS');
    if (reply.code === 220) {
      // Plain text received after the reply is not parsed as if it had come over TLS: the old reader ends here.
      dialogue = new Dialogue(await secure(dialogue.end(), tcp, server));
      extensions = await sayHello(dialogue);
    } else if (server.tls === 'required') throw new Error(`STARTTLS was refused: ${reply.text}`);
  }
  return { dialogue, extensions };
}

async function secure(plain: Socket, tcp: Socket, { host, tlsOptions }: SmtpServer): Promise<Socket> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const secured = connectTls({ host, ...name, ...tlsOptions, socket: plain });
  // An abort or a deadline destroys the underlying socket, whose error is the one to report.
  tcp.on('error', (error) => secured.destroy(error));
  tcp.once('close', () => secured.destroy());
  await happened(secured, 'secureConnect');
  return secured;
}

async function sayHello(dialogue: Dialogue): Promise<SmtpExtensions> {
  const name = ownName();
  const reply = await dialogue.ask(`EHLO ${name}`);
  if (reply.code < 300) return extensionsOf(reply.text);
  await expectCode(dialogue.ask(`HELO ${name}`), 250, 'HELO');
  return NO_EXTENSIONS;
}

/** As required by RFC 5321: a full domain name, or an address literal if this machine has none. */
function ownName(): string {
  const name = hostname();
  return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name) && isIP(name) === 0 ? name : '[127.0.0.1]';
}

function extensionsOf(text: string): SmtpExtensions {
  const offered = new Map<string, string[]>();
  for (const line of text.split('\n').slice(1)) {
    const [keyword = '', ...parameters] = line
      .slice(4)
      .trim()
      .toUpperCase()
      .split(/[\s=]+/);
    offered.set(keyword, [...(offered.get(keyword) ?? []), ...parameters]);
  }
  const size = offered.get('SIZE');
  return {
    pipelining: offered.has('PIPELINING'),
    size: size === undefined ? null : Number(size[0] ?? 0) || 0,
    startTls: offered.has('STARTTLS'),
    auth: new Set(offered.get('AUTH')),
  };
}

/** RFC 4954: uses PLAIN, or LOGIN if only that is offered. */
async function logIn(
  dialogue: Dialogue,
  { user, pass }: { user: string; pass: string },
  { auth }: SmtpExtensions,
): Promise<void> {
  let reply: SmtpReply;
  if (auth.has('LOGIN') && !auth.has('PLAIN')) {
    reply = await dialogue.ask('AUTH LOGIN');
    for (const secret of [user, pass]) if (reply.code === 334) reply = await dialogue.ask(base64(secret));
  } else {
    reply = await dialogue.ask(`AUTH PLAIN ${base64(`\0${user}\0${pass}`)}`);
  }
  if (reply.code !== 235) throw new Error(`the login was refused: ${reply.text}`);
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

async function expectCode(reply: Promise<SmtpReply>, code: number, to: string): Promise<void> {
  const { code: got, text } = await reply;
  if (got !== code) throw new Error(`an unexpected reply to ${to}: ${text}`);
}

/** Sends one command at a time and waits for its reply. */
class Dialogue {
  readonly #socket: Socket;
  readonly #read = replyReader();
  readonly #replies: SmtpReply[] = [];
  #waiting: { resolve(reply: SmtpReply): void; reject(error: Error): void } | undefined;
  #failure: Error | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', this.#take).on('error', this.#fail).on('close', this.#closed);
  }

  ask(command: string): Promise<SmtpReply> {
    this.#socket.write(`${command}\r\n`);
    return this.reply();
  }

  reply(): Promise<SmtpReply> {
    const known = this.#replies.shift();
    if (known !== undefined) return Promise.resolve(known);
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Stops listening and returns the socket to the caller. Throws if the server sent more than it was asked for. */
  end(): Socket {
    this.#socket.off('data', this.#take).off('error', this.#fail).off('close', this.#closed);
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#replies.length > 0) throw new Error(`a reply to no command: ${this.#replies[0]!.text}`);
    return this.#socket;
  }

  readonly #take = (piece: Buffer): void => {
    try {
      this.#replies.push(...this.#read(piece));
    } catch (error) {
      this.#fail(error as Error);
      return;
    }
    const waiting = this.#waiting;
    const reply = waiting && this.#replies.shift();
    if (reply === undefined) return;
    this.#waiting = undefined;
    waiting!.resolve(reply);
  };

  readonly #fail = (error: Error): void => {
    this.#failure ??= error;
    this.#waiting?.reject(this.#failure);
    this.#waiting = undefined;
  };

  readonly #closed = (): void => this.#fail(new Error('the connection was closed'));
}
