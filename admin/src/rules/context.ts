import { createContext, useContext } from 'react';
import type { Offer } from './offer.ts';

interface RulesContext {
  offer: Offer;
  /** By path: errors of the API, or what is still incomplete. */
  errors: ReadonlyMap<string, string>;
  problems: ReadonlyMap<string, string>;
  /** Whether empty fields already count as problems. */
  strict: boolean;
  /** Whether the maximum number of rules is reached. */
  full: boolean;
}

export const RulesContext = createContext<RulesContext | null>(null);

export function useRules(): RulesContext {
  const context = useContext(RulesContext);
  if (context === null) throw new Error('useRules outside of RuleBuilder');
  return context;
}
