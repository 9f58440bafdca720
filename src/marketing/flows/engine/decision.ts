import type { QuietHours } from '../../../recipients/quiet-hours.ts';
import type { Facts } from '../../rules/facts.ts';
import type { Effect, RunContact } from './run.ts';

/** What steps see in addition to their run. */
export interface StepContext {
  contact: RunContact;
  now: Date;
  /** The company's time zone. */
  zone: string;
  quietHours: QuietHours | null;
  facts?: Facts;
}

/** The decision of a step: leave by a branch, wait until a moment (and leave by `outcome` then), or end the run. */
export type Decision =
  | { kind: 'leave'; branch: string; effects?: Effect[]; detail?: string; reload?: true }
  | { kind: 'rest'; until: Date; outcome: string | null; awaits?: string; effects?: Effect[] }
  | { kind: 'exit'; reason: string };
