import { createHmac, type KeyObject } from 'node:crypto';
import type { Db } from '../../../db/pool.ts';
import { networkOf } from '../../../lib/network.ts';
import { createTextCache } from '../../../lib/text-cache.ts';
import type { FormRow } from '../queries.ts';
import { countInWindow } from './submission-queries.ts';

const CLIENT_WINDOW_MS = 600_000;
const PER_CLIENT = 10;
const FORM_WINDOW_MS = 3_600_000;
const KEPT = 10_000;

export interface FormRateLimit {
  /** Counts a submission. Returns the seconds to wait, or 0 if it is accepted. */
  take(form: FormRow, address: string, now: Date): Promise<number>;
}

/**
 * Limits submissions per client and per form. They are counted in the database, for all processes together. A client or form over its
 * limit is remembered in memory until the window ends, which saves further statements.
 */
export function createFormRateLimit(db: Db, tokenKey: KeyObject): FormRateLimit {
  const full = createTextCache<number>(KEPT, KEPT * 100);

  async function isOver(
    form: FormRow,
    { subject, windowMs, most }: { subject: string; windowMs: number; most: number },
    now: Date,
  ): Promise<number> {
    const start = Math.floor(now.getTime() / windowMs) * windowMs;
    const key = `${form.company_id}:${form.id}:${subject}:${start}`;
    const wait = Math.ceil((start + windowMs - now.getTime()) / 1_000);
    // If the limit was raised meanwhile, the database is queried again.
    const known = full.get(key);
    if (known !== undefined && known > most) return wait;
    const n = await countInWindow(db.writes(form.company_id), form.company_id, form.id, {
      subject,
      windowStart: new Date(start),
    });
    if (n <= most) return 0;
    full.set(key, n);
    return wait;
  }

  return {
    async take(form, address, now) {
      const client = createHmac('sha256', tokenKey)
        .update(`form-client\0${networkOf(address)}`)
        .digest('base64url');
      const subject = client.slice(0, 22);
      const wait = await isOver(form, { subject, windowMs: CLIENT_WINDOW_MS, most: PER_CLIENT }, now);
      // A client over its own limit does not count towards the form's limit.
      return wait > 0 ? wait : isOver(form, { subject: '', windowMs: FORM_WINDOW_MS, most: form.max_per_hour }, now);
    },
  };
}
