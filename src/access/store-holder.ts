import type { Holder } from './authenticator.ts';

/** The holder of a store key: any visitor of the shop. */
export interface StoreHolder extends Holder {
  /** The sites whose pages may use the key. */
  origins: readonly string[];
  /** Where what is bought with the key is taken from; null: wherever it is in stock. */
  locationId: number | null;
  revokedAt: Date | null;
}
