import type { AuditEntry } from '../../../access/audit.ts';
import type { PersonalValues } from '../../../access/audit-values.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import type { Operation } from './operation.ts';
import { changesOf, figuresOf, measuresOf, shownOf, type Values } from './values.ts';

/** An executed request: its input, and the record before it and in its response. */
export interface Carried {
  method: Endpoint['method'];
  operation: Operation;
  call: Pick<Call<Endpoint>, 'params' | 'body'>;
  before: Values | null;
  result: Values;
}

type Id = string | number;
type Change = { before: Values | null; after: Values };

/** Returns the audit entry of the request, without who made it and when. */
export function entryOf(carried: Carried): Pick<AuditEntry, 'action' | 'target' | 'details' | 'personal'> {
  const { operation, call, before } = carried;
  const { action, noun, about } = operation;
  const named = idOf(operation, before ?? {}) ?? paramOf(carried);
  const id = named ?? (about === 'several' ? null : idOf(operation, carried.result));
  const entry = { action, target: id === null ? noun : `${noun}:${id}` };
  const subject = about === 'nobody' ? null : subjectOf(carried);
  if (about !== 'nobody' && subject === null)
    return { ...entry, details: measuresOf(call.body, (name) => name === 'event_type') };
  const change = changeOf(carried);
  const after = shownOf(change.after, operation);
  const earlier = change.before === null || isEmpty(change.before) ? null : shownOf(change.before, operation);
  if (subject === null) return { ...entry, details: earlier === null ? after : { ...after, before: earlier } };
  // An entry without values has nothing to erase.
  if (earlier === null && isEmpty(after)) return { ...entry, details: {} };
  return { ...entry, personal: { about: subject, before: earlier, after } };
}

/** Returns whose data the request wrote; null if nobody's, or if that cannot be determined. */
function subjectOf(carried: Carried): PersonalValues['about'] | null {
  const { operation, before, result } = carried;
  if (operation.about === 'several') return null;
  const customer = before?.customer_id ?? result.customer_id;
  if (operation.about === 'customer_id') return typeof customer === 'number' ? { customerId: customer } : null;
  const id = paramOf(carried) ?? idOf(operation, result);
  if (typeof id !== 'number') return null;
  return operation.about === 'customer' ? { customerId: id } : { contactId: id };
}

function changeOf(carried: Carried): Change {
  const { method, operation, call, before, result } = carried;
  const { about, rest } = operation;
  if (method === 'DELETE') {
    // An erasure leaves no data about the person, not even in its own entry.
    const isErasure = about === 'customer' || about === 'contact';
    return { before: isErasure ? null : before, after: {} };
  }
  const body = call.body as Values;
  const given = about === 'nobody' && rest !== '' ? measuresOf(body, (name) => name !== 'to') : body;
  const resultId = idOf(operation, result);
  const isSame = before !== null && String(resultId) === String(idOf(operation, before));
  if (!isSame) {
    const named = paramOf(carried);
    const isNew = rest !== '' && named !== null && resultId !== null && String(resultId) !== String(named);
    return { before: null, after: isNew ? { ...given, created: resultId } : given };
  }
  const changed = changesOf(before, result, method === 'POST' ? Object.keys(result) : Object.keys(given));
  const beside = Object.fromEntries(Object.entries(given).filter(([name]) => !(name in result)));
  const figures = method === 'POST' ? figuresOf(result, before) : {};
  return { before: changed.before, after: { ...beside, ...figures, ...changed.after } };
}

function paramOf({ operation: { param }, call }: Carried): Id | null {
  const value = param === null || param === 'name' ? null : (call.params as Record<string, Id>)[param];
  return value ?? null;
}

/** `id` in the commerce API, `list_id` or the like in the marketing API. */
function idOf({ noun, param }: Operation, record: Values): Id | null {
  const names = ['id', `${noun}_id`, noun, ...(param === null ? [] : [param])];
  const found = names.map((name) => record[name]).find((id) => typeof id === 'number' || typeof id === 'string');
  return (found as Id | undefined) ?? null;
}

function isEmpty(values: Values): boolean {
  return Object.keys(values).length === 0;
}
