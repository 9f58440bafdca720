import type { Db } from '../../db/pool.ts';
import type { Previewer } from '../../messaging/compose/preview.ts';
import type { MissingSetting } from '../../messaging/gate/missing-settings.ts';

import type { WarmUpProgress } from '../../messaging/sending-domains/warm-up/progress.ts';

/** Gives the number of decimals of the company's currency. */
export type ExponentOf = (companyId: number) => Promise<number>;

/** What reading and changing campaigns needs of the program. */
export interface CampaignDeps {
  db: Db;
  exponentOf: ExponentOf;
  /** Days from a click or open to an order, or from the start of a campaign to the orders that its groups are compared by. */
  attributionDaysOf: (companyId: number) => Promise<number>;
  /** Gives the company's time zone. */
  timeZoneOf: (companyId: number) => Promise<string>;
  /** How the warm-up of the sender's domain holds up so many open messages; null where none does. */
  warmUpOf(companyId: number, sender: string | null, open: number, now: Date): Promise<WarmUpProgress | null>;
  previewer: Previewer;
  /** Gives the settings that are missing and without which the company's campaigns cannot be sent. */
  missingFor: (companyId: number) => Promise<readonly MissingSetting[]>;
}
