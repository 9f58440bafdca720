import type { FastifyInstance, FastifyReply } from 'fastify';
import { Overloaded } from '../../errors.ts';
import { RawJson } from '../../lib/raw-json.ts';
import { ByteBudget } from '../byte-budget.ts';
import { onClosed } from '../on-closed.ts';

/** Maximum characters of responses that clients have not taken yet, per process. */
const MAX_LENGTH = 256 * 2 ** 20;
/** A company's requests are refused while it has so many … */
const OF_COMPANY = MAX_LENGTH / 4;
/** … or more than this while the total is reached. */
const OF_COMPANY_WHEN_FULL = 2 ** 20;
/** Shorter ones fit into the buffers of a connection. */
const COUNTED_FROM = 16_384;
/** A client that takes nothing for this long has gone, or holds memory on purpose. */
const STALL_MS = 30_000;

/**
 * Limits the memory of responses whose clients are slow to read them, or never do. A list of 100 large records takes ten megabytes: a few
 * hundred of them would exhaust the memory of the process. Counted from when a response is made until it was handed to the system.
 */
export class UnreadResponses {
  private readonly budget: ByteBudget;
  private readonly ofCompany: number;

  constructor(max = MAX_LENGTH, ofCompany = OF_COMPANY) {
    this.budget = new ByteBudget(max);
    this.ofCompany = ofCompany;
  }

  /** Throws Overloaded for a company whose clients do not read their responses. */
  check(companyId: number): void {
    const held = this.budget.heldBy(String(companyId));
    if (held >= this.ofCompany || (held > OF_COMPANY_WHEN_FULL && this.budget.isFull)) throw new Overloaded();
  }

  /** Counts a response until it was taken. */
  hold(reply: FastifyReply, companyId: number, length: number): void {
    if (length >= COUNTED_FROM) onClosed(reply.raw, this.budget.add(length, [String(companyId)]));
  }
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
