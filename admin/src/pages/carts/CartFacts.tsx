import type { ReactNode } from 'react';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { Facts, Section } from '../../ui/DetailPage.tsx';
import { Moment } from '../../ui/format.tsx';
import { metadataFacts } from '../../ui/words/metadata.ts';
import { CopyLink } from './CopyLink.tsx';
import type { Cart } from './queries.ts';

export function CartFacts({ cart, more = [] }: { cart: Cart; more?: (readonly [string, ReactNode] | null)[] }) {
  return (
    <Section title={t('section.details')}>
      <Facts
        facts={[
          [t('cart.number'), `#${cart.id}`],
          cart.order_id === null
            ? null
            : [
                t('order.number'),
                <Anchor key="order" path={`orders/${cart.order_id}`}>
                  {t('order.title', { id: cart.order_id })}
                </Anchor>,
              ],
          [t('order.origin'), tOf('order.origin', cart.origin)],
          ...more,
          cart.recover_url === null ? null : [t('cart.recover'), <CopyLink key="recover" cart={cart} />],
          [t('field.created'), <Moment key="created" at={cart.created_at} />],
          [t('field.changed'), <Moment key="changed" at={cart.updated_at} />],
          ...metadataFacts(cart.metadata),
        ]}
      />
    </Section>
  );
}
