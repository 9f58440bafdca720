import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../../../clock.ts';
import type { Minor } from '../../../money.ts';
import {
  type Asked,
  type Facts,
  type Outcome,
  type PaymentProvider,
  ProviderUnavailable,
  type StartCall,
  type Started,
} from '../../providers/provider.ts';

/** An account for tests of a service, or its double. */
export interface Subject {
  provider: PaymentProvider;
  account: Asked['account'];
  currency: Asked['currency'];
  /** Operations have ids from here, which no run before had. */
  firstOperation: number;
  /** When the run began, by the service's clock. */
  since: Date;
  /** Pays as a buyer, or authorizes what is captured later. Resolves once the buyer is done. */
  pay(started: Started, capture: StartCall['capture']): Promise<void>;
  /** Lets time pass for the service; null: nobody waits for so long. */
  wait: ((ms: number) => Promise<void>) | null;
}

export interface Result {
  name: string;
  ms: number;
  /** Null: it is as expected. */
  failure: string | null;
}

const AMOUNT = 1_250;
const PART = 300;
const MINUTE_MS = 60_000;
/** What is charged while the buyer is absent may take so long. */
const MOST_FETCHES = 15;

/** What the shop relies on, whatever the service. Each case makes payments of its own. */
const CASES: Record<string, (service: Service) => Promise<void>> = {
  'accepts the keys, and names its methods': async ({ provider, asked }) => {
    ok((await provider.methods(asked())).length > 0);
  },
  'starts a payment, which is found by its operation': async (service) => {
    const call = service.start();
    const { facts, next } = done(await service.provider.start(call));
    deepEqual([facts.status, facts.amount, facts.captured], ['action_required', AMOUNT, 0]);
    notEqual(next, null);
    const found = await service.find('start', call.operationId, null);
    equal(found === 'not_found' ? found : found.facts.ref, facts.ref);
    equal(await service.find('start', call.operationId + 1_000, null), 'not_found');
  },
  'starts one payment under one idempotency key': async (service) => {
    const call = service.start();
    const [first, again] = [await service.provider.start(call), await service.provider.start(call)];
    equal(done(again).facts.ref, done(first).facts.ref);
  },
  'cancels a payment, and says so again': async (service) => {
    const { ref } = done(await service.provider.start(service.start())).facts;
    equal(done(await service.provider.cancel({ ...service.call(), ref })).status, 'cancelled');
    equal(done(await service.provider.cancel({ ...service.call(), ref })).status, 'cancelled');
    deepEqual((await service.fetch(ref)).captured, 0);
  },
  'takes the whole amount': async (service) => {
    const { ref } = await service.paid();
    const { status, captured, amount, currency } = await service.fetch(ref);
    deepEqual([status, captured, amount, currency], ['captured', AMOUNT, AMOUNT, service.currency.code]);
  },
  'gives back a part once under one idempotency key, found by its operation': async (service) => {
    const { ref } = await service.paid();
    const call = { ...service.call(), ref, amount: PART };
    done(await service.provider.refund(call));
    done(await service.provider.refund(call));
    const { refunds } = await service.fetch(ref);
    deepEqual(
      refunds.map(({ amount, operationId }) => [amount, operationId]),
      [[PART, call.operationId]],
    );
    notEqual(await service.find('refund', call.operationId, ref), 'not_found');
    equal(await service.find('refund', call.operationId + 1_000, ref), 'not_found');
  },
  'declines to give back more than is left': async (service) => {
    const { ref } = await service.paid();
    equal((await service.provider.refund({ ...service.call(), ref, amount: AMOUNT + 1 })).kind, 'declined');
  },
  'does not cancel what was paid': async (service) => {
    const { ref } = await service.paid();
    equal((await service.provider.cancel({ ...service.call(), ref })).kind, 'declined');
    equal((await service.fetch(ref)).captured, AMOUNT);
  },
  'authorizes, and captures later': async (service) => {
    const { ref } = await service.paid({ capture: 'later' });
    const { status, authorized, captured } = await service.fetch(ref);
    deepEqual([status, authorized, captured], ['authorized', AMOUNT, 0]);
    done(await service.provider.capture({ ...service.call(), ref, amount: AMOUNT }));
    equal((await service.fetch(ref)).captured, AMOUNT);
  },
  'keeps a means of payment, and charges it once under one idempotency key while the buyer is absent': async (
    service,
  ) => {
    const { ref } = await service.paid({ save: true });
    const { savedMethod } = await service.fetch(ref);
    ok(savedMethod !== null, 'It has kept no means of payment');
    const { kind, capture, returnUrl, save, ...call } = service.start();
    const charge = { ...call, token: savedMethod.token };
    const [first, again] = [await service.provider.charge(charge), await service.provider.charge(charge)];
    equal(done(again).ref, done(first).ref);
    const { status, captured } = await service.ended(done(first).ref);
    deepEqual([status, captured], ['captured', AMOUNT]);
    await service.provider.forget(service.asked(), savedMethod.token);
  },
  'says that it is unavailable for a payment that it does not know': async (service) => {
    const { ref } = done(await service.provider.start(service.start())).facts;
    const unknown = `${ref.slice(0, -4)}zzzz`;
    await rejects(service.fetch(unknown), ProviderUnavailable);
  },
};

/** What takes as long as the service remembers a key. */
const LONG_CASES: Record<string, (service: Service, wait: NonNullable<Subject['wait']>) => Promise<void>> = {
  'remembers an idempotency key for as long as the shop relies on it': async (service, wait) => {
    const call = service.start();
    const first = done(await service.provider.start(call));
    await wait(service.provider.keyLifetimeMs - MINUTE_MS);
    equal(done(await service.provider.start({ ...call, ...service.asked() })).facts.ref, first.facts.ref);
  },
};

type Service = ReturnType<typeof serviceOf>;

type Asks = Partial<Pick<StartCall, 'capture' | 'save'>>;

function serviceOf({ provider, account, currency, firstOperation, since, pay }: Subject) {
  let operations = firstOperation;
  const asked = (): Asked => ({ account, currency, signal: AbortSignal.timeout(10_000) });
  const call = () => {
    operations += 1;
    return { ...asked(), operationId: operations, key: `tl_conformance_${operations}` };
  };
  const start = (other: Asks = {}): StartCall => ({
    ...call(),
    companyId: 0,
    paymentId: operations,
    amount: AMOUNT,
    kind: 'any',
    capture: other.capture ?? 'at_once',
    description: `Conformance ${operations}`,
    returnUrl: 'https://example.com/back',
    webhookUrl: 'https://example.com/payments/webhooks/conformance',
    save: other.save ?? false,
    token: null,
  });
  const fetch = (ref: string): Promise<Facts> => provider.fetch(asked(), ref);
  return {
    provider,
    currency,
    asked,
    call,
    start,
    fetch,
    /** What a payment has come to, which may take the service some seconds. */
    async ended(ref: string): Promise<Facts> {
      for (let fetches = 1; ; fetches++) {
        const facts = await fetch(ref);
        if (facts.status !== 'processing' || fetches === MOST_FETCHES) return facts;
        await sleep(1_000);
      }
    },
    find: (kind: 'start' | 'refund', id: number, ref: string | null) =>
      provider.find(asked(), { id, kind, amount: AMOUNT as Minor, ref, since }),
    /** A payment that a buyer has paid. */
    async paid(other: Asks = {}): Promise<Facts> {
      const call = start(other);
      const begun = done(await provider.start(call));
      await pay(begun, call.capture);
      return begun.facts;
    },
  };
}

function done<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'done') return outcome.value;
  throw new Error(`${outcome.kind}: ${outcome.kind === 'declined' ? outcome.message : outcome.cause}`);
}

/** Tries everything the shop relies on. */
export async function tryService(subject: Subject, onResult: (result: Result) => void = () => {}): Promise<Result[]> {
  const service = serviceOf(subject);
  const { wait } = subject;
  const long = wait === null ? [] : Object.entries(LONG_CASES);
  const results: Result[] = [];
  for (const [name, check] of [...Object.entries(CASES), ...long]) {
    const began = monotonicMs();
    const failure = await check(service, wait!).then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    const result = { name, ms: Math.round(monotonicMs() - began), failure };
    results.push(result);
    onResult(result);
  }
  return results;
}

/** The results as a page in Markdown. */
export function resultPage(title: string, results: readonly Result[]): string {
  const rows = results.map(({ name, ms, failure }) => {
    return `| ${name} | ${failure === null ? 'yes' : `no: ${failure.replace(/\s+/g, ' ').replaceAll('|', '/')}`} | ${ms} |`;
  });
  const failed = results.filter(({ failure }) => failure !== null).length;
  const sum = failed === 0 ? 'It does all that the shop relies on.' : `${failed} of ${results.length} differ.`;
  return [`# ${title}`, '', sum, '', '| The service | as expected | ms |', '|---|---|---|', ...rows, ''].join('\n');
}
