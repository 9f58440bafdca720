import { connect, type Socket } from 'node:net';
import { responseReader } from '../load/framing.ts';
import { Histogram } from '../load/histogram.ts';
import { commerceRequest, marketingRequest, randomBetween } from '../load/http-request.ts';
import type { Target } from '../server/target.ts';

/** The order to this process, sent once. */
export interface SteadyOrder {
  target: Target;
  /** Requests of each kind per second, whether or not earlier ones have finished. */
  rate: number;
  seconds: number;
}

/** Shorter measurements, as in a smoke test, have no lead-in. */
function leadInOf({ seconds }: SteadyOrder): number {
  return seconds > LEAD_IN_SECONDS ? LEAD_IN_SECONDS : 0;
}

export const STEADY_KINDS = ['product', 'order', 'event', 'preview', 'health'] as const;
export type SteadyKind = (typeof STEADY_KINDS)[number];

/** The result: a Histogram's counts of each kind in microseconds, and how many had an unexpected status. */
export type SteadyReport = Record<SteadyKind, { counts: number[]; failed: number }>;

const ADDRESS = {
  shipping_address: '12 Harbour Street',
  shipping_city: 'Rotterdam',
  shipping_zip: '3011 AB',
  shipping_country: 'NL',
};
const OTHER_FAILURE = 0;
/** Seconds at the beginning of a measurement that do not count: first connections, and code that this process compiles. */
const LEAD_IN_SECONDS = 2;

interface Kind {
  status: number;
  request(n: number): string;
}

function kindsOf(target: Target): Record<SteadyKind, Kind> {
  const { shop } = target;
  const run = crypto.randomUUID();
  const product = (): number => randomBetween(shop.firstProduct, shop.lastProduct);
  const customer = (): number => randomBetween(shop.firstCustomer, shop.lastCustomer);
  const commerce = (method: string, path: string, body?: object): string =>
    commerceRequest(target, shop, method, path, body && JSON.stringify(body));
  const marketing = (path: string, body: object): string =>
    marketingRequest(target, shop, 'POST', path, JSON.stringify(body));
  return {
    product: { status: 200, request: () => commerce('GET', `/products/${product()}`) },
    order: {
      status: 201,
      request: () => {
        const items = [{ product_id: product(), qty: 1 }];
        return commerce('POST', '/orders', { customer_id: customer(), items, ...ADDRESS });
      },
    },
    event: {
      status: 201,
      request: (n) => {
        const email = `customer-${n % 1_000}@shop.example`;
        const data = { email, product_id: String(product()), product_name: 'Product' };
        return marketing('/events', { event_type: 'product_viewed', event_id: `${run}-${n}`, event_data: data });
      },
    },
    preview: {
      status: 200,
      request: (n) => marketing('/templates/preview', { content: `<p>Hello {{ event.name }}, ${n}</p>` }),
    },
    health: { status: 200, request: () => `GET /health/live HTTP/1.1\r\nHost: 127.0.0.1:${target.port}\r\n\r\n` },
  };
}

/**
 * Sends a neighbour's requests at a steady rate: each one at its time, on a connection of its own if all others still
 * wait, so that a server that stands still affects all requests sent meanwhile.
 */
class Steady {
  private readonly order: SteadyOrder;
  private readonly kinds: Record<SteadyKind, Kind>;
  private readonly seen = Object.fromEntries(
    STEADY_KINDS.map((kind) => [kind, { histogram: new Histogram(), failed: 0 }]),
  ) as Record<SteadyKind, { histogram: Histogram; failed: number }>;
  private readonly idle: ((kind: SteadyKind, request: string) => void)[] = [];
  private readonly sockets = new Set<Socket>();
  private underWay = 0;
  private counting = false;
  private over = false;

  constructor(order: SteadyOrder) {
    this.order = order;
    this.kinds = kindsOf(order.target);
  }

  async run(): Promise<SteadyReport> {
    const { rate, seconds } = this.order;
    const began = performance.now();
    const all = rate * STEADY_KINDS.length;
    const leadIn = all * leadInOf(this.order);
    for (let sent = 0; sent < leadIn + all * seconds; sent++) {
      this.counting = sent >= leadIn;
      const wait = began + (sent * 1000) / all - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      const kind = STEADY_KINDS[sent % STEADY_KINDS.length]!;
      this.send(kind, this.kinds[kind].request(sent));
    }
    // A response that is missing after so long counts as failed.
    for (const end = performance.now() + 10_000; this.underWay > 0 && performance.now() < end; )
      await new Promise((resolve) => setTimeout(resolve, 50));
    this.over = true;
    for (const socket of this.sockets) socket.destroy();
    return Object.fromEntries(
      STEADY_KINDS.map((kind) => [kind, { counts: this.seen[kind].histogram.counts, failed: this.seen[kind].failed }]),
    ) as SteadyReport;
  }

  private send(kind: SteadyKind, request: string): void {
    this.underWay++;
    const send = this.idle.pop() ?? this.open();
    send(kind, request);
  }

  private open(): (kind: SteadyKind, request: string) => void {
    let asked: { kind: SteadyKind; at: number; counts: boolean } | null = null;
    const socket = connect({ host: '127.0.0.1', port: this.order.target.port, noDelay: true });
    this.sockets.add(socket);
    const end = (status: number): void => {
      if (asked === null) return;
      const { kind, at, counts } = asked;
      asked = null;
      this.underWay--;
      if (!counts) return;
      this.seen[kind].histogram.record((performance.now() - at) * 1000);
      if (status !== this.kinds[kind].status) this.seen[kind].failed++;
    };
    const send = (kind: SteadyKind, request: string): void => {
      asked = { kind, at: performance.now(), counts: this.counting };
      socket.write(request);
    };
    const read = responseReader((status) => {
      end(status);
      this.idle.push(send);
    });
    socket.on('data', read);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.sockets.delete(socket);
      const at = this.idle.indexOf(send);
      if (at >= 0) this.idle.splice(at, 1);
      if (!this.over) end(OTHER_FAILURE);
    });
    return send;
  }
}

// The process that started it is gone.
process.once('disconnect', () => process.exit());
process.once('message', async (order: SteadyOrder) => {
  const report = await new Steady(order).run();
  process.send!(report, () => process.disconnect());
});
