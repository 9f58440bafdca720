import { monotonicMs } from '../../clock.ts';
import type { Channel } from '../ledger/message.ts';
import { activeAccount, type SealedAccount } from '../sending-accounts/accounts.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Relay } from './relay.ts';
import type { Breaker } from './transport-health.ts';
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
  shared: Record<Channel, Route>;
  demo: Record<Channel, Route>;
  open(companyId: number, account: SealedAccount): OwnRoute;
}

/** A route that can be given up; messages still waiting in it are released. */
export interface OwnRoute extends Route {
  giveUp(): Promise<void>;
}

interface Kept {
  companyId: number;
  channel: Channel;
  account: SealedAccount;
  route: OwnRoute;
  usedAt: number;
}

/** A route unused for this long is closed. */
const IDLE_MS = 10 * 60_000;

/** Keeps a route for each account in use, and gives up routes of accounts that were changed, removed or long unused. */
export function createRoutes({ shared, demo, open }: RoutesDeps): Routes {
  const kept = new Map<string, Kept>();
  const closing = new Set<Promise<void>>();
  const keyOf = (companyId: number, channel: Channel): string => `${companyId} ${channel}`;

  function drop(key: string): void {
    const one = kept.get(key);
    if (one === undefined) return;
    kept.delete(key);
    const closed = one.route.giveUp().finally(() => closing.delete(closed));
    closing.add(closed);
  }

  function dropIdle(): void {
    for (const [key, one] of kept) if (monotonicMs() - one.usedAt > IDLE_MS) drop(key);
  }

  return {
    shared,
    of(company, channel) {
      if (company.isDemo) return demo[channel];
      const account = activeAccount(company, channel);
      const key = keyOf(company.companyId, channel);
      const known = kept.get(key);
      if (account !== null && known?.account.id === account.id && known.account.revision === account.revision) {
        known.usedAt = monotonicMs();
        return known.route;
      }
      // A set that began before a change may arrive after one that began later.
      if (known !== undefined && account?.id === known.account.id && account.revision < known.account.revision) {
        return known.route;
      }
      drop(key);
      if (account === null) return shared[channel];
      dropIdle();
      const { companyId } = company;
      const route = open(companyId, account);
      kept.set(key, { companyId, channel, account, route, usedAt: monotonicMs() });
      return route;
    },
    isOwnOpen: (companyId, channel) => kept.get(keyOf(companyId, channel))?.route.health.isOpen() ?? true,
    async close() {
      for (const key of [...kept.keys()]) drop(key);
      await Promise.all(closing);
    },
  };
}
