import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { FairQueue, type Hold } from '../lib/fair-queue.ts';
import { networkOf } from '../lib/network.ts';
import { RawJson } from '../lib/raw-json.ts';

const MIB = 2 ** 20;
/** Shorter bodies and responses are not counted: the number of connections limits them. */
const COUNTED_FROM = 16_384;
/** Shorter bodies are parsed in less than a millisecond. */
const LARGE_BYTES = 65_536;
const MAX_WAIT_MS = 2_000;
const STREAM_RETRY_AFTER_SECONDS = 5;
/** A client that takes nothing of its response for this long has gone, or holds memory on purpose. */
const STALL_MS = 30_000;

/**
 * What one company's requests may take of a process at a time. Beyond it they are refused with 429 and Retry-After. Figures are in
 * docs/design/fairness.md.
 */
export class RequestLimits {
  /** Bytes of bodies of requests in progress. */
  private readonly bodies: FairQueue;
  /** The same for requests whose company is not known yet: a share for each network. */
  private readonly strangersBodies: FairQueue;
  /**
   * Bytes of large bodies that are being processed: a mebibyte keeps the event loop busy for about 10 ms while it is parsed, and as long again
   * on its way to the database. A company processes one mebibyte at a time.
   */
  private readonly largeBodies = new FairQueue({ capacity: 2 * MIB, maxWaiting: 200, maxWaitMs: MAX_WAIT_MS });
  /** Characters of responses that clients have not taken yet. */
  private readonly responses = new FairQueue({ capacity: 256 * MIB, share: 64 * MIB });
  /** Streamed responses: each has some pages in memory and keeps querying the database. */
  private readonly streams = new FairQueue({ capacity: 8, share: 2, refusal: tooManyStreams });

  constructor(bodyBytes = 256 * MIB) {
    this.bodies = new FairQueue({ capacity: (bodyBytes * 3) / 4 });
    this.strangersBodies = new FairQueue({ capacity: bodyBytes / 4, share: bodyBytes / 32 });
  }

  /**
   * Reserves memory for the request's body until its response is sent. Counts the length declared by the request, before the first byte is
   * read; a body of unknown length counts as its limit. `companyId` is null while it is not known. Throws Overloaded.
   */
  admitBody(request: FastifyRequest, reply: FastifyReply, companyId: number | null, limit: number): void {
    const bytes = declaredLength(request, limit);
    if (bytes < COUNTED_FROM) return;
    const hold =
      companyId === null
        ? this.strangersBodies.takeNow(networkOf(request.ip), bytes)
        : this.bodies.takeNow(companyId, bytes);
    onClosed(reply.raw, () => hold.release());
  }

  /**
   * Waits until a large body may be processed; null for a small body, which need not wait. Returns a function to call when it has been.
   * Rejects with Overloaded.
   */
  processBody(companyId: number, bytes: number): Promise<() => void> | null {
    return bytes < LARGE_BYTES ? null : this.beginLarge(companyId, bytes);
  }

  private async beginLarge(companyId: number, cost: number): Promise<() => void> {
    const hold = await this.largeBodies.take(companyId, { cost });
    // Before the next one starts, the event loop serves what has arrived meanwhile.
    return () => void setImmediate(hold.release);
  }

  /** Throws Overloaded for a company whose clients do not read their responses, before the request does anything. */
  refuseUnread(companyId: number): void {
    this.responses.refuseOver(companyId, MIB);
  }

  /** Counts a response of `length` characters from when it is made until the system has taken it. */
  holdResponse(reply: FastifyReply, companyId: number, length: number): void {
    if (length < COUNTED_FROM) return;
    const hold = this.responses.hold(companyId, length);
    onClosed(reply.raw, () => hold.release());
  }

  /** Throws rate_limited while too many streamed responses are in progress. */
  beginStream(companyId: number): Hold {
    return this.streams.takeNow(companyId);
  }
}

function tooManyStreams(): AppError {
  const message = 'Too many exports are under way: try again when one of them has ended';
  return new AppError('rate_limited', message, { retry_after: STREAM_RETRY_AFTER_SECONDS });
}

function declaredLength({ headers }: FastifyRequest, limit: number): number {
  const length = headers['content-length'];
  // A request that declares more than the limit is refused without reading it.
  if (length !== undefined) return Math.min(Number(length), limit);
  return headers['transfer-encoding'] === undefined ? 0 : limit;
}

/** Returns about how many characters the JSON of a value takes. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof RawJson) return value.text.length;
  if (typeof value !== 'object' || value === null) return 8;
  let length = 0;
  for (const inner of Array.isArray(value) ? value : Object.values(value)) length += lengthOf(inner);
  return length;
}

/** Calls back once the response has ended, or at once if its client is already gone: `close` is emitted only once. */
export function onClosed(raw: ServerResponse, free: () => void): void {
  if (raw.destroyed || raw.closed) free();
  else raw.once('close', free);
}

/**
 * Ends connections whose client takes nothing of a response for `stallMs`: no other limit ends them. A response that is not ready yet is
 * none of the client's fault. Node restarts the time whenever the system has taken more of what is being written.
 */
export function endStalled(server: FastifyInstance, stallMs = STALL_MS): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (!isShort(payload)) {
      const { raw } = reply;
      raw.setTimeout(stallMs, () => {
        if (raw.socket !== null && raw.socket.writableLength > 0) raw.socket.destroy();
      });
    }
    done(null, payload);
  });
}

function isShort(payload: unknown): boolean {
  const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
  return payload === null || payload === undefined || (isWhole && payload.length < COUNTED_FROM);
}
