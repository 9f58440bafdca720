import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ok } from '../api/client.ts';
import { t } from '../i18n/i18n.ts';
import { Anchor } from '../ui/Anchor.tsx';
import { Icon } from '../ui/Icon.tsx';
import css from './Frame.module.css';
import { useShop } from './session.tsx';

/** The server counts no further. */
const MOST = 100;
/** How long after all that the page itself has asked for has arrived. */
const FIRST_MS = 2_000;

/** Leads to the person's notices and shows how many are unread. The operator has none. */
export function Bell() {
  const { api, company, session } = useShop();
  const isDue = useIsLoaded();
  const { data } = useQuery({
    queryKey: [company.id, 'staff-notices', 'unread'],
    queryFn: async ({ signal }) => (await ok(api.GET('/staff-notices/unread', { signal }))).unread,
    enabled: isDue && session.person.id !== null,
    meta: { live: ['notices'], everyMs: 5_000 },
  });
  if (session.person.id === null) return null;
  const unread = data ?? 0;
  const shown = unread >= MOST ? `${MOST - 1}+` : String(unread);
  return (
    <Anchor path="notices" className={css.bell} aria-label={t('notices.bell', { n: shown })}>
      <Icon name="bell" />
      {unread === 0 ? null : (
        <span aria-hidden="true" className={css.unread}>
          {shown}
        </span>
      )}
    </Anchor>
  );
}

/** Whether the page has loaded, a while ago. */
function useIsLoaded(): boolean {
  const [isLoaded, setLoaded] = useState(false);
  const isFetching = useIsFetching() > 0;
  useEffect(() => {
    if (isFetching || isLoaded) return;
    const timer = setTimeout(() => setLoaded(true), FIRST_MS);
    return () => clearTimeout(timer);
  }, [isFetching, isLoaded]);
  return isLoaded;
}
