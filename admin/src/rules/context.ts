import { createContext, useContext } from 'react';
import type { Offer } from './offer.ts';

interface RulesContext {
  offer: Offer;
  /** By place: what the API said, or what is yet to be completed. */
  errors: ReadonlyMap<string, string>;
  problems: ReadonlyMap<string, string>;
  /** Whether empty fields are problems already. */
  strict: boolean;
  /** Whether there are as many rules as there may be. */
  full: boolean;
}

export const RulesContext = createContext<RulesContext | null>(null);

export function useRules(): RulesContext {
  const context = useContext(RulesContext);
  if (context === null) throw new Error('useRules outside of RuleBuilder');
  return context;
}
