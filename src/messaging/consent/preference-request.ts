import { AppError } from '../../errors.ts';
import type { Channel } from '../../recipients/consent.ts';
import type { Frequency } from '../../recipients/preferences.ts';

export const PAUSE_DAYS = 30;

/** A change requested by the contact: one at a time. */
export type PreferenceRequest =
  /** Sent by mail programs (RFC 8058). */
  | { kind: 'one_click' }
  | { kind: 'leave_everything' }
  | { kind: 'leave_list' | 'join_list'; listId: number }
  | { kind: 'channel'; channel: Channel; agrees: boolean }
  | { kind: 'frequency'; frequency: Frequency }
  | { kind: 'pause'; days: number };

const CHANNEL_ACTIONS: Record<string, { channel: Channel; agrees: boolean }> = {
  'yes-email': { channel: 'email', agrees: true },
  'no-email': { channel: 'email', agrees: false },
  'yes-sms': { channel: 'sms', agrees: true },
  'no-sms': { channel: 'sms', agrees: false },
};

/** Parses the body of a POST. One without any field of the page counts as a click on "unsubscribe". Throws bad_request. */
export function readPreferenceRequest(form: URLSearchParams): PreferenceRequest {
  const leave = form.get('leave');
  if (leave !== null) {
    return leave === 'everything'
      ? { kind: 'leave_everything' }
      : { kind: 'leave_list', listId: listIdOf('leave', leave) };
  }
  const join = form.get('join');
  if (join !== null) return { kind: 'join_list', listId: listIdOf('join', join) };
  const channel = form.get('channel');
  if (channel !== null) {
    if (!Object.hasOwn(CHANNEL_ACTIONS, channel)) throw wrong('channel');
    return { kind: 'channel', ...CHANNEL_ACTIONS[channel]! };
  }
  const frequency = form.get('frequency');
  if (frequency !== null) {
    if (frequency !== 'all' && frequency !== 'less_often') throw wrong('frequency');
    return { kind: 'frequency', frequency };
  }
  const pause = form.get('pause');
  if (pause !== null) {
    if (pause !== '0' && pause !== String(PAUSE_DAYS)) throw wrong('pause');
    return { kind: 'pause', days: Number(pause) };
  }
  return { kind: 'one_click' };
}

function listIdOf(field: string, text: string): number {
  const listId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(listId)) throw new AppError('bad_request', `${field} must be the id of a list`);
  return listId;
}

function wrong(field: string): AppError {
  return new AppError('bad_request', `${field} must be one of the values of the page`);
}
