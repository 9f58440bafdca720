import type { IncomingMessage } from 'node:http';
import { CompanyLines } from '../../db/lanes/company-lines.ts';

/** Shorter bodies are read out by Node itself once the response is sent. */
const LONG_BYTES = 65_536;
/** One piece, of at most 64 KiB, is thrown away in so many milliseconds. */
const PIECE_MS = 10;

/**
 * Reads out long bodies of requests that were refused before, piece by piece, company by company. The response has been
 * sent; it must reach a client that is still sending, so the connection stays. Were the bodies read as fast as they come,
 * refusing a mebibyte would cost others nearly as much as serving it.
 */
export class UnreadBodies {
  private readonly waiting = new CompanyLines<IncomingMessage>();
  private timer: NodeJS.Timeout | undefined;

  /** Takes over a body that nobody has begun to read; a short one is left as it is. */
  discard(companyId: number, body: IncomingMessage): void {
    const { 'content-length': length, 'transfer-encoding': encoding } = body.headers;
    if (body.complete || (Number(length ?? 0) < LONG_BYTES && encoding === undefined)) return;
    body.on('error', () => {});
    body.on('data', () => {
      body.pause();
      this.waiting.push(companyId, body);
      this.start();
    });
    body.resume();
  }

  private start(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.waiting.take(() => true)?.resume();
      if (this.waiting.size > 0) this.start();
    }, PIECE_MS);
  }
}
