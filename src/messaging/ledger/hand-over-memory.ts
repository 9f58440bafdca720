import { monotonicMs } from '../../clock.ts';
import type { ClaimedMessage } from './message.ts';

/** A message that this process has handed over, in a transaction whose commit was acknowledged. */
export interface HandedOver {
  company_id: number;
  id: number;
  epoch: number;
  /** Before this one. */
  attempts: number;
  contact_id: number | null;
  campaign_id: number | null;
  flow_id: number | null;
  step_id: string | null;
  /** Whether its result was recorded as well. */
  settled: boolean;
}

/** Messages remembered at most: a minute at twice the highest rate that was measured. */
const MOST = 100_000;

/**
 * What this process knows of its latest hand-overs, to find out after a failover whether the database still knows them. Messages that
 * were not accepted, and will be tried again, are not remembered.
 */
export class HandOverMemory {
  private readonly messages = new Map<string, HandedOver & { since: number }>();
  /** Whether messages were forgotten for lack of room. */
  private overflowed = false;

  handedOver(messages: readonly ClaimedMessage[]): void {
    const since = monotonicMs();
    for (const { companyId, id, epoch, attempts, contactId, origin } of messages) {
      const key = `${companyId}:${id}`;
      this.messages.delete(key);
      this.messages.set(key, {
        company_id: companyId,
        id,
        epoch,
        attempts,
        contact_id: contactId,
        campaign_id: origin.kind === 'campaign' ? origin.campaignId : null,
        flow_id: origin.kind === 'flow' ? origin.flowId : null,
        step_id: origin.kind === 'flow' ? origin.stepId : null,
        settled: false,
        since,
      });
    }
    for (const key of this.messages.keys()) {
      if (this.messages.size <= MOST) break;
      this.messages.delete(key);
      this.overflowed = true;
    }
  }

  /** @param isDone false for a message that was not accepted and is tried again */
  settled({ companyId, id }: ClaimedMessage, isDone: boolean): void {
    const key = `${companyId}:${id}`;
    const known = this.messages.get(key);
    if (known === undefined) return;
    if (isDone) known.settled = true;
    else this.messages.delete(key);
  }

  /** Forgets messages handed over before this moment, in `monotonicMs`. */
  forgetBefore(moment: number): void {
    for (const [key, { since }] of this.messages) {
      if (since >= moment) return;
      this.messages.delete(key);
    }
  }

  list(): HandedOver[] {
    return [...this.messages.values()];
  }

  /** Whether more messages may be lost than those given, which the database has lost. */
  mayLackMore(lost: readonly HandedOver[]): boolean {
    return this.overflowed && lost.length >= this.messages.size;
  }
}
