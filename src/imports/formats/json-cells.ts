import type { ConsentState } from '../../recipients/consent.ts';
import type { Fields } from './format.ts';

/** Parses a cell with an array or object as JSON, as lists exported from here have them. Null for any other cell. */
function jsonIn(text: string): object | null {
  if (!/^[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

export function objectIn(text: string): object | null {
  const value = jsonIn(text);
  return Array.isArray(value) ? null : value;
}

export function arrayIn(text: string): unknown[] | null {
  const value = jsonIn(text);
  return Array.isArray(value) ? value : null;
}

/** Sets the consent of each channel if the e-mail consent column contains both: `{"email":{"state":"never"},"sms":{…}}`. */
export function withConsents(fields: Fields): Fields {
  const consent = jsonIn(fields.email_consent ?? '') as Record<'email' | 'sms', { state?: ConsentState }> | null;
  if (consent === null) return fields;
  const next: Fields = { ...fields };
  delete next.email_consent;
  for (const channel of ['email', 'sms'] as const) {
    const state = consent[channel]?.state;
    if (typeof state === 'string') next[`${channel}_consent`] = state;
  }
  return next;
}
