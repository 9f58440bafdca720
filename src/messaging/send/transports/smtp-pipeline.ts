import type { Socket } from 'node:net';
import { monotonicMs } from '../../../clock.ts';
import { type DeliveryResult, failed, sent, unknown } from './port.ts';
import { refusal, replyReader, type SmtpReply } from './smtp-replies.ts';

/** A message as sent over the wire. */
export interface Letter {
  /** Bare addresses of visible ASCII. */
  from: string;
  to: string;
  raw: Buffer;
}

export interface PipelineOutcome {
  /** In the order of the letters; null: the server has not received it, and another session may try at once. */
  results: (DeliveryResult | null)[];
  /** The server is in a known state and can take another message. */
  usable: boolean;
  /** Why the session ended before all letters were settled. */
  reason: string;
}

interface PipelineOptions {
  /** Whether commands may be sent before the previous one's reply (RFC 2920). */
  pipelining: boolean;
  /** Whether MAIL may name the size (RFC 1870). */
  size: boolean;
  /** Time of `monotonicMs` after which no further letter is started. */
  until: number;
}

/** Up to this size a letter and its final dot are written together; for a longer one the dot waits until the body has been sent. */
const WRITTEN_AT_ONCE = 64 * 1024;

/** A command of a letter, to be sent or waiting for its reply. */
interface Asked {
  index: number;
  command: 'RSET' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'message';
}

interface Planned extends Asked {
  line: string;
}

/**
 * Hands over letters on one socket. With PIPELINING (RFC 2920) the envelope of the next letter is sent together with the final dot of the
 * previous one, so that a letter costs one round trip; without it each command waits for the previous reply. The body of a letter is
 * written after the 354 to its DATA, which follows the reply to the previous dot: at most one dot is without a reply at any time.
 */
export class SmtpPipeline {
  readonly #socket: Socket;
  readonly #letters: readonly Letter[];
  readonly #options: PipelineOptions;
  readonly #results: (DeliveryResult | null)[];
  /** Commands not sent yet; empty with PIPELINING. */
  #planned: Planned[] = [];
  readonly #asked: Asked[] = [];
  readonly #read = replyReader();
  /** The letter whose final dot has been written but not replied to. */
  #awaitingReply: number | null = null;
  /** The letter whose body is being written: a reply now comes too early. */
  #writing: number | null = null;
  /** Whether the server has accepted the recipient of the current letter. */
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

  /** The connection has ended or must end: a letter whose dot has no reply becomes unknown. */
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

  /** Writes `text` and the planned commands: all of them, or a single one if none is waiting for its reply. */
  #send(text = ''): void {
    const many = this.#options.pipelining ? this.#planned.length : Math.min(1, this.#planned.length);
    const now = this.#options.pipelining || this.#asked.length === 0 ? this.#planned.splice(0, many) : [];
    for (const { index, command } of now) this.#asked.push({ index, command });
    const lines = text + now.map(({ line }) => line).join('');
    if (lines !== '') this.#socket.write(lines, 'latin1');
  }

  /** Plans the commands that start the next letter, if there is one and enough time for it. */
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
    // After any 421 the server closes the session (RFC 5321, 4.2); only after a message is it the reply to that message.
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
      // The unsent commands of this letter are now pointless.
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
        // The server continues although it refused the letter: only ending the session is safe.
        this.end(reply.text);
      } else if (known !== null) {
        // No recipient was accepted: an empty message ends the DATA that the server has begun (RFC 2920, 3.1).
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
      // A single write, so that it takes as few packets as possible.
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
    // The empty message of a letter refused earlier: that result is kept.
    if (this.#results[index] !== null) return;
    if (refused !== null) this.#results[index] = refused;
    else if (reply.code < 300 && !early) this.#results[index] = sent(reply.text);
    else this.#results[index] = unknown(`an unexpected reply to the message: ${reply.text}`);
    // Neither the rest of a body nor another command may follow an unexpected reply.
    if (early || (refused === null && reply.code >= 300)) this.end(reply.text);
  }
}

/** Returns Latin-1 with CRLF line ends throughout, dots at the start of lines doubled, and a line end at the end. */
function bodyOf(raw: Buffer): string {
  const text = raw.toString('latin1');
  if (isEncoded(text)) return text;
  const lines = text.split(/\r\n|\r|\n/);
  if (lines.at(-1) === '') lines.pop();
  return `${lines.map((line) => (line.startsWith('.') ? `.${line}` : line)).join('\r\n')}\r\n`;
}

const DOT = '.'.charCodeAt(0);

/** Whether every line ends with CRLF, including the last, and none starts with a dot. Searching takes half the time of a regex. */
function isEncoded(text: string): boolean {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    // No line is shorter than its CRLF.
    if (end <= start || text.charCodeAt(start) === DOT || text.indexOf('\r', start) !== end - 1) return false;
    start = end + 1;
  }
  return text !== '';
}
