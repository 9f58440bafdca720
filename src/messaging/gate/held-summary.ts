import type { Queryable } from '../../db/pool.ts';
import { countHeldMessages } from './held-queries.ts';
import type { HoldCause, MissingSetting } from './missing-settings.ts';

/** What waits in the installation for one setting. */
export interface HeldSummary {
  held: HoldCause;
  setting: MissingSetting['name'];
  /** Counted up to a thousand of each company. */
  messages: number;
}

/** What is held, and what would be since this process lacks the setting. */
export async function heldEverywhere(db: Queryable, missing: readonly MissingSetting[]): Promise<HeldSummary[]> {
  const messages = new Map(missing.map((setting) => [setting, 0]));
  for (const { setting, n } of await countHeldMessages(db, { companyId: null, atMost: 1_000 })) {
    messages.set(setting, (messages.get(setting) ?? 0) + n);
  }
  return [...messages].map(([{ cause, name }, n]) => ({ held: cause, setting: name, messages: n }));
}
