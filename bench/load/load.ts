import { connect, type Socket } from 'node:net';
import { scenarioNamed } from '../scenarios/scenarios.ts';
import type { Target } from '../server/target.ts';
import { responseReader } from './framing.ts';
import { Histogram } from './histogram.ts';

/** The order to this process, sent once. */
export interface LoadOrder {
  scenario: string;
  target: Target;
  connections: number;
  /** Load that is not measured, before the load that is. */
  warmUpSeconds: number;
  seconds: number;
}

/** The result. */
export interface LoadReport {
  /** Responses per second while measured. */
  rate: number;
  /** A Histogram's counts, of the responses while measured. */
  counts: number[];
  /** Why the result is invalid: the first response with another status, or a broken connection. */
  failure: string | null;
}

/** Sends one request at a time on each of a few keep-alive connections, as fast as responses arrive. */
class Load {
  private readonly order: LoadOrder;
  private readonly next: (n: number) => string;
  private readonly expected: number;
  private histogram = new Histogram();
  private sent = 0;
  private done = false;
  failure: string | null = null;

  constructor(order: LoadOrder) {
    const scenario = scenarioNamed(order.scenario);
    this.order = order;
    this.next = scenario.requests(order.target);
    this.expected = scenario.status;
  }

  /** @param onWarm called when the measurement begins */
  async run(onWarm: () => void): Promise<LoadReport> {
    const { connections, warmUpSeconds, seconds } = this.order;
    const sockets = Array.from({ length: connections }, () => this.open());
    await this.last(warmUpSeconds);
    this.histogram = new Histogram();
    onWarm();
    const began = performance.now();
    await this.last(seconds);
    this.done = true;
    const elapsed = (performance.now() - began) / 1000;
    for (const socket of sockets) socket.destroy();
    const { counts, total } = this.histogram;
    return { rate: total / elapsed, counts, failure: this.failure };
  }

  private async last(seconds: number): Promise<void> {
    const end = performance.now() + seconds * 1000;
    while (this.failure === null && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, Math.min(50, end - performance.now()))));
    }
  }

  private open(): Socket {
    let began = 0;
    const send = (): void => {
      if (this.done || this.failure !== null) return;
      began = performance.now();
      socket.write(this.next(this.sent++));
    };
    const read = responseReader((status, body) => {
      this.histogram.record((performance.now() - began) * 1000);
      if (status !== this.expected) this.failure ??= `${status} ${body()}`;
      send();
    });
    const socket = connect({
      host: '127.0.0.1',
      port: this.order.target.port,
      noDelay: true,
      // Without a new buffer for every piece: this process must not take processor time from what it measures.
      onread: {
        buffer: Buffer.allocUnsafe(65_536),
        callback: (length, buffer) => {
          read(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    socket.on('connect', send);
    socket.on('error', (error) => this.fail(error.message));
    socket.on('close', () => this.fail('The server closed a connection'));
    return socket;
  }

  private fail(message: string): void {
    if (!this.done) this.failure ??= message;
  }
}

// The process that started it is gone.
process.once('disconnect', () => process.exit());
process.once('message', async (order: LoadOrder) => {
  const report = await new Load(order).run(() => process.send!('warm'));
  process.send!(report, () => process.disconnect());
});
