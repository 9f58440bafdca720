import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse';
import { monotonicMs } from '../../clock.ts';

/** Longest record in bytes, including its line breaks. */
export const MAX_RECORD_BYTES = 1_048_576;
/** Milliseconds after which the event loop may run. */
const TURN_MS = 4;
/** Bytes that are parsed at once: of empty lines 2,048 records, which take 6 ms. */
const SLICE_BYTES = 2_048;

const LF = 10;
const CR = 13;

/** A line is longer than a record may be, or a quote in it is not closed and no line ends within that length. */
export class RecordTooLong extends Error {}

export interface RecordsOptions {
  delimiter: string;
  lineEnds: string[];
  /** Called for each record; with the line itself if its quotes are wrong. */
  onRecord(cells: string[] | string): void;
  /** Whether no further records are wanted; called for each slice. */
  isEnough(): boolean;
}

/**
 * Parses records with csv-parse in constant memory. A record with wrong quotes ends with its first line, and what follows is read anew: csv-parse alone
 * would take the lines up to the next quote for a part of it, of which nobody would hear again.
 */
export class Records {
  private readonly options: RecordsOptions;
  private parser: ReturnType<typeof parse>;
  private failure: Error | null = null;
  /** The bytes behind the last record. Positions are indexes in it. */
  private data: Buffer = Buffer.alloc(0);
  /** Where the record begins that is being read. */
  private recordAt = 0;
  /** The first byte that the parser was given. */
  private parserAt = 0;
  /** The first byte that the parser was not given yet. */
  private unread = 0;
  /** Whether the record that is being read has wrong quotes. */
  private isFaulty = false;

  constructor(options: RecordsOptions) {
    this.options = options;
    this.parser = this.start();
  }

  /** Throws RecordTooLong. */
  async write(text: string): Promise<void> {
    const { recordAt } = this;
    this.data = Buffer.concat([this.data.subarray(recordAt), Buffer.from(text)]);
    this.parserAt -= recordAt;
    this.unread -= recordAt;
    this.recordAt = 0;
    await this.read(false);
  }

  /** Reads what is left. */
  async end(): Promise<void> {
    await this.read(true);
    do {
      const { promise: closed, resolve } = Promise.withResolvers<void>();
      this.parser.once('end', resolve).once('error', () => resolve());
      this.parser.end();
      await closed;
      // Only the end of the file shows that a quote is not closed.
    } while (await this.read(true));
  }

  private start(): ReturnType<typeof parse> {
    const { delimiter, lineEnds, onRecord } = this.options;
    const parser = parse({
      delimiter,
      record_delimiter: lineEnds,
      relax_column_count: true,
      max_record_size: MAX_RECORD_BYTES,
      on_record: (cells: string[], { bytes }) => {
        this.recordAt = this.parserAt + bytes;
        onRecord(cells);
        // None reach the stream.
        return null;
      },
    });
    // Its first fault ends a parser: each further one of the line would take as long as what was read of it.
    parser.on('error', (error: Error) => {
      if (parser === this.parser) this.fail(error);
    });
    return parser.resume();
  }

  private fail(error: Error): void {
    if (error instanceof CsvError) this.isFaulty = true;
    else this.failure ??= error;
  }

  /** Gives the parser what it has not read; behind a faulty line one line at a time, since all behind the next one is read again. */
  private async read(isEnd: boolean): Promise<boolean> {
    let began = monotonicMs();
    let hadFault = false;
    for (;;) {
      if (this.failure !== null) throw this.failure;
      if (this.isFaulty) {
        if (!this.passLine(isEnd)) break;
        hadFault = true;
      }
      if (this.unread === this.data.length || this.options.isEnough()) break;
      const to = hadFault ? this.lineEnd(this.unread, true) : Math.min(this.data.length, this.unread + SLICE_BYTES);
      this.parse(this.data.subarray(this.unread, to));
      this.unread = to;
      // The event of it comes later.
      if (this.parser.errored) this.fail(this.parser.errored);
      if (monotonicMs() - began < TURN_MS) continue;
      await setImmediate();
      began = monotonicMs();
    }
    return hadFault;
  }

  /**
   * The parser makes an error for each record that has not as many cells as the first one, and drops it. Without their traces such records
   * take a third of the time.
   */
  private parse(bytes: Buffer): void {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    try {
      this.parser.write(bytes);
    } finally {
      Error.stackTraceLimit = limit;
    }
  }

  /** Passes the line on which the faulty record begins; false if its end is not there yet. */
  private passLine(isEnd: boolean): boolean {
    const from = this.recordAt;
    const to = this.lineEnd(from, isEnd);
    if ((to === -1 ? this.data.length : to) - from > MAX_RECORD_BYTES) throw new RecordTooLong();
    if (to === -1) return false;
    this.options.onRecord(this.data.toString('utf8', from, this.withoutLineEnd(from, to)));
    this.parser.destroy();
    this.parser = this.start();
    this.isFaulty = false;
    this.recordAt = to;
    this.parserAt = to;
    this.unread = to;
    return true;
  }

  private withoutLineEnd(from: number, to: number): number {
    let end = to;
    if (end > from && this.data[end - 1] === LF) end--;
    if (end > from && this.data[end - 1] === CR) end--;
    return end;
  }

  /** Returns where the line behind that at `from` begins; the end of the data where it has no end and `isEnd`, else -1. */
  private lineEnd(from: number, isEnd: boolean): number {
    const lf = this.data.indexOf(LF, from);
    const none = isEnd ? this.data.length : -1;
    if (!this.options.lineEnds.includes('\r')) return lf === -1 ? none : lf + 1;
    const cr = this.data.indexOf(CR, from);
    if (cr === -1 || (lf !== -1 && lf < cr)) return lf === -1 ? none : lf + 1;
    // The LF of a CRLF may not be there yet.
    if (cr + 1 === this.data.length) return none;
    return this.data[cr + 1] === LF ? cr + 2 : cr + 1;
  }
}
