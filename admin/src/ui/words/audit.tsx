import type { ReactNode } from 'react';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Anchor } from '../Anchor.tsx';

/** A fact that shows who changed the record; null for people who may not see that. `target` is like `product:7`. */
export function useAuditFact(target: string): readonly [string, ReactNode] | null {
  const { can } = useShop();
  if (!can('audit:read')) return null;
  const link = (
    <Anchor key="audit" path={`audit?target=${encodeURIComponent(target)}`}>
      {t('nav.audit')}
    </Anchor>
  );
  return [t('audit.changes'), link];
}
