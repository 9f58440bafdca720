import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { networkOf } from '../../lib/network.ts';

/**
 * The server looks no more keys up from one address after 30 wrong ones a minute, and to it all clients have the address of this process.
 * So a network may have so many of them refused, checks that are under way included.
 */
const PER_MINUTE = 10;
const MINUTE_MS = 60_000;
const MAX_NETWORKS = 10_000;

/** Counts wrong keys by the network of the client, so that nobody uses up what the clients of this process have together. */
export class FailedChecks {
  private readonly counts = new LRUCache<string, number>({ max: MAX_NETWORKS, ttl: MINUTE_MS });

  /** Returns the seconds until keys from there are checked again, or 0. */
  blockedFor(client: string): number {
    const network = networkOf(client);
    if ((this.counts.get(network) ?? 0) < PER_MINUTE) return 0;
    return Math.max(1, Math.ceil(this.counts.getRemainingTTL(network) / 1_000));
  }

  /** Counts a check as failed until `succeed` takes that back. */
  begin(client: string): void {
    this.change(client, 1);
  }

  succeed(client: string): void {
    this.change(client, -1);
  }

  private change(client: string, by: number): void {
    const network = networkOf(client);
    this.counts.set(network, Math.max(0, (this.counts.get(network) ?? 0) + by), { noUpdateTTL: true });
  }
}

/** Returns the address of the client: of one on this machine that is a reverse proxy, the address that it names last. */
export function clientOf({ socket, headers }: IncomingMessage): string {
  const own = socket.remoteAddress ?? '';
  const named = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)!
    .trim();
  return named !== '' && /^(127\.|::1$|::ffff:127\.)/.test(own) ? named : own;
}
