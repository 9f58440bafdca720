import type { Queryable } from '../../db/pool.ts';
import { countHeldMessages } from './held-queries.ts';
import type { HoldCause, MissingSetting } from './missing-settings.ts';

/** Messages of the installation held for one setting. */
export interface HeldSummary {
  held: HoldCause;
  setting: MissingSetting['name'];
  /** Counts at most 1,000 per company. */
  messages: number;
}

/** Returns what is held, and the settings missing in this process for which messages would be held. */
export async function heldEverywhere(db: Queryable, missing: readonly MissingSetting[]): Promise<HeldSummary[]> {
  const messages = new Map(missing.map((setting) => [setting, 0]));
  for (const { setting, n } of await countHeldMessages(db, { companyId: null, atMost: 1_000 })) {
    messages.set(setting, (messages.get(setting) ?? 0) + n);
  }
  return [...messages].map(([{ cause, name }, n]) => ({ held: cause, setting: name, messages: n }));
}
