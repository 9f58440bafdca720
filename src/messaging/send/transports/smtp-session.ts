import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import SMTPConnection, { type SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import { type DeliveryResult, failed, type OutgoingEmail, sent, unknown } from './port.ts';
import { type Letter, type PipelineOutcome, SmtpPipeline } from './smtp-pipeline.ts';
import { refusal } from './smtp-replies.ts';

export interface SmtpServer {
  host: string;
  port: number;
  /** `implicit`: TLS from the first byte; `required`: STARTTLS or nothing; `offered`: STARTTLS where the server has it. */
  tls: 'implicit' | 'required' | 'offered' | 'off';
  auth: { user: string; pass: string } | null;
  tlsOptions: ConnectionOptions;
  timeouts: SmtpTimeouts;
}

/** Milliseconds: of the TCP connection; of greeting, EHLO and TLS together; of silence in a session. */
export interface SmtpTimeouts {
  connect: number;
  greeting: number;
  silence: number;
}

/** How a hand-over ended, and what it means for the session. */
interface Transmission {
  result: DeliveryResult;
  /** The server is in a known state and takes the next message. */
  usable: boolean;
  /** The session had ended before the server saw any of this message: another session may be tried at once. */
  stale: boolean;
}

type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

const CHUNK = 64 * 1024;
const PLAIN_ADDRESS = /^[\x21-\x3b\x3d\x3f-\x7e]+$/;

/** A connection on which messages are handed over one after the other. */
export class SmtpSession {
  readonly #connection: SMTPConnection;
  /** What is to be done when the connection ends, for whatever reason: one listener, replaced at each step. */
  #whenEnded: () => void = () => {};
  /** The server's reply to EHLO. */
  #offers = '';
  handedOver = 0;

  private constructor(connection: SMTPConnection) {
    this.#connection = connection;
    connection.once('end', () => this.#whenEnded());
  }

  /** Connects, secures and logs in; rejects with what went wrong. */
  static async open(server: SmtpServer, signal: AbortSignal): Promise<SmtpSession> {
    const connection = new SMTPConnection({
      connection: await openSocket(server, signal),
      host: server.host,
      port: server.port,
      secure: server.tls === 'implicit',
      requireTLS: server.tls === 'required',
      ignoreTLS: server.tls === 'off',
      tls: server.tlsOptions,
      connectionTimeout: server.timeouts.greeting,
      greetingTimeout: server.timeouts.greeting,
      socketTimeout: server.timeouts.silence,
      socketCloseTimeout: 1_000,
    });
    const session = new SmtpSession(connection);
    const abort = () => connection.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      await new Promise<void>((resolve, reject) => {
        // Stays for the whole life of the session: an error without a listener would end the process.
        connection.on('error', reject);
        session.#whenEnded = () => reject(new Error(signal.aborted ? 'aborted' : 'the connection was closed'));
        const done = (error?: Error | null) => (error ? reject(error) : resolve());
        connection.connect((error) => {
          session.#offers = connection.lastServerResponse || '';
          if (error || !server.auth) done(error);
          else connection.login({ credentials: server.auth }, done);
        });
        if (signal.aborted) abort();
      });
      return session;
    } catch (error) {
      connection.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  onEnd(listener: () => void): void {
    this.#whenEnded = listener;
  }

  /** Sends QUIT, and closes after the reply or after a second. */
  quit(): void {
    if (this.#connection.destroyed) return;
    const timer = setTimeout(() => this.#connection.close(), 1_000);
    this.#whenEnded = () => clearTimeout(timer);
    this.#connection.quit();
  }

  /**
   * Whether the message may go together with others: the server has PIPELINING (RFC 2920), takes its size (RFC 1870), and
   * the addresses may stand in a command as they are.
   */
  takesTogether({ from, to }: Pick<OutgoingEmail, 'from' | 'to'>, raw: Buffer): boolean {
    const limit = Number(/^250[ -]SIZE (\d+)/im.exec(this.#offers)?.[1] ?? 0);
    return (
      /^250[ -]PIPELINING\s*$/im.test(this.#offers) &&
      (limit === 0 || raw.length <= limit) &&
      PLAIN_ADDRESS.test(from) &&
      PLAIN_ADDRESS.test(to)
    );
  }

  /**
   * Hands over several letters in our own words; the library has its connection back afterwards. `until` is the moment of
   * `monotonicMs` after which no further letter is begun.
   */
  async transmitAll(letters: readonly Letter[], until: number, signal: AbortSignal): Promise<PipelineOutcome> {
    this.handedOver += letters.length;
    const connection = this.#connection;
    const socket = connection._socket;
    if (!socket || connection.destroyed) {
      return { results: letters.map(() => null), usable: false, reason: 'the connection was closed' };
    }
    const size = /^250[ -]SIZE\b/im.test(this.#offers);
    const pipeline = new SmtpPipeline(socket, letters, { size, until });
    const library = socket.listeners('data') as ((piece: Buffer) => void)[];
    for (const listener of library) socket.off('data', listener);
    const abort = () => pipeline.end('aborted');
    signal.addEventListener('abort', abort, { once: true });
    this.#whenEnded = () => pipeline.end('the connection was closed');
    const running = pipeline.run();
    if (signal.aborted) abort();
    const outcome = await running;
    signal.removeEventListener('abort', abort);
    this.#whenEnded = () => {};
    if (outcome.usable) for (const listener of library) socket.on('data', listener);
    else connection.close();
    return outcome;
  }

  /**
   * Hands over one message. The library writes the final dot when it has read the body to its end, so until `end` no
   * server can have taken the message; after it only a complete reply of the server counts.
   */
  async transmit(message: Pick<OutgoingEmail, 'from' | 'to'>, raw: Buffer, signal: AbortSignal): Promise<Transmission> {
    this.handedOver += 1;
    const connection = this.#connection;
    const body = Readable.from(chunksOf(raw), { objectMode: false });
    let dotWritten = false;
    body.once('end', () => {
      dotWritten = true;
    });
    const outcome = await new Promise<{ error: SmtpError } | { info: SMTPConnectionSendInfo }>((resolve) => {
      const abort = () => {
        resolve({ error: new Error('aborted') });
        connection.close();
      };
      signal.addEventListener('abort', abort, { once: true });
      // The library's own error, if it has one, follows the event at once and is more specific.
      this.#whenEnded = () => queueMicrotask(() => resolve({ error: new Error('the connection was closed') }));
      const envelope = { from: message.from, to: [message.to], size: raw.length };
      connection.send(envelope, body, (error, info) => {
        signal.removeEventListener('abort', abort);
        resolve(error ? { error } : { info });
      });
      if (signal.aborted) abort();
    });
    const interrupted = body.readableDidRead && !dotWritten;
    // A reply in the middle of the body: the rest of the body must not follow it.
    if (interrupted) connection.close();
    if ('info' in outcome) {
      const { response } = outcome.info;
      return {
        result: interrupted
          ? unknown(`the server replied before the message was complete: ${response}`)
          : sent(response),
        usable: !interrupted,
        stale: false,
      };
    }
    const { error } = outcome;
    return {
      result: dotWritten ? resultAfterDot(error) : resultBeforeDot(error),
      usable: error.responseCode !== undefined && (await this.#reset()),
      stale: !body.readableDidRead && (error.responseCode === 421 || LOST.has(error.code ?? '')),
    };
  }

  /** After a refusal; false when the session has ended or does not reply as expected. */
  #reset(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#whenEnded = () => resolve(false);
      this.#connection.reset((error) => resolve(!error));
    });
  }
}

/** Codes of the library for a connection that has gone. */
const LOST = new Set(['ECONNECTION', 'ESOCKET']);

function* chunksOf(raw: Buffer): Generator<Buffer> {
  for (let at = 0; at < raw.length; at += CHUNK) yield raw.subarray(at, at + CHUNK);
}

async function openSocket({ host, port, timeouts }: SmtpServer, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const socket = connect({ host, port });
  const abort = () => socket.destroy(new Error('aborted'));
  const tooLong = () => socket.destroy(new Error(`no connection within ${timeouts.connect} ms`));
  const timer = setTimeout(tooLong, timeouts.connect);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return socket;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function resultBeforeDot(error: SmtpError): DeliveryResult {
  // The library knows the server's limit from EHLO and asks nothing.
  if (error.code === 'EMESSAGE' && error.responseCode === undefined)
    return failed('message', error.message, { permanent: true });
  return refusalOf(error) ?? failed('service', error.message, { permanent: false });
}

/** Only a complete reply to the message itself counts, not a 421 or a partial line at the end of the connection. */
function resultAfterDot(error: SmtpError): DeliveryResult {
  return (
    (error.code === 'EMESSAGE' ? refusalOf(error) : null) ?? unknown(`no reply after the message: ${error.message}`)
  );
}

function refusalOf({ responseCode, response = '', command = '' }: SmtpError): DeliveryResult | null {
  return responseCode === undefined ? null : refusal({ code: responseCode, text: response }, command);
}
