import type { Logger } from 'pino';
import type { CompanyCache } from '../../access/company-cache.ts';
import type { Clock } from '../../clock.ts';
import type { Db } from '../../db/pool.ts';
import { activeAccount, CHANNEL_OF, type SealedAccount } from '../sending-accounts/accounts.ts';
import { noteFailure } from '../sending-accounts/queries.ts';
import type { SendingCompany } from '../settings/settings.ts';
import type { Relay } from './relay.ts';
import type { RelayOf } from './relays.ts';
import type { OwnRoute } from './routes.ts';
import { createBreaker } from './transport-health.ts';
import type { Transport } from './transports/port.ts';

export interface AccountRoutesDeps {
  db: Db;
  clock: Clock;
  log: Logger;
  companies: CompanyCache<SendingCompany>;
  relayOf(of: RelayOf): Relay;
  transportOf(companyId: number, account: SealedAccount): Transport;
}

const ADDRESS = /[^\s<>"']+@[^\s<>"']+/g;

/** Opens the route of an account, with a transport, relay and breaker of its own, so that its failures affect nobody else. */
export function createAccountRoutes({ db, clock, log, companies, relayOf, transportOf }: AccountRoutesDeps) {
  return (companyId: number, account: SealedAccount): OwnRoute => {
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
      transport,
      relay: relayOf({ channel, transport, health, isGivenUp: () => givenUp || isChanged() }),
      health,
      async giveUp() {
        givenUp = true;
        await transport.close();
      },
    };
  };
}
