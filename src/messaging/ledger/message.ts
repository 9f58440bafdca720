import { rawSql } from '../../db/sql.ts';
import type { Correlation } from '../../lib/tracing/correlation.ts';

/** The terms of the ledger: what is to be sent, and the state of each message. */

export const MESSAGE_STATUSES = ['queued', 'claimed', 'handing_over', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
/** States used in lists and counts: everything not finished yet is queued. */
export const MESSAGE_STATES = ['queued', 'sent', 'failed', 'skipped', 'unknown'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];
export type Channel = 'email' | 'sms';

/** Lower lanes go first. */
export const LANES = { transactional: 0, flow: 1, campaign: 2 } as const;

/** The origin of a message, which determines where its content is found when it is claimed. */
export type Origin =
  | { kind: 'flow'; flowId: number; version: number; runId: number; stepId: string; eventId: number | null }
  | { kind: 'campaign'; campaignId: number; variant?: string | null }
  | { kind: 'system'; template: string; data: Record<string, unknown> };

export interface QueuedMessage {
  /** Identifies the message: a second one with the same key is never sent. */
  idemKey: string;
  channel: Channel;
  /** null only with a `recipient`. */
  contactId: number | null;
  /** An address without a contact, such as that of a test. */
  recipient?: string;
  origin: Origin;
  /** Triggered by an action of the contact: also sent to unsubscribed contacts, but not to those that bounced or complained. */
  transactional: boolean;
  dueAt: Date;
  /** Of the request that caused it, if any. */
  correlation?: Correlation | null;
}

/** A message that a worker holds. `epoch` proves its claim. */
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
  /** When it was first meant to be sent; lateness is measured from here. Only planned waits (quiet hours, warm-ups) change it. */
  wantedAt: Date;
  origin: Origin;
  correlation: Correlation | null;
}

/**
 * Condition on messages m: no worker holds it. A scalar subquery, which the planner keeps: as a join it read all due messages to find the
 * first few.
 */
export const FREE = rawSql(`(
  select c.epoch from message_claims c where c.company_id = m.company_id and c.message_id = m.id) is null`);

/** Due time of campaign messages that wait for the best variant or for their batch: never reached before they are released. */
export const UNTIL_RELEASED = new Date('9999-12-31T00:00:00Z');

/**
 * Seconds until a claim expires unless it is renewed. Then messages claimed by a dead worker are released, and those being handed over
 * become `unknown`.
 */
export const CLAIM_SECONDS = 30;
