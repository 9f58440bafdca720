import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
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
  /** Pays as a buyer. Resolves once the buyer is done. */
  pay(started: Started): Promise<void>;
}

export interface Result {
  name: string;
  ms: number;
  /** Null: it is as expected. */
  failure: string | null;
}

const AMOUNT = 1_250;
const PART = 300;

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
  'says that it is unavailable for a payment that it does not know': async (service) => {
    const { ref } = done(await service.provider.start(service.start())).facts;
    const unknown = `${ref.slice(0, -4)}zzzz`;
    await rejects(service.fetch(unknown), ProviderUnavailable);
  },
};

type Service = ReturnType<typeof serviceOf>;

function serviceOf({ provider, account, currency, firstOperation, since, pay }: Subject) {
  let operations = firstOperation;
  const asked = (): Asked => ({ account, currency, signal: AbortSignal.timeout(10_000) });
  const call = () => {
    operations += 1;
    return { ...asked(), operationId: operations, key: `tl_conformance_${operations}` };
  };
  const start = (other: Partial<Pick<StartCall, 'capture'>> = {}): StartCall => ({
    ...call(),
    companyId: 0,
    paymentId: operations,
    amount: AMOUNT,
    kind: 'any',
    capture: other.capture ?? 'at_once',
    description: `Conformance ${operations}`,
    returnUrl: 'https://example.com/back',
    webhookUrl: 'https://example.com/payments/webhooks/conformance',
    save: false,
  });
  return {
    provider,
    currency,
    asked,
    call,
    start,
    fetch: (ref: string): Promise<Facts> => provider.fetch(asked(), ref),
    find: (kind: 'start' | 'refund', id: number, ref: string | null) =>
      provider.find(asked(), { id, kind, amount: AMOUNT as Minor, ref, since }),
    /** A payment that a buyer has paid. */
    async paid(other: Partial<Pick<StartCall, 'capture'>> = {}): Promise<Facts> {
      const begun = done(await provider.start(start(other)));
      await pay(begun);
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
  const results: Result[] = [];
  for (const [name, check] of Object.entries(CASES)) {
    const began = monotonicMs();
    const failure = await check(service).then(
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
