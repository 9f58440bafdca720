import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import { type Clock, monotonicMs } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import type { Channel } from '../ledger/message.ts';
import { activeAccount, CHANNEL_OF, type SealedAccount } from '../sending-accounts/accounts.ts';
import { noteFailure } from '../sending-accounts/queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import { type Breaker, createBreaker } from './backoffs.ts';
import type { Relay, RelayOf } from './deliver.ts';
import type { Transport } from './transports/port.ts';

/** A way of sending messages: a transport with its own relay and breaker. */
export interface Route {
  transport: Transport;
  relay: Relay;
  health: Breaker;
}

export interface Routes {
  /** The installation's routes. */
  readonly shared: Record<Channel, Route>;
  /** Returns the route of the company's messages in a channel: the mailbox for the demo shop, its own account, or the installation's transport. */
  of(company: SendingCompany, channel: Channel): Route;
  /** Whether the company's own account currently accepts messages, as far as this process knows from using it. */
  isOwnOpen(companyId: number, channel: Channel): boolean;
  /** Closes the connections of all accounts. */
  close(): Promise<void>;
}

export interface RoutesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  transports: Record<Channel, Transport>;
  /** For the demo shop. */
  mailboxes: Record<Channel, Transport>;
  /** Returns the transport of a company's own account. */
  transportOf(companyId: number, account: SealedAccount): Transport;
  relayOf(of: RelayOf): Relay;
}

/** The route of an account. When it is given up, messages still waiting in it are released. */
interface OwnRoute extends Route {
  account: SealedAccount;
  usedAt: number;
  giveUp(): Promise<void>;
}

/** A route unused for this long is closed. */
const IDLE_MS = 10 * 60_000;
const ADDRESS = /[^\s<>"']+@[^\s<>"']+/g;

/** Keeps a route for each account in use, and gives up routes of accounts that were changed, removed or long unused. */
export function createRoutes(deps: RoutesDeps): Routes {
  const { db, clock, log, companies, transports, mailboxes, transportOf, relayOf } = deps;
  const shared = { email: open(transports.email), sms: open(transports.sms) };
  const demo = { email: open(mailboxes.email), sms: open(mailboxes.sms) };
  const own = new Map<string, OwnRoute>();
  const closing = new Set<Promise<void>>();
  const keyOf = (companyId: number, channel: Channel): string => `${companyId} ${channel}`;

  function open(transport: Transport): Route {
    const health = createBreaker();
    return { transport, health, relay: relayOf({ channel: transport.channel, transport, health }) };
  }

  /** Opens the route of an account, with a transport, relay and breaker of its own, so that its failures affect nobody else. */
  function openOwn(companyId: number, account: SealedAccount): OwnRoute {
    const channel = CHANNEL_OF[account.provider];
    const transport = transportOf(companyId, account);
    let givenUp = false;

    /** Composed messages wait for their turn, perhaps for minutes, and must not be sent through an account that changed meanwhile. */
    function isChanged(): boolean {
      const company = companies.peek(companyId);
      if (company === undefined) return false;
      const current = activeAccount(company, channel);
      return current?.id !== account.id || current.revision !== account.revision;
    }

    const health = createBreaker((said) => {
      // Replies may contain a recipient's address, which an erasure would not reach here.
      const failure = said?.replaceAll(ADDRESS, '…') ?? null;
      const account_id = account.id;
      if (failure !== null)
        log.warn({ company_id: companyId, account_id, failure }, 'a sending account takes no messages');
      const noted = db.tenantTx(companyId, (tx) => noteFailure(tx, companyId, account, failure, clock.now()));
      noted.catch((error: unknown) => {
        log.warn({ err: error, company_id: companyId, account_id }, 'the state of a sending account was not recorded');
      });
    });
    return {
      account,
      usedAt: monotonicMs(),
      transport,
      relay: relayOf({ channel, transport, health, isGivenUp: () => givenUp || isChanged() }),
      health,
      async giveUp() {
        givenUp = true;
        await transport.close();
      },
    };
  }

  function drop(key: string): void {
    const one = own.get(key);
    if (one === undefined) return;
    own.delete(key);
    const closed = one.giveUp().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function dropIdle(): void {
    for (const [key, { usedAt }] of own) if (monotonicMs() - usedAt > IDLE_MS) drop(key);
  }

  return {
    shared,
    of(company, channel) {
      if (company.isDemo) return demo[channel];
      const account = activeAccount(company, channel);
      const key = keyOf(company.companyId, channel);
      const known = own.get(key);
      if (account !== null && known?.account.id === account.id && known.account.revision === account.revision) {
        known.usedAt = monotonicMs();
        return known;
      }
      // A batch that began before a change may arrive after one that began later.
      if (known !== undefined && account?.id === known.account.id && account.revision < known.account.revision) {
        return known;
      }
      drop(key);
      if (account === null) return shared[channel];
      dropIdle();
      const route = openOwn(company.companyId, account);
      own.set(key, route);
      return route;
    },
    isOwnOpen: (companyId, channel) => own.get(keyOf(companyId, channel))?.health.isOpen() ?? true,
    async close() {
      for (const key of [...own.keys()]) drop(key);
      await Promise.all(closing);
    },
  };
}
