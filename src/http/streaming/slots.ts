import { AppError } from '../../errors.ts';

/** Limits the streamed responses in progress in a process. */
export interface StreamSlots {
  /** Takes a slot for the company; returns a function that frees it and may be called more than once. Throws rate_limited. */
  take(companyId: number): () => void;
}

export interface SlotLimits {
  perCompany: number;
  inAll: number;
}

/** Each stream holds some pages in memory and keeps querying the database: a company gets a quarter of the slots. */
export const STREAM_LIMITS: SlotLimits = { perCompany: 2, inAll: 8 };
const RETRY_AFTER_SECONDS = 5;

export function createStreamSlots({ perCompany, inAll }: SlotLimits = STREAM_LIMITS): StreamSlots {
  const taken = new Map<number, number>();
  let all = 0;
  return {
    take(companyId) {
      const own = taken.get(companyId) ?? 0;
      if (own >= perCompany || all >= inAll) {
        const message = 'Too many exports are under way: try again when one of them has ended';
        throw new AppError('rate_limited', message, { retry_after: RETRY_AFTER_SECONDS });
      }
      taken.set(companyId, own + 1);
      all++;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        all--;
        const others = taken.get(companyId)! - 1;
        if (others === 0) taken.delete(companyId);
        else taken.set(companyId, others);
      };
    },
  };
}
