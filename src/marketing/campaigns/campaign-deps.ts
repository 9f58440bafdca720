import type { Db } from '../../db/pool.ts';
import type { Previewer } from '../../messaging/compose/preview.ts';
import type { MissingSetting } from '../../messaging/send/missing-settings.ts';

import type { WarmUpProgress } from '../../messaging/sending-domains/warm-up/progress.ts';
import type { IsOwnSender } from '../senders.ts';

/** Returns the number of decimals of the company's currency. */
export type ExponentOf = (companyId: number) => Promise<number>;

/** What queries and changes of campaigns require from the program. */
export interface CampaignDeps {
  db: Db;
  exponentOf: ExponentOf;
  /** Days from a click or open to an order, and from the start of a campaign to the orders by which its groups are compared. */
  attributionDaysOf: (companyId: number) => Promise<number>;
  /** Returns the company's time zone. */
  timeZoneOf: (companyId: number) => Promise<string>;
  /** How the warm-up of the sender's domain delays this many open messages; null if it delays none. */
  warmUpOf(companyId: number, sender: string | null, open: number, now: Date): Promise<WarmUpProgress | null>;
  isOwnSender: IsOwnSender;
  previewer: Previewer;
  /** Returns the missing settings without which the company's campaigns cannot be sent. */
  missingFor: (companyId: number) => Promise<readonly MissingSetting[]>;
}
