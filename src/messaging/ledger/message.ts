import { rawSql } from '../../db/sql.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';

/** The vocabulary of the ledger: what is to be sent, where each message stands. */

export const MESSAGE_STATUSES = ['queued', 'claimed', 'handing_over', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
/** What lists and counts tell apart: everything that is on its way is queued. */
export const MESSAGE_STATES = ['queued', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];
export type Channel = 'email' | 'sms';

/** Lower lanes go first. */
export const LANES = { transactional: 0, flow: 1, campaign: 2 } as const;

/** Where a message comes from, and so where its content is found when it is claimed. */
export type Origin =
  | { kind: 'flow'; flowId: number; version: number; runId: number; stepId: string; eventId: number | null }
  | { kind: 'campaign'; campaignId: number; variant?: string | null }
  | { kind: 'system'; template: string; data: Record<string, unknown> };

export interface QueuedMessage {
  /** What the message is: a second one of the same key is never sent. */
  idemKey: string;
  channel: Channel;
  /** null only with a `recipient`. */
  contactId: number | null;
  /** An address that is no contact's, such as that of a test. */
  recipient?: string;
  origin: Origin;
  /** Asked for by what the contact did: goes to those who left too, but not to who bounced or complained. */
  transactional: boolean;
  dueAt: Date;
  /** Of the request that caused it, where there is one. */
  correlation?: Correlation | null;
}

/** A message that a worker holds. `epoch` is its right to go on with it. */
export interface ClaimedMessage {
  companyId: number;
  id: number;
  epoch: number;
  channel: Channel;
  transactional: boolean;
  contactId: number | null;
  recipient: string | null;
  attempts: number;
  dueAt: Date;
  /** When it was first meant to go, whatever it waited for since but quiet hours: what it is late by counts from here. */
  wantedAt: Date;
  origin: Origin;
  correlation: Correlation | null;
}

/**
 * Of messages m: no worker holds it. A subquery of one value, which the planner leaves as it is: as a join it had all due
 * messages read to find the first few.
 */
export const FREE = rawSql(`(
  select c.epoch from message_claims c where c.company_id = m.company_id and c.message_id = m.id) is null`);

/** When campaigns' messages are due that wait for the best variant: not before it is known. */
export const UNTIL_WINNER = new Date('9999-12-31T00:00:00Z');
