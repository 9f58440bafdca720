import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ENTRY_KINDS } from '../../../../src/marketing/contacts/timeline/kinds.ts';
import { ok, type ResponseOf } from '../../api/client.ts';
import { oneOf, useSearchValues } from '../../app/nav.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { dateOf, useFormat } from '../../ui/format.tsx';
import type { IconName } from '../../ui/Icon.tsx';
import { Timeline, type TimelineItem } from '../../ui/Timeline.tsx';
import { Reason } from '../../ui/words/Reason.tsx';
import { useEveryList } from '../lists/queries.ts';
import { type EntryData, type EntryOrder, summaryOf, summaryOfEvent } from './entries.ts';
import '../events/words.ts';

type Entry = ResponseOf<'/contacts/{id}/timeline'>['timeline'][number];

const ICONS: Record<Entry['type'], IconName> = {
  event: 'bolt',
  message: 'mailbox',
  status_changed: 'user',
  list_changed: 'list-details',
  merged: 'users',
  preferences_changed: 'settings',
};

/** What a contact did and received, page by page: all of it, or one kind. */
export function History({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const [values, change] = useSearchValues();
  const kind = oneOf(['', ...ENTRY_KINDS], values.kind, '');
  const query = useInfiniteQuery({
    queryKey: [company.id, 'contacts', id, 'timeline', kind],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(kind !== '' && { kind }), ...(pageParam !== '' && { cursor: pageParam }) };
      return ok(api.GET('/contacts/{id}/timeline', { params: { path: { id }, query }, signal }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const entries = data?.pages.flatMap(({ timeline }) => timeline) ?? [];
  const lists = useListNames(entries);
  return (
    <Section
      title={t('section.timeline')}
      actions={
        <NativeSelect
          size="xs"
          aria-label={t('event.show')}
          value={kind}
          data={['all', ...ENTRY_KINDS].map((one) => ({
            value: one === 'all' ? '' : one,
            label: tOf('event.kind', one),
          }))}
          onChange={(event) => change({ kind: event.currentTarget.value })}
        />
      }
    >
      <LoadedPart query={query}>{() => null}</LoadedPart>
      {data !== undefined && entries.length === 0 ? <p className="dim">{t('contact.no_history')}</p> : null}
      <Timeline
        label={t('section.timeline')}
        items={entries.map((entry, i) => itemOf(entry, { index: i, lists, moment: format.moment }))}
      />
      {hasNextPage ? (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('contact.earlier')}
        </Button>
      ) : null}
    </Section>
  );
}

/** The names of the company's lists, if an entry is about one. */
function useListNames(entries: readonly Entry[]): ReadonlyMap<number, string> {
  const { data } = useEveryList(entries.some(({ type }) => type === 'list_changed'));
  return new Map(data?.map(({ list_id, name }) => [list_id, name]));
}

interface Words {
  index: number;
  lists: ReadonlyMap<number, string>;
  moment(at: string): string;
}

function itemOf(entry: Entry, { index, lists, moment }: Words): TimelineItem {
  const base = { key: `${index}`, at: entry.at, icon: ICONS[entry.type] };
  if (entry.type === 'event') {
    const type = String(entry.data.event_type);
    const icon = iconOfEvent(type);
    const text = <EventText data={entry.data} />;
    return { ...base, icon, what: tOf('event_type', type), text, ...timesOf(entry, moment) };
  }
  if (entry.type === 'message') {
    return { ...base, what: <MessageTitle data={entry.data} />, text: <MessageText data={entry.data} /> };
  }
  const data = entry.data as Record<string, string | number | null | undefined>;
  return { ...base, what: tOf('contact.entry', entry.type), text: <ChangeText data={data} lists={lists} /> };
}

const ICONS_OF_EVENTS: [RegExp, IconName][] = [
  [/^order_/, 'shopping-cart'],
  [/^cart_|^checkout_/, 'basket'],
  [/^payment_/, 'credit-card'],
  [/^product_/, 'package'],
  [/^subscription_/, 'repeat'],
  [/^loyalty_/, 'star'],
  [/^list_/, 'list-details'],
  [/^customer_/, 'user'],
];

function iconOfEvent(type: string): IconName {
  return ICONS_OF_EVENTS.find(([pattern]) => pattern.test(type))?.[1] ?? ICONS.event;
}

/** Products that are named; of the others, their number is. */
const MOST_PRODUCTS = 3;

/** What an event is about: orders, products, amounts and other records, each a line. */
function EventText({ data }: { data: EntryData }) {
  const { can } = useShop();
  const format = useFormat();
  const { order, amount, products, customer, subscription, list, points } = summaryOfEvent(data);
  const named = products
    .slice(0, MOST_PRODUCTS)
    .map(({ name, quantity }) => (quantity === null ? name : `${quantity} × ${name}`));
  const more = products.length - named.length;
  return (
    <Lines
      lines={[
        order === null ? null : <OrderText key="order" order={order} />,
        amount === null ? null : format.money(amount.value, amount.currency ?? undefined),
        named.length === 0 ? null : [...named, ...(more === 0 ? [] : [t('event.more', { n: more })])].join(', '),
        subscription === null || !can('subscriptions:read') ? null : (
          <Anchor key="subscription" path={`subscriptions/${subscription}`}>
            {t('subscription.title', { id: subscription })}
          </Anchor>
        ),
        list === null ? null : (
          <Anchor key="list" path={`lists/${list.id}`}>
            {list.name}
          </Anchor>
        ),
        points === null ? null : t('event.points', { n: format.signed(points) }),
        order !== null || subscription !== null || customer === null || !can('customers:read') ? null : (
          <Anchor key="customer" path={`customers/${customer}`}>
            {t('customer.title', { id: customer })}
          </Anchor>
        ),
      ]}
    />
  );
}

/** Each of them a line; null is none. */
function Lines({ lines }: { lines: ReactNode[] }) {
  const shown = lines.filter((line) => line !== null).map((line, i) => ({ key: `${i}`, line }));
  return shown.map(({ key, line }) => <div key={key}>{line}</div>);
}

function OrderText({ order: { id, isOwn, amount, currency } }: { order: EntryOrder }) {
  const { can } = useShop();
  const format = useFormat();
  const name = id === '' ? t('order.number') : t('order.title', { id });
  return (
    <>
      {isOwn && can('orders:read') ? <Anchor path={`orders/${id}`}>{name}</Anchor> : name}
      {amount === null ? null : ` · ${format.money(amount, currency ?? undefined)}`}
    </>
  );
}

function stateOf({ channel, status }: EntryData): string {
  return `${tOf('channel', String(channel))} · ${tOf('status', String(status))}`;
}

function MessageTitle({ data }: { data: EntryData }) {
  const { message_id, subject } = data;
  const what = typeof subject === 'string' ? subject : stateOf(data);
  return message_id === undefined ? what : <Anchor path={`messages/${String(message_id)}`}>{what}</Anchor>;
}

/** The flow or campaign that a message belongs to. */
function SentBy({ data: { title, origin, flow_id, campaign_id } }: { data: EntryData }) {
  const name = typeof title === 'string' ? title : null;
  const path =
    flow_id != null ? `flows/${String(flow_id)}` : campaign_id != null ? `campaigns/${String(campaign_id)}` : null;
  const kind = tOf('message.origin', String(origin));
  if (path === null) return kind;
  return (
    <>
      {kind} <Anchor path={path}>{name ?? t('event.unnamed')}</Anchor>
    </>
  );
}

/** What became of a message, a line each. */
function MessageText({ data }: { data: EntryData }) {
  const format = useFormat();
  const { opened, isOpenedByProgram, clicked, orders, others } = summaryOf(data);
  const openedText = (times: { first: string; last: string }): string => {
    const [first, last] = [format.moment(times.first), format.moment(times.last)];
    return first === last
      ? t('contact.message.opened', { at: first })
      : t('contact.message.opened_again', { first, last });
  };
  return (
    <Lines
      lines={[
        typeof data.subject === 'string' ? stateOf(data) : null,
        <SentBy key="by" data={data} />,
        data.reason == null ? null : <Reason key="reason" value={String(data.reason)} />,
        opened === null ? null : openedText(opened),
        isOpenedByProgram ? t('contact.message.machine_opened') : null,
        clicked === null ? null : t('contact.message.clicked', { n: clicked.links, at: format.moment(clicked.last) }),
        ...(clicked?.urls ?? []).map((url) => (
          <span key={url} className="dim">
            {url}
          </span>
        )),
        ...orders.map((order) => <OrderText key={order.id} order={order} />),
        ...others.map((type) => tOf('contact.message', type)),
      ]}
    />
  );
}

const LATE_MS = 60_000;

/** When an event occurred, and when it arrived if that was later: entries are in the order in which they arrived. */
function timesOf({ at, data }: Entry, moment: (at: string) => string): Pick<TimelineItem, 'at' | 'who'> {
  const { occurred_at } = data as { occurred_at: string };
  const isLate = dateOf(at).getTime() - dateOf(occurred_at).getTime() >= LATE_MS;
  return isLate ? { at: occurred_at, who: t('contact.arrived', { at: moment(at) }) } : { at };
}

/** The changes, in words; entries of each type have their own field names. */
function ChangeText({
  data,
  lists,
}: { data: Record<string, string | number | null | undefined> } & Pick<Words, 'lists'>) {
  const { moment } = useFormat();
  const { from, to, cause, list_id, status, contact_id, frequency, paused_until } = data;
  const list = list_id == null ? undefined : lists.get(Number(list_id));
  const membership = tOf('contact.membership', String(status));
  return (
    <Lines
      lines={[
        from == null || to == null ? null : `${tOf('status', String(from))} → ${tOf('status', String(to))}`,
        cause == null ? null : tOf('contact.cause', String(cause)),
        list_id == null ? null : list === undefined ? (
          t('contact.change.list', { id: list_id, status: membership })
        ) : (
          <>
            <Anchor path={`lists/${list_id}`}>{list}</Anchor>: {membership}
          </>
        ),
        contact_id == null ? null : t('contact.change.merged', { id: contact_id }),
        frequency == null
          ? null
          : t('contact.change.frequency', { frequency: tOf('contact.frequency', String(frequency)) }),
        paused_until == null ? null : t('contact.change.paused_until', { at: moment(String(paused_until)) }),
      ]}
    />
  );
}
