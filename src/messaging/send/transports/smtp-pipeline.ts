import type { Socket } from 'node:net';
import { monotonicMs } from '../../../clock.ts';
import { type DeliveryResult, failed, sent, unknown } from './port.ts';
import { refusal, replyReader, type SmtpReply } from './smtp-replies.ts';

/** A message as it goes over the wire. */
export interface Letter {
  /** Bare addresses of visible ASCII. */
  from: string;
  to: string;
  raw: Buffer;
}

export interface PipelineOutcome {
  /** In the order of the letters; null: the server has not had it, and another session may be tried at once. */
  results: (DeliveryResult | null)[];
  /** The server is in a known state and takes the next message. */
  usable: boolean;
  /** Why the session ended before all letters were settled. */
  reason: string;
}

interface PipelineOptions {
  /** Whether commands may be sent before the reply to the one before (RFC 2920). */
  pipelining: boolean;
  /** Whether MAIL may name the size (RFC 1870). */
  size: boolean;
  /** The moment of `monotonicMs` after which no further letter is begun. */
  until: number;
}

/** Up to here a letter and its final dot are written at once; of a longer one the dot waits until the rest is out. */
const WRITTEN_AT_ONCE = 64 * 1024;

/** A command of a letter: one that is to be sent, or one that waits for its reply. */
interface Asked {
  index: number;
  command: 'RSET' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'message';
}

interface Planned extends Asked {
  line: string;
}

/**
 * Hands over letters on one socket. With PIPELINING (RFC 2920) the envelope of the next one leaves together with the final
 * dot of the one before, so that a letter costs one round trip; without it each command waits for the reply to the one
 * before. A letter's body is written after the 354 to its own DATA, which follows the reply to the dot before: at any
 * moment at most one dot has no reply.
 */
export class SmtpPipeline {
  readonly #socket: Socket;
  readonly #letters: readonly Letter[];
  readonly #options: PipelineOptions;
  readonly #results: (DeliveryResult | null)[];
  /** Commands that are not sent yet; with PIPELINING none waits here. */
  #planned: Planned[] = [];
  readonly #asked: Asked[] = [];
  readonly #read = replyReader();
  /** The letter whose final dot was written and has no reply yet. */
  #awaitingReply: number | null = null;
  /** The letter whose body is being written: a reply now comes too early. */
  #writing: number | null = null;
  /** Whether the server has accepted the recipient of the letter that is asked about. */
  #hasRecipient = false;
  #next = 0;
  #done: ((outcome: PipelineOutcome) => void) | undefined;

  constructor(socket: Socket, letters: readonly Letter[], options: PipelineOptions) {
    this.#socket = socket;
    this.#letters = letters;
    this.#options = options;
    this.#results = letters.map(() => null);
  }

  /** Resolves once all letters are settled, or after `end`. */
  run(): Promise<PipelineOutcome> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#socket.on('data', this.#take);
      this.#planNext(false);
      this.#send();
    });
  }

  /** The connection has ended or must end: a letter whose dot has no reply is unknown. */
  end(reason: string): void {
    if (this.#awaitingReply !== null)
      this.#results[this.#awaitingReply] = unknown(`no reply after the message: ${reason}`);
    this.#finish(false, reason);
  }

  #finish(usable: boolean, reason = ''): void {
    this.#socket.off('data', this.#take);
    this.#done?.({ results: this.#results, usable, reason });
    this.#done = undefined;
  }

  readonly #take = (piece: Buffer): void => {
    try {
      for (const reply of this.#read(piece)) if (this.#done !== undefined) this.#onReply(reply);
    } catch (error) {
      this.end(error instanceof Error ? error.message : 'no reply of SMTP');
    }
  };

  /** Writes `text`, and with it what is planned: all of it, or one command when none waits for its reply. */
  #send(text = ''): void {
    const many = this.#options.pipelining ? this.#planned.length : Math.min(1, this.#planned.length);
    const now = this.#options.pipelining || this.#asked.length === 0 ? this.#planned.splice(0, many) : [];
    for (const { index, command } of now) this.#asked.push({ index, command });
    const lines = text + now.map(({ line }) => line).join('');
    if (lines !== '') this.#socket.write(lines, 'latin1');
  }

  /** Plans the commands that begin the next letter; none when there is none, or no time for it. */
  #planNext(reset: boolean): void {
    const index = this.#next;
    const letter = this.#letters[index];
    const late = index > 0 && monotonicMs() > this.#options.until;
    if (reset) this.#planned.push({ index, command: 'RSET', line: 'RSET\r\n' });
    if (letter === undefined || late) return;
    this.#next += 1;
    const size = this.#options.size ? ` SIZE=${letter.raw.length}` : '';
    this.#planned.push(
      { index, command: 'MAIL FROM', line: `MAIL FROM:<${letter.from}>${size}\r\n` },
      { index, command: 'RCPT TO', line: `RCPT TO:<${letter.to}>\r\n` },
      { index, command: 'DATA', line: 'DATA\r\n' },
    );
  }

  #onReply(reply: SmtpReply): void {
    const asked = this.#asked.shift();
    // After any 421 the server closes the session (RFC 5321, 4.2); only after a message it is that message's reply.
    if (asked === undefined || (reply.code === 421 && asked.command !== 'message')) {
      this.end(reply.text);
      return;
    }
    const { index, command } = asked;
    const refused = refusal(reply, command);
    if (command === 'message') this.#onMessageReply(index, reply, refused);
    else if (command === 'DATA') this.#onDataReply(index, reply, refused);
    else if (reply.code >= 300 && (refused === null || command === 'RSET')) this.end(reply.text);
    else if (command !== 'RSET') {
      this.#results[index] ??= refused;
      this.#hasRecipient = command === 'RCPT TO' && refused === null;
      // What of this letter is not sent yet has no sense any more.
      if (refused !== null && !this.#options.pipelining) {
        this.#planned = [];
        this.#planNext(true);
      }
    }
    if (reply.code === 421) this.end(reply.text);
    if (this.#done === undefined || this.#writing !== null) return;
    this.#send();
    if (this.#asked.length === 0) this.#finish(true);
  }

  #onDataReply(index: number, reply: SmtpReply, refused: DeliveryResult | null): void {
    const known = this.#results[index] ?? null;
    if (reply.code === 354) {
      if (known !== null && this.#hasRecipient) {
        // The server goes on with what it has refused: nothing that ends it is safe but the end of the session.
        this.end(reply.text);
      } else if (known !== null) {
        // Nobody is left to deliver to: an empty message ends what the server has begun (RFC 2920, 3.1).
        this.#asked.push({ index, command: 'message' });
        this.#planNext(true);
        this.#send('.\r\n');
      } else {
        this.#write(index);
      }
      return;
    }
    if (refused === null) {
      this.#results[index] ??= failed('service', reply.text, { permanent: false });
      this.end(reply.text);
      return;
    }
    this.#results[index] ??= refused;
    this.#planNext(true);
  }

  #write(index: number): void {
    const body = bodyOf(this.#letters[index]!.raw);
    this.#asked.push({ index, command: 'message' });
    if (body.length <= WRITTEN_AT_ONCE) {
      this.#awaitingReply = index;
      this.#planNext(false);
      // One write, so that it leaves in as few packets as it fits.
      this.#send(`${body}.\r\n`);
      return;
    }
    this.#writing = index;
    this.#socket.write(body, 'latin1', (error) => {
      if (error || this.#done === undefined) return;
      this.#writing = null;
      this.#awaitingReply = index;
      this.#planNext(false);
      this.#send('.\r\n');
    });
  }

  #onMessageReply(index: number, reply: SmtpReply, refused: DeliveryResult | null): void {
    const early = this.#writing === index;
    this.#awaitingReply = null;
    // The empty message of a letter that was refused before: that result stays.
    if (this.#results[index] !== null) return;
    if (refused !== null) this.#results[index] = refused;
    else if (reply.code < 300 && !early) this.#results[index] = sent(reply.text);
    else this.#results[index] = unknown(`an unexpected reply to the message: ${reply.text}`);
    // Neither the rest of a body nor another command may follow an unexpected reply.
    if (early || (refused === null && reply.code >= 300)) this.end(reply.text);
  }
}

/** As Latin-1: with CRLF line ends throughout, dots at the beginning of lines doubled, and a line end at the end. */
function bodyOf(raw: Buffer): string {
  const text = raw.toString('latin1');
  if (isEncoded(text)) return text;
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return `${lines.map((line) => (line.startsWith('.') ? `.${line}` : line)).join('\r\n')}\r\n`;
}

const DOT = '.'.charCodeAt(0);

/** Whether each line ends with CRLF, the last one too, and none begins with a dot. Searches, which take half the time of a pattern. */
function isEncoded(text: string): boolean {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    // No line is shorter than its CRLF.
    if (end <= start || text.charCodeAt(start) === DOT || text.indexOf('\r', start) !== end - 1) return false;
    start = end + 1;
  }
  return text !== '';
}
