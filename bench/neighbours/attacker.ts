import { Agent, request } from 'node:http';
import { availableParallelism, setPriority } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Histogram } from '../load/histogram.ts';
import type { Target } from '../server/target.ts';
import { attackNamed } from './attacks.ts';

/** The order to this process, sent once. */
export interface AttackOrder {
  attack: string;
  target: Target;
  /** Replaces the attack's own number. */
  connections?: number;
}

/** The result since the measurement began. */
export interface AttackReport {
  seconds: number;
  /** Number of responses by status; 0: no response. */
  statuses: Record<number, number>;
  /** A Histogram's counts of the responses below 300, in microseconds. */
  counts: number[];
}

/**
 * Lower priority than all others: where a server and its attackers share a machine, processor time of the attackers
 * would otherwise be attributed to the server.
 */
const LOW_PRIORITY = 10;
/** A thread that only takes processor time. */
const SPIN = "const os = require('node:os'); os.setPriority(os.constants.priority.PRIORITY_LOW); for (;;);";
/** A request that takes longer is abandoned. */
const PATIENCE_MS = 30_000;
/** Pause after a connection that failed or was lost. */
const REST_MS = 100;

class Attacker {
  private readonly order: AttackOrder;
  private readonly agent: Agent;
  private statuses: Record<number, number> = {};
  private histogram = new Histogram();
  private since = performance.now();
  private over = false;

  constructor(order: AttackOrder) {
    this.order = order;
    this.agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  }

  start(): void {
    const { attack, target, connections } = this.order;
    const shop = target.crowdedShop!;
    const { requests, connections: usual, spins } = attackNamed(attack);
    if (spins) for (let i = 0; i < availableParallelism(); i++) new Worker(SPIN, { eval: true });
    const next = requests(target, shop);
    let sent = 0;
    const run = async (): Promise<void> => {
      while (!this.over) {
        const { side, method, path, body, key = shop.key } = next(sent++);
        const headers: Record<string, string | number> =
          side === 'commerce'
            ? { 'x-api-key': key }
            : { authorization: `Bearer ${key}`, 'x-company-id': String(shop.companyId) };
        if (body !== undefined) {
          headers['content-type'] = 'application/json';
          headers['content-length'] = Buffer.byteLength(body);
        }
        const began = performance.now();
        const status = await this.send({ method, path: `/${side}/v1${path}`, headers }, body);
        this.statuses[status] = (this.statuses[status] ?? 0) + 1;
        if (status > 0 && status < 300) this.histogram.record((performance.now() - began) * 1000);
        if (status === 0) await new Promise((resolve) => setTimeout(resolve, REST_MS));
      }
    };
    for (let i = 0; i < (connections ?? usual); i++) void run();
  }

  private send(
    options: { method: string; path: string; headers: Record<string, string | number> },
    body: string | undefined,
  ): Promise<number> {
    return new Promise((resolve) => {
      const sending = request({ host: '127.0.0.1', port: this.order.target.port, agent: this.agent, ...options });
      sending.setTimeout(PATIENCE_MS, () => sending.destroy());
      sending.on('error', () => resolve(0));
      sending.on('response', (response) => {
        response.on('error', () => resolve(0));
        response.on('end', () => resolve(response.statusCode!));
        response.resume();
      });
      sending.end(body);
    });
  }

  /** Starts the measurement. */
  measure(): void {
    this.statuses = {};
    this.histogram = new Histogram();
    this.since = performance.now();
  }

  end(): AttackReport {
    this.over = true;
    this.agent.destroy();
    const seconds = (performance.now() - this.since) / 1000;
    return { seconds, statuses: this.statuses, counts: this.histogram.counts };
  }
}

setPriority(LOW_PRIORITY);
// The process that started it is gone.
process.once('disconnect', () => process.exit());
process.once('message', (order: AttackOrder) => {
  const attacker = new Attacker(order);
  attacker.start();
  process.on('message', (word: 'measure' | 'end') => {
    if (word === 'measure') attacker.measure();
    else process.send!(attacker.end(), () => process.exit());
  });
});
