import type { Socket } from 'node:net';
import { failed } from './port.ts';
import { connectSmtp, type SmtpConnection, type SmtpExtensions, type SmtpServer } from './smtp-connection.ts';
import { type Letter, type PipelineOutcome, SmtpPipeline } from './smtp-pipeline.ts';

/** Milliseconds to wait for a reply to QUIT. */
const QUIT_MS = 1_000;

/** A connection that hands over messages one after the other. */
export class SmtpSession {
  readonly #socket: Socket;
  readonly #extensions: SmtpExtensions;
  /** Called when the connection ends, for whatever reason: a single listener, replaced at each step. */
  #whenEnded: (reason: string) => void = () => {};
  #busy = false;
  handedOver = 0;

  private constructor({ socket, extensions }: SmtpConnection, silence: number) {
    this.#socket = socket;
    this.#extensions = extensions;
    let reason = 'the connection was closed';
    socket.setTimeout(silence, () => socket.destroy(new Error(`no response within ${silence} ms`)));
    socket.on('error', (error) => {
      reason = error.message;
    });
    socket.once('close', () => this.#whenEnded(reason));
    // An unsolicited reply announces the end of the session; a reply to QUIT ends it.
    socket.on('data', () => {
      if (!this.#busy) socket.destroy();
    });
  }

  /** Connects, secures and logs in; rejects with the reason. */
  static async open(server: SmtpServer, signal: AbortSignal): Promise<SmtpSession> {
    return new SmtpSession(await connectSmtp(server, signal), server.timeouts.silence);
  }

  onEnd(listener: () => void): void {
    this.#whenEnded = listener;
    if (this.#socket.destroyed) listener();
  }

  /** Sends QUIT, and closes after the reply or after a second. */
  quit(): void {
    if (this.#socket.destroyed) return;
    const timer = setTimeout(() => this.#socket.destroy(), QUIT_MS);
    this.#whenEnded = () => clearTimeout(timer);
    this.#socket.write('QUIT\r\n');
  }

  /**
   * Hands over letters one after the other; refuses those too large for the server. `until` is the time of `monotonicMs` after which no
   * further letter is started. An aborted signal ends it at once.
   */
  async transmit(letters: readonly Letter[], until: number, signal: AbortSignal): Promise<PipelineOutcome> {
    const limit = this.#extensions.size || Number.POSITIVE_INFINITY;
    const small = letters.filter(({ raw }) => raw.length <= limit);
    const outcome = await this.#transmitSmall(small, until, signal);
    const results = outcome.results.values();
    return {
      ...outcome,
      results: letters.map(({ raw }) =>
        raw.length <= limit
          ? results.next().value!
          : failed('message', `larger than the ${limit} bytes that the server accepts`, { permanent: true }),
      ),
    };
  }

  async #transmitSmall(letters: readonly Letter[], until: number, signal: AbortSignal): Promise<PipelineOutcome> {
    if (letters.length === 0) return { results: [], usable: true, reason: '' };
    if (this.#socket.destroyed) {
      return { results: letters.map(() => null), usable: false, reason: 'the connection was closed' };
    }
    this.handedOver += letters.length;
    const { pipelining, size } = this.#extensions;
    const pipeline = new SmtpPipeline(this.#socket, letters, { pipelining, size: size !== null, until });
    const abort = () => pipeline.end('aborted');
    signal.addEventListener('abort', abort, { once: true });
    this.#whenEnded = (reason) => pipeline.end(reason);
    this.#busy = true;
    const running = pipeline.run();
    if (signal.aborted) abort();
    const outcome = await running;
    this.#busy = false;
    signal.removeEventListener('abort', abort);
    this.#whenEnded = () => {};
    // The rest of a message must not be sent.
    if (!outcome.usable) this.#socket.destroy();
    return outcome;
  }
}
