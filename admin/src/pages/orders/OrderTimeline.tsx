import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { actorText } from '../../ui/actor.ts';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { useFormat } from '../../ui/format.tsx';
import type { IconName } from '../../ui/Icon.tsx';
import { Status } from '../../ui/Status.tsx';
import { Timeline } from '../../ui/Timeline.tsx';

type Entry = ResponseOf<'/orders/{id}/timeline'>['timeline'][number];

const ICONS: Record<Entry['kind'], IconName> = {
  cart: 'shopping-cart',
  history: 'shopping-cart',
  points: 'star',
  note: 'user',
  message: 'mailbox',
};

/** Everything that happened to the order: its cart, its history, messages, points and notes. */
export function OrderTimeline({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const query = useQuery({
    queryKey: [company.id, 'orders', id, 'timeline'],
    queryFn: ({ signal }) => ok(api.GET('/orders/{id}/timeline', { params: { path: { id } }, signal })),
  });
  const itemOf = (entry: Entry) => ({
    key: `${entry.kind} ${entry.type} ${entry.id}`,
    at: entry.at,
    icon: ICONS[entry.kind],
    what: whatOf(entry, format.signed),
    text: entry.kind === 'message' ? null : entry.text,
    who: entry.actor === null ? null : actorText(entry.actor, entry.actor_name),
  });
  return (
    <Section title={t('section.timeline')}>
      <LoadedPart query={query}>
        {({ timeline }) => <Timeline items={timeline.map(itemOf)} label={t('section.timeline')} />}
      </LoadedPart>
    </Section>
  );
}

function whatOf(entry: Entry, signed: (n: number) => string): ReactNode {
  switch (entry.kind) {
    case 'cart':
      return <CartStep entry={entry} />;
    case 'points':
      return t('timeline.points', { what: tOf('ledger', entry.type), n: signed(entry.points ?? 0) });
    case 'note':
      return t('timeline.note');
    case 'message':
      return (
        <>
          <Anchor path={`messages/${entry.id}`}>{entry.text ?? t('message.title', { id: entry.id })}</Anchor>{' '}
          <span className="dim">{tOf('channel', entry.type)}</span> <Status value={entry.to ?? ''} />
        </>
      );
    default:
      return entry.type === 'status' && entry.to !== null ? <Status value={entry.to} /> : tOf('history', entry.type);
  }
}

/** What happened to the cart before the order was placed from it. */
function CartStep({ entry: { type, id } }: { entry: Entry }) {
  const { can } = useShop();
  if (type !== 'created') return tOf('timeline.cart', type);
  const title = t('timeline.cart.title', { id });
  return (
    <>
      {can('carts:read') ? <Anchor path={`carts/${id}`}>{title}</Anchor> : title} {tOf('timeline.cart', type)}
    </>
  );
}
