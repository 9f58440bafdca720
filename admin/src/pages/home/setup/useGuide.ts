import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useShop } from '../../../app/session.tsx';
import { STEPS } from './steps.ts';

type Step = (typeof STEPS)[number];

interface Guide {
  /** `hidden`: by the person, who can show it again. null: there is nothing to show, or it is not known yet. */
  shown: 'open' | 'hidden' | null;
  steps: { name: Step['name']; path: string; done: boolean }[];
  hide(): void;
  show(): void;
}

/** The setup guide of the company, which this browser remembers as hidden or as done. */
export function useGuide(): Guide {
  const { api, can, company } = useShop();
  const stored = `tradeloom-setup-${company.id}`;
  const [kept, setKept] = useState(() => localStorage.getItem(stored));
  const keep = (value: 'hidden' | 'done' | null): void => {
    if (value === null) localStorage.removeItem(stored);
    else localStorage.setItem(stored, value);
    setKept(value);
  };
  const own: readonly Step[] = can('settings:write') ? STEPS.filter(({ scopes }) => scopes.every(can)) : [];
  const { data } = useQuery({
    queryKey: [company.id, 'setup', own.map(({ name }) => name)],
    meta: { live: ['orders', 'products'] },
    enabled: own.length > 0 && kept === null,
    queryFn: async ({ signal }) => {
      const done = await Promise.all(own.map(({ isDone }) => isDone(api, signal)));
      if (!done.includes(false)) localStorage.setItem(stored, 'done');
      return own.map(({ name, path }, n) => ({ name, path, done: done[n]! }));
    },
  });
  const isOpen = data?.some(({ done }) => !done) === true;
  return {
    shown: kept === 'hidden' && own.length > 0 ? 'hidden' : kept === null && isOpen ? 'open' : null,
    steps: data ?? [],
    hide: () => keep('hidden'),
    show: () => keep(null),
  };
}
