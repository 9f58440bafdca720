import type { Logger } from 'pino';
import type { MasterKey } from '../../../access/master-key.ts';
import type { Clock } from '../../../clock.ts';
import type { Db } from '../../../db/pool.ts';
import { isUnavailable } from '../../../db/unavailable.ts';
import { found } from '../../../errors.ts';
import type { Shop, ShopCache } from '../../shop.ts';
import { openAccount, type PaymentAccount } from '../accounts/account.ts';
import type { PaymentRow } from '../payment.ts';
import type { Providers } from '../providers/load.ts';
import {
  type Asked,
  type Facts,
  type Outcome,
  type PaymentProvider,
  ProviderUnavailable,
  type Started,
} from '../providers/provider.ts';
import { fetchUncertain, findPayment, markUncertain } from '../queries.ts';
import { dropToken, findToken } from '../saved/queries.ts';
import { openToken } from '../saved/saved-method.ts';
import type { Settling } from '../settling/settle.ts';
import {
  CALL_MS,
  isBeginning,
  isOld,
  keyOf,
  lookUpAt,
  type OperationRow,
  type SavedInput,
  type StartInput,
} from './operation.ts';
import * as queries from './queries.ts';

interface CallsDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  shops: ShopCache;
  masterKey: Pick<MasterKey, 'open'>;
  providers: Providers;
  settling: Settling;
  /** The public URL of this server. */
  origin: () => string;
}

export type PaymentCalls = ReturnType<typeof createCalls>;

/** One call to the service of a payment. */
interface Connection extends Asked {
  provider: PaymentProvider;
  webhookUrl: string;
}

/**
 * Calls payment services for operations. A call is taken in one transaction, made in none, and its outcome is settled in another; an unknown
 * outcome is looked up, never guessed. See docs/design/payments.md.
 */
export function createCalls({ db, clock, log, shops, masterKey, providers, settling, origin }: CallsDeps) {
  /** Opens a call to the service of a payment. Throws ProviderUnavailable. */
  async function connect(shop: Shop, payment: PaymentRow, signal = AbortSignal.timeout(CALL_MS)): Promise<Connection> {
    const account = shop.paymentAccounts.find(({ id }) => id === payment.account_id);
    if (account === undefined) throw new ProviderUnavailable(`The payment account ${payment.account_id} is missing`);
    const usable = async () => ({
      provider: await providers(account.provider),
      opened: openAccount(masterKey, account),
    });
    // Until a package that is missing is installed, or the right master key is set, the operation waits.
    const { provider, opened } = await usable().catch((error: unknown) => {
      log.error({ err: error, company_id: shop.companyId, account_id: account.id }, 'a payment account cannot be used');
      throw new ProviderUnavailable(`The payment account ${account.id} cannot be used: see the log`);
    });
    return {
      provider,
      account: opened,
      currency: { code: shop.currency, exponent: shop.exponent },
      signal,
      webhookUrl: webhookUrl(origin(), account),
    };
  }

  /** Runs the operations of a payment that are ready, one after the other. What the services say is settled. */
  async function advance(companyId: number, paymentId: number): Promise<void> {
    for (;;) {
      const operation = await queries.takeReady(db.writes(companyId), companyId, paymentId, clock.now());
      if (operation === undefined) return;
      await run(companyId, operation, { isShown: true });
      // What was asked for in the meantime is left to a worker.
      if (isBeginning(operation.kind)) return;
    }
  }

  /** Calls the service for an operation that was taken, or looks up what became of it, and settles the outcome. */
  async function run(
    companyId: number,
    operation: queries.TakenOperation,
    { isShown }: { isShown: boolean },
  ): Promise<void> {
    const shop = await shops.get(companyId);
    const payment = found(await findPayment(db.points(companyId), companyId, operation.payment_id), 'payment');
    const outcome = await resultOf(shop, payment, operation).catch((error: unknown): Result => {
      if (error instanceof ProviderUnavailable) return { kind: 'uncertain', cause: error.message };
      if (isUnavailable(error)) throw error;
      log.error({ err: error, company_id: companyId, operation_id: operation.id }, 'a payment operation has failed');
      return { kind: 'uncertain', cause: 'An unexpected error: see the log' };
    });
    const { id, claim } = operation;
    const now = clock.now();
    if (outcome.kind === 'uncertain') {
      const ending = {
        id,
        claim,
        state: 'uncertain' as const,
        error: outcome.cause,
        dueAt: lookUpAt(operation, now),
        isSpent: outcome.isSpent ?? false,
      };
      const isOurs = await queries.endOperation(db.writes(companyId), companyId, ending, now);
      log.warn(
        { company_id: companyId, operation_id: id, cause: outcome.cause },
        'the outcome of a payment operation is unknown',
      );
      if (isOurs && isOld(operation, now)) await markUncertain(db.writes(companyId), companyId, payment.id);
      return;
    }
    if (outcome.kind === 'forgotten') return endForgetting(companyId, operation);
    if (outcome.kind === 'done') {
      const ending = { id, claim, state: 'done' as const, error: null, dueAt: null };
      const { facts, next } = outcome.value;
      return settling.settle(companyId, payment, {
        facts,
        next,
        seen: payment.fetches,
        ending,
        failure: null,
        isShown,
      });
    }
    const { code, message, facts } = outcome;
    const begins = isBeginning(operation.kind);
    await settling.settle(companyId, payment, {
      facts,
      next: null,
      seen: payment.fetches,
      ending: { id, claim, state: 'declined', error: message, dueAt: null },
      failure: begins ? { code, message } : null,
      isShown: isShown || !begins,
    });
  }

  /** The service has forgotten a saved method; the payment is as it was. */
  async function endForgetting(
    companyId: number,
    { id, claim, input, payment_id }: queries.TakenOperation,
  ): Promise<void> {
    const now = clock.now();
    await db.tenantTx(companyId, async (tx) => {
      const ending = { id, claim, state: 'done' as const, error: null, dueAt: null };
      if (!(await queries.endOperation(tx, companyId, ending, now))) return;
      await fetchUncertain(tx, companyId, payment_id, now);
      await dropToken(tx, companyId, (input as SavedInput).saved_method_id);
    });
  }

  async function fetchFacts(shop: Shop, payment: PaymentRow, signal?: AbortSignal): Promise<Facts> {
    const connection = await connect(shop, payment, signal);
    return connection.provider.fetch(connection, payment.provider_ref!);
  }

  /** All within the time of one call. Throws ProviderUnavailable, also if the operation was declined: it is looked up later. */
  async function resultOf(shop: Shop, payment: PaymentRow, operation: queries.TakenOperation): Promise<Result> {
    const signal = AbortSignal.timeout(CALL_MS);
    const outcome = await outcomeOf(shop, payment, operation, signal);
    if (outcome.kind !== 'declined') return outcome;
    // A payment that was begun is as it was before the operation, or has moved on: its service says how it is.
    const isBegun = !isBeginning(operation.kind) && payment.provider_ref !== null;
    return { ...outcome, facts: isBegun ? await fetchFacts(shop, payment, signal) : null };
  }

  /** Throws ProviderUnavailable. */
  async function outcomeOf(
    shop: Shop,
    payment: PaymentRow,
    operation: queries.TakenOperation,
    signal: AbortSignal,
  ): Promise<Outcome<Started> | Forgotten> {
    const { companyId } = shop;
    // A start that never happened leaves nothing to capture, cancel or give back.
    if (!isBeginning(operation.kind) && operation.kind !== 'forget' && payment.provider_ref === null) {
      return { kind: 'declined', code: 'other', message: 'The payment was never started', retry: false };
    }
    const connection = await connect(shop, payment, signal);
    const { id, kind, amount } = operation;
    if (kind === 'forget') return forget(companyId, operation, connection);
    if (operation.was === 'ready') return call(shop, payment, operation, connection);
    const sought = { id, kind, amount, ref: payment.provider_ref, since: operation.created_at };
    const known = await connection.provider.find(connection, sought);
    if (known !== 'not_found') return { kind: 'done', value: known };
    const age = clock.now().getTime() - (operation.keyed_at ?? operation.created_at).getTime();
    if (age < connection.provider.keyLifetimeMs) return call(shop, payment, operation, connection);
    // The service has forgotten the key, and the operation has not happened.
    if (!(await queries.renewKey(db.writes(companyId), companyId, operation, clock.now()))) {
      return { kind: 'uncertain', cause: 'Somebody else has taken the operation' };
    }
    return call(shop, payment, { ...operation, key: operation.key + 1 }, connection);
  }

  /** Asking a second time changes nothing. Throws ProviderUnavailable. */
  async function forget(
    companyId: number,
    { input }: OperationRow,
    { provider, ...asked }: Connection,
  ): Promise<Forgotten> {
    const saved = await findToken(db.points(companyId), companyId, (input as SavedInput).saved_method_id);
    if (saved?.sealed_token != null) await provider.forget(asked, openToken(masterKey, saved.sealed_token));
    return { kind: 'forgotten' };
  }

  /** Returns what pays with a saved method; null if it was removed. */
  async function tokenOf(companyId: number, savedId: number): Promise<string | null> {
    const saved = await findToken(db.points(companyId), companyId, savedId);
    return saved?.sealed_token == null || saved.removed ? null : openToken(masterKey, saved.sealed_token);
  }

  async function call(
    shop: Shop,
    payment: PaymentRow,
    operation: OperationRow,
    { provider, webhookUrl, ...asked }: Connection,
  ): Promise<Outcome<Started>> {
    const { companyId } = shop;
    const { amount, kind, input } = operation;
    const isActive = shop.paymentAccounts.some(({ id, active }) => id === payment.account_id && active);
    if (isBeginning(kind) && !isActive) return INACTIVE;
    const by = { ...asked, operationId: operation.id, key: keyOf(companyId, operation) };
    const details = { companyId, paymentId: payment.id, amount, webhookUrl, description: shop.name };
    const ref = payment.provider_ref!;
    switch (kind) {
      case 'start': {
        const { kind: method, capture, return_url: returnUrl, save, saved_method_id: savedId } = input as StartInput;
        const token = savedId === undefined ? null : await tokenOf(companyId, savedId);
        if (savedId !== undefined && token === null) return GONE;
        return provider.start({ ...by, ...details, kind: method, capture, returnUrl, save, token });
      }
      case 'charge': {
        const token = await tokenOf(companyId, (input as SavedInput).saved_method_id);
        return token === null ? GONE : started(await provider.charge({ ...by, ...details, token }));
      }
      case 'capture':
        return started(await provider.capture({ ...by, ref, amount }));
      case 'cancel':
        return started(await provider.cancel({ ...by, ref }));
      case 'refund':
        return started(await provider.refund({ ...by, ref, amount }));
      case 'forget':
        throw new Error('Nothing is asked of a payment to forget a method');
    }
  }

  /** Fetches a payment from its service and settles what it says. Throws ProviderUnavailable. */
  async function refresh(companyId: number, paymentId: number): Promise<void> {
    const payment = await findPayment(db.points(companyId), companyId, paymentId);
    if (payment !== undefined && payment.provider_ref !== null) await refreshAsRead(companyId, payment);
  }

  async function refreshAsRead(companyId: number, payment: PaymentRow): Promise<void> {
    const shop = await shops.get(companyId);
    const facts = await fetchFacts(shop, payment);
    const news = { facts, next: null, seen: payment.fetches, ending: null, failure: null, isShown: false };
    await settling.settle(companyId, payment, news);
  }

  /** Starts a payment that has not begun, or asks its service how it is. What the service says is settled. */
  async function hear(companyId: number, payment: PaymentRow): Promise<void> {
    const { id, provider, provider_ref } = payment;
    if (provider === 'manual') return;
    if (provider_ref === null) return advance(companyId, id);
    await refreshAsRead(companyId, payment).catch((error: unknown) => {
      // Its state stays as it was; a worker asks again.
      if (!(error instanceof ProviderUnavailable)) throw error;
      log.warn({ company_id: companyId, payment_id: id, cause: error.message }, 'a payment service is unavailable');
    });
  }

  return { advance, run, refresh, hear };
}

/** The service has no saved method any more; the payment is as it was. */
interface Forgotten {
  kind: 'forgotten';
}

type Declined = Extract<Outcome<Started>, { kind: 'declined' }>;

/** What became of an operation. `facts`: how the payment is of which it was declined; null if that never began. */
type Result = Exclude<Outcome<Started>, Declined> | (Declined & { facts: Facts | null }) | Forgotten;

const GONE: Outcome<Started> = {
  kind: 'declined',
  code: 'method_unavailable',
  message: 'The saved payment method was removed',
  retry: false,
};

const INACTIVE: Outcome<Started> = {
  kind: 'declined',
  code: 'method_unavailable',
  message: 'The payment account is inactive',
  retry: false,
};

function started(outcome: Outcome<Facts>): Outcome<Started> {
  return outcome.kind === 'done' ? { kind: 'done', value: { facts: outcome.value, next: null } } : outcome;
}

/** Where a service sends webhooks about the payments of an account. */
export function webhookUrl(origin: string, { webhook_token }: Pick<PaymentAccount, 'webhook_token'>): string {
  return `${origin}/payments/webhooks/${webhook_token}`;
}
