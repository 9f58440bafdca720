import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { retry } from '../../lib/retry.ts';
import type { Composer } from '../compose/composer.ts';
import type { ComposedMessage } from '../compose/outcomes.ts';
import type { DomainBackoffs } from '../gate/domain-backoffs.ts';
import { admitByDomain, admitInTime } from '../gate/early-gate.ts';
import { holdBefore, holdLinked, holdPaused } from '../gate/held.ts';
import { type MissingSetting, missingOf } from '../gate/missing-settings.ts';
import { renewClaims } from '../ledger/claim-queries.ts';
import type { ReadyMessage } from '../ledger/hand-over.ts';
import type { Channel, ClaimedMessage } from '../ledger/message.ts';
import { type Settled, settleMessages } from '../ledger/settle-queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { bundlesOf } from './bundles.ts';
import { MessageSpans } from './message-spans.ts';
import { NotBegun } from './relay.ts';
import type { Route, Routes } from './routes.ts';

export interface SetSenderDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  composer: Composer;
  missing: readonly MissingSetting[];
  /** The base URL of links in messages, without a trailing slash. */
  origin: () => string;
  backoffs: DomainBackoffs;
  routes: Routes;
  /** Aborts retries of writes to the ledger. */
  giveUp: AbortSignal;
}

/** Shared by all messages of a set. */
interface SetOf {
  company: SendingCompany;
  missing: readonly MissingSetting[];
  now: Date;
  routeOf(channel: Channel): Route;
}

/** A third of the lease of a claim. */
const RENEW_EVERY_MS = 10_000;

/** Sends claimed messages of one company: gate, composition, hand-over. Renews their claims until done. */
export function createSetSender(deps: SetSenderDeps): (companyId: number, claimed: ClaimedMessage[]) => Promise<void> {
  const { db, clock, log, companies, composer, origin, backoffs, routes, giveUp } = deps;

  async function sendSet(companyId: number, claimed: ClaimedMessage[]): Promise<void> {
    const now = clock.now();
    const company = await companies.get(companyId);
    const missing = missingOf(deps.missing, company);
    const mayHold = missing.length > 0 || company.paused !== null;
    const held = mayHold ? claimed.map((message) => holdBefore(missing, message) ?? holdPaused(company, message)) : [];
    const sendable = claimed.filter((_, i) => !held[i]);
    const timely = await admitInTime(db, company, sendable, now);
    const { open, settled } = await admitByDomain(db, company, timely.open, backoffs, now);
    const ended = [...held.filter((one) => one !== null), ...timely.settled, ...settled];
    if (ended.length > 0) await settleMessages(db, companyId, ended, now);
    if (open.length > 0) await composeAndSend({ company, missing, now, routeOf: routesOf(company) }, open);
  }

  /** The routes of one set. They do not change until its end, so that messages use the transport they were composed for. */
  function routesOf(company: SendingCompany): (channel: Channel) => Route {
    const known: Partial<Record<Channel, Route>> = {};
    return (channel) => {
      known[channel] ??= routes.of(company, channel);
      return known[channel];
    };
  }

  async function composeAndSend(set: SetOf, open: ClaimedMessage[]): Promise<void> {
    const spans = MessageSpans.start('compose message', 'internal', open);
    try {
      await composer.compose(set.company, open, set.now, (slice) => {
        for (const { message, composed } of slice) spans?.end(message, composed.kind);
        return sendSlice(set, slice);
      });
    } finally {
      spans?.endRest();
    }
  }

  async function sendSlice(set: SetOf, slice: ComposedMessage[]): Promise<void> {
    const { now, routeOf } = set;
    const { companyId } = set.company;
    const outcomes = slice.map((one) => readyOrSettled(set, one));
    const ended = outcomes.flatMap((one) => ('status' in one ? [one] : []));
    const ready = outcomes.flatMap((one) => ('status' in one ? [] : [one]));
    if (ended.length > 0) await settleMessages(db, companyId, ended, now);
    const unsent: ClaimedMessage[] = [];
    const failures: unknown[] = [];
    await Promise.all(
      bundlesOf(ready, (channel) => routeOf(channel).transport).map(async (bundle) => {
        const messages = bundle.map(({ message }) => message);
        try {
          if ((await routeOf(messages[0]!.channel).relay(bundle)) === 'refused') unsent.push(...messages);
        } catch (error) {
          failures.push(error);
          if (error instanceof NotBegun) unsent.push(...messages);
        }
      }),
    );
    if (unsent.length > 0) await giveBack(companyId, unsent);
    if (failures.length > 0) throw failures[0];
  }

  function readyOrSettled({ missing, routeOf }: SetOf, { message, composed }: ComposedMessage): ReadyMessage | Settled {
    const { id, epoch, channel } = message;
    if (composed.kind === 'ready') {
      const { outgoing } = composed;
      return (
        holdLinked(missing, message, outgoing, origin()) ?? {
          message,
          outgoing,
          transport: routeOf(channel).transport.name,
        }
      );
    }
    if (composed.kind === 'later') {
      const { reason, attempt, dueAt } = composed;
      return { id, epoch, status: 'queued', reason, attempt, dueAt: dueAt ?? undefined };
    }
    return { id, epoch, status: composed.kind, reason: composed.reason.slice(0, 500) };
  }

  async function giveBack(companyId: number, messages: ClaimedMessage[]): Promise<void> {
    const free = messages.map(({ id, epoch }): Settled => ({ id, epoch, status: 'queued' }));
    await retry(() => settleMessages(db, companyId, free, clock.now()), giveUp);
  }

  return async (companyId, claimed) => {
    const renewing = setInterval(() => {
      renewClaims(db, companyId, claimed).catch((error: unknown) => {
        log.warn({ err: error, company_id: companyId }, 'claims of messages could not be renewed');
      });
    }, RENEW_EVERY_MS);
    try {
      await sendSet(companyId, claimed);
    } finally {
      clearInterval(renewing);
    }
  };
}
