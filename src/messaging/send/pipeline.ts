import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { retry } from '../../lib/retry.ts';
import type { Composer } from '../compose/composer.ts';
import type { ComposedMessage } from '../compose/outcomes.ts';
import type { Channel, ClaimedMessage } from '../ledger/message.ts';
import { type Settled, settleMessages } from '../ledger/settle-queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Claims } from './claim.ts';
import { type DueWork, renewClaims } from './claim-queries.ts';
import { deliveriesOf, NotBegun } from './deliver.ts';
import type { Gate, ReadyMessage } from './gate.ts';
import { MessageSpans } from './message-spans.ts';
import type { Route, Routes } from './routes.ts';

/** How a message is sent: claim, compose, gate, deliver. See docs/design/sending.md. */
export interface PipelineDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  claims: Claims;
  composer: Composer;
  gate: Gate;
  routes: Routes;
  /** Aborts retries of writes to the ledger. */
  giveUp: AbortSignal;
}

/** What to claim: up to `limit` messages of the work, in these channels. */
export interface Share {
  work: DueWork;
  limit: number;
  channels: readonly Channel[];
}

/** What the messages of a batch have in common. */
interface Batch {
  company: SendingCompany;
  now: Date;
  /** Does not change until the end of the batch, so that messages use the transport they were composed for. */
  routeOf(channel: Channel): Route;
}

/** A third of the lease of a claim. */
const RENEW_EVERY_MS = 10_000;

/**
 * Claims messages and sends them, a batch for each company. Resolves when all are settled or given back. Returns the number of claimed
 * messages.
 */
export type Pipeline = (shares: Share[]) => Promise<number>;

export function createPipeline(deps: PipelineDeps): Pipeline {
  const { db, clock, log, companies, claims, composer, gate, routes, giveUp } = deps;

  async function claimAndSend(shares: Share[]): Promise<number> {
    const now = clock.now();
    const taken = shares.map(({ work, limit, channels }) => claims.take(work, { now, limit, channels }));
    const claimed = (await Promise.all(taken)).flat();
    const byCompany = Map.groupBy(claimed, ({ companyId }) => companyId);
    const errors: unknown[] = [];
    await Promise.all(
      [...byCompany].map(async ([companyId, messages]) => {
        try {
          await sendCompany(companyId, messages);
        } catch (error) {
          // A failure of one company does not block the others: its claims expire, and its messages are sent again.
          log.error({ err: error, company_id: companyId }, 'messages of a company could not be sent');
          errors.push(error);
        }
      }),
    );
    // All companies failed, so the cause is a common one, and the worker backs off.
    if (errors.length > 0 && errors.length === byCompany.size) throw errors[0];
    return claimed.length;
  }

  /** Sends claimed messages of one company, and renews their claims until done. */
  async function sendCompany(companyId: number, claimed: ClaimedMessage[]): Promise<void> {
    const renewing = setInterval(() => {
      renewClaims(db, companyId, claimed).catch((error: unknown) => {
        log.warn({ err: error, company_id: companyId }, 'claims of messages could not be renewed');
      });
    }, RENEW_EVERY_MS);
    try {
      const now = clock.now();
      const company = await companies.get(companyId);
      const { open, settled } = await gate.beforeComposing(db, company, claimed, now);
      if (settled.length > 0) await settleMessages(db, companyId, settled, now);
      if (open.length > 0) await compose({ company, now, routeOf: routesOf(company) }, open);
    } finally {
      clearInterval(renewing);
    }
  }

  function routesOf(company: SendingCompany): (channel: Channel) => Route {
    const known: Partial<Record<Channel, Route>> = {};
    return (channel) => {
      known[channel] ??= routes.of(company, channel);
      return known[channel];
    };
  }

  /** Composes messages; those that are ready are delivered while others are still being composed. */
  async function compose(batch: Batch, messages: ClaimedMessage[]): Promise<void> {
    const spans = MessageSpans.start('compose message', 'internal', messages);
    try {
      await composer.compose(batch.company, messages, batch.now, (some) => {
        for (const { message, composed } of some) spans?.end(message, composed.kind);
        return settleOrDeliver(batch, some);
      });
    } finally {
      spans?.endRest();
    }
  }

  async function settleOrDeliver(batch: Batch, composed: ComposedMessage[]): Promise<void> {
    const settled: Settled[] = [];
    const ready: ReadyMessage[] = [];
    for (const { message, composed: result } of composed) {
      const { id, epoch, channel } = message;
      if (result.kind === 'ready') {
        ready.push({ message, outgoing: result.outgoing, transport: batch.routeOf(channel).transport.name });
      } else if (result.kind === 'later') {
        const { reason, attempt, dueAt } = result;
        settled.push({ id, epoch, status: 'queued', reason, attempt, dueAt: dueAt ?? undefined });
      } else settled.push({ id, epoch, status: result.kind, reason: result.reason.slice(0, 500) });
    }
    if (settled.length > 0) await settleMessages(db, batch.company.companyId, settled, batch.now);
    await deliver(batch, ready);
  }

  /** Passes messages to the relays of their transports, which ask the gate right before the hand-over. */
  async function deliver({ company, routeOf }: Batch, ready: ReadyMessage[]): Promise<void> {
    const unsent: ClaimedMessage[] = [];
    const failures: unknown[] = [];
    await Promise.all(
      deliveriesOf(ready, (channel) => routeOf(channel).transport).map(async (some) => {
        const messages = some.map(({ message }) => message);
        try {
          if ((await routeOf(messages[0]!.channel).relay(some)) === 'refused') unsent.push(...messages);
        } catch (error) {
          failures.push(error);
          if (error instanceof NotBegun) unsent.push(...messages);
        }
      }),
    );
    if (unsent.length > 0) {
      const free = unsent.map(({ id, epoch }): Settled => ({ id, epoch, status: 'queued' }));
      await retry(() => settleMessages(db, company.companyId, free, clock.now()), giveUp);
    }
    if (failures.length > 0) throw failures[0];
  }

  return claimAndSend;
}
