import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ok, type ResponseOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { Anchor } from '../../ui/Anchor.tsx';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { dateOf, useFormat } from '../../ui/format.tsx';
import type { IconName } from '../../ui/Icon.tsx';
import { Timeline, type TimelineItem } from '../../ui/Timeline.tsx';
import { Reason } from '../../ui/words/Reason.tsx';
import { customerOfEvent, type EntryData, type EntryOrder, orderOfEvent, summaryOf } from './entries.ts';

type Entry = ResponseOf<'/contacts/{id}/timeline'>['timeline'][number];

const ICONS: Record<Entry['type'], IconName> = {
  event: 'bolt',
  message: 'mailbox',
  status_changed: 'user',
  list_changed: 'list-details',
  merged: 'users',
  preferences_changed: 'settings',
};

/** What a contact did and received, page by page. */
export function History({ id }: { id: number }) {
  const { api, company } = useShop();
  const format = useFormat();
  const query = useInfiniteQuery({
    queryKey: [company.id, 'contacts', id, 'timeline'],
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === '' ? {} : { cursor: pageParam };
      return ok(api.GET('/contacts/{id}/timeline', { params: { path: { id }, query }, signal }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const { data, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const entries = data?.pages.flatMap(({ timeline }) => timeline) ?? [];
  return (
    <Section title={t('section.timeline')}>
      <LoadedPart query={query}>{() => null}</LoadedPart>
      {data !== undefined && entries.length === 0 ? <p className="dim">{t('contact.no_history')}</p> : null}
      <Timeline label={t('section.timeline')} items={entries.map((entry, i) => itemOf(entry, i, format.moment))} />
      {hasNextPage ? (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {t('contact.earlier')}
        </Button>
      ) : null}
    </Section>
  );
}

function itemOf(entry: Entry, index: number, moment: (at: string) => string): TimelineItem {
  const base = { key: `${index}`, at: entry.at, icon: ICONS[entry.type] };
  if (entry.type === 'event') {
    const what = String(entry.data.event_type);
    return { ...base, what, text: <EventText data={entry.data} />, ...timesOf(entry, moment) };
  }
  if (entry.type === 'message') {
    return { ...base, what: <MessageTitle data={entry.data} />, text: <MessageText data={entry.data} /> };
  }
  const data = entry.data as Record<string, string | number | null | undefined>;
  return { ...base, what: tOf('contact.entry', entry.type), text: changesOf(data, moment).join(', ') };
}

/** What an event is about: the order with its amount, or the customer. */
function EventText({ data }: { data: EntryData }) {
  const { can } = useShop();
  const order = orderOfEvent(data);
  if (order !== null) return <OrderText order={order} />;
  const customer = customerOfEvent(data);
  if (customer === null || !can('customers:read')) return null;
  return <Anchor path={`customers/${customer}`}>{t('customer.title', { id: customer })}</Anchor>;
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

/** What became of a message, a line each. */
function MessageText({ data }: { data: EntryData }) {
  const format = useFormat();
  const { opened, isOpenedByProgram, clicked, orders, others } = summaryOf(data);
  const lines: { key: string; line: ReactNode }[] = [];
  const add = (line: ReactNode): void => {
    lines.push({ key: `${lines.length}`, line });
  };
  if (typeof data.subject === 'string') add(stateOf(data));
  if (data.reason != null) add(<Reason value={String(data.reason)} />);
  if (opened !== null) {
    const [first, last] = [format.moment(opened.first), format.moment(opened.last)];
    if (first === last) add(t('contact.message.opened', { at: first }));
    else add(t('contact.message.opened_again', { first, last }));
  }
  if (isOpenedByProgram) add(t('contact.message.machine_opened'));
  if (clicked !== null) {
    add(t('contact.message.clicked', { n: clicked.links, at: format.moment(clicked.last) }));
    for (const url of clicked.urls) add(<span className="dim">{url}</span>);
  }
  for (const order of orders) add(<OrderText order={order} />);
  for (const type of others) add(tOf('contact.message', type));
  return lines.map(({ key, line }) => <div key={key}>{line}</div>);
}

const LATE_MS = 60_000;

/** When an event occurred, and when it arrived if that was later: entries are in the order in which they arrived. */
function timesOf({ at, data }: Entry, moment: (at: string) => string): Pick<TimelineItem, 'at' | 'who'> {
  const { occurred_at } = data as { occurred_at: string };
  const isLate = dateOf(at).getTime() - dateOf(occurred_at).getTime() >= LATE_MS;
  return isLate ? { at: occurred_at, who: t('contact.arrived', { at: moment(at) }) } : { at };
}

/** The changes, in words; entries of each type have their own field names. */
function changesOf(data: Record<string, string | number | null | undefined>, moment: (at: string) => string): string[] {
  const { from, to, cause, list_id, status, contact_id, frequency, paused_until } = data;
  const changes: string[] = [];
  if (from != null && to != null) changes.push(`${tOf('status', String(from))} → ${tOf('status', String(to))}`);
  if (cause != null) changes.push(tOf('contact.cause', String(cause)));
  if (list_id != null) {
    changes.push(t('contact.change.list', { id: list_id, status: tOf('contact.membership', String(status)) }));
  }
  if (contact_id != null) changes.push(t('contact.change.merged', { id: contact_id }));
  if (frequency != null) {
    changes.push(t('contact.change.frequency', { frequency: tOf('contact.frequency', String(frequency)) }));
  }
  if (paused_until != null) changes.push(t('contact.change.paused_until', { at: moment(String(paused_until)) }));
  return changes;
}
