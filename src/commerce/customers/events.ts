import type { Caller } from '../../caller.ts';
import type { Tx } from '../../db/pool.ts';
import { correlationOf } from '../../lib/tracing/correlation.ts';
import { CUSTOMER_UPDATED, enqueue, type OutboxEvent } from '../../outbox/service.ts';
import { type CustomerRow, type CustomerValues, markAnnounced } from './queries.ts';

/** The fields that the marketing side keeps of a customer. */
export type Identity = Pick<CustomerRow, 'email' | 'first_name' | 'last_name' | 'phone' | 'accepts_marketing'>;

export function identityOf({ email, firstName, lastName, phone, acceptsMarketing }: CustomerValues): Identity {
  return { email, first_name: firstName, last_name: lastName, phone, accepts_marketing: acceptsMarketing };
}

export function createdEvent(id: number, identity: Identity, occurredAt: Date): OutboxEvent {
  const payload = { ...identity, customer_id: String(id) };
  return { topic: 'customer_created', payload, occurredAt };
}

/** Raises `customer_created` for a customer who was a guest or imported and has an account now; only once. */
export async function announce(tx: Tx, caller: Caller, customerId: number): Promise<void> {
  const customer = await markAnnounced(tx, caller.companyId, customerId);
  if (customer === undefined) return;
  const { id, ...identity } = customer;
  await enqueue(tx, caller.companyId, [createdEvent(id, identity, caller.now)], correlationOf(caller));
}

/** Null if none of these fields changed. */
export function updatedEvent(
  id: number,
  old: CustomerRow,
  values: CustomerValues,
  occurredAt: Date,
): OutboxEvent | null {
  const identity = identityOf(values);
  const changed = (Object.keys(identity) as (keyof Identity)[]).filter((field) => identity[field] !== old[field]);
  if (changed.length === 0) return null;
  return { topic: CUSTOMER_UPDATED, payload: { ...identity, customer_id: String(id), changed }, occurredAt };
}
