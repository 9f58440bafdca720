import type { IncomingMessage } from 'node:http';
import { CompanyLines } from '../../db/lanes/company-lines.ts';

/** Node itself drains shorter bodies once the response is sent. */
const LONG_BYTES = 65_536;
/** One piece of at most 64 KiB is discarded per interval. */
const PIECE_MS = 10;

/**
 * Drains long bodies of refused requests piece by piece, company by company. The response has been sent and must reach a client that is
 * still sending, so the connection stays. If the bodies were read as fast as they arrive, refusing a mebibyte would cost others nearly as
 * much as serving it.
 */
export class UnreadBodies {
  private readonly waiting = new CompanyLines<IncomingMessage>();
  private timer: NodeJS.Timeout | undefined;

  /** Takes over a body that nobody has started to read; ignores a short one. */
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
