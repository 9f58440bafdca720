import { Button, Skeleton, Switch } from '@mantine/core';
import { useState } from 'react';
import { type SearchValues, useSearchValues } from '../../app/nav.ts';
import { t, tOf } from '../../i18n/i18n.ts';
import { Moment } from '../../ui/format.tsx';
import { FilterField } from '../../ui/list/fields.tsx';
import list from '../../ui/list/ListPage.module.css';
import type { Filter } from '../../ui/list/types.ts';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Empty, Failure } from '../../ui/states.tsx';
import { EventDrawer } from './EventDrawer.tsx';
import css from './Page.module.css';
import { type ShopEvent, useEvents, useEventTypes } from './queries.ts';

const FILTERS = ['event_type', 'contact_id', 'from', 'to'] as const;

/** What contacts did, live. */
export function Page() {
  const [values, change] = useSearchValues();
  const [shown, setShown] = useState<ShopEvent | null>(null);
  const types = useEventTypes();
  const older = values.cursor !== undefined;
  const tail = values.live === '1' && !older;
  const { data, error, refetch, isPlaceholderData } = useEvents(values, tail);
  const set = (part: SearchValues): void => change({ cursor: '', ...part });
  const filtered = FILTERS.some((key) => values[key] !== undefined);
  const next = data?.pagination.next_cursor ?? null;
  const filters: Filter[] = [
    {
      key: 'event_type',
      title: t('field.type'),
      type: 'choice',
      choices: (types.data?.event_types ?? []).map(({ event_type }) => ({ value: event_type, label: event_type })),
    },
    { key: 'contact_id', title: t('events.contact_id'), type: 'text' },
    { key: 'from', title: t('events.from'), type: 'day' },
    { key: 'to', title: t('events.to'), type: 'day' },
  ];
  const header = (
    <PageHeader title={t('nav.events')}>
      <Switch
        label={t('events.live')}
        checked={tail}
        onChange={({ currentTarget }) => set({ live: currentTarget.checked ? '1' : '' })}
      />
    </PageHeader>
  );
  if (error !== null && data === undefined) {
    return (
      <>
        {header}
        <Failure error={error} reset={() => void refetch()} />
      </>
    );
  }
  return (
    <>
      {header}
      <div className={list.card}>
        <div className={list.tools}>
          {filters.map((filter) => (
            <FilterField key={filter.key} filter={filter} value={values[filter.key] ?? ''} onChange={set} />
          ))}
          {filtered ? (
            <Button
              variant="subtle"
              color="gray"
              size="xs"
              onClick={() => set(Object.fromEntries(FILTERS.map((key) => [key, ''])))}
            >
              {t('list.clear')}
            </Button>
          ) : null}
        </div>
        {data?.events.length === 0 ? (
          <Empty
            icon={filtered ? 'search' : 'bolt'}
            title={filtered ? t('list.none.title') : t('events.empty')}
            text={filtered ? t('list.none.text') : t('events.empty.text')}
          />
        ) : (
          <Table events={data?.events} stale={isPlaceholderData} onOpen={setShown} />
        )}
        <div className={list.foot}>
          <span className="dim" aria-live="polite">
            {tail ? t('events.live.on') : t('events.order')}
          </span>
          <span className="grow" />
          {older ? (
            <Button variant="default" size="xs" onClick={() => change({ cursor: '' })}>
              {t('events.newest')}
            </Button>
          ) : null}
          <Button
            variant="default"
            size="xs"
            disabled={next === null}
            onClick={() => change({ cursor: next ?? '', live: '' })}
          >
            {t('events.older')}
          </Button>
        </div>
      </div>
      {shown === null ? null : (
        <EventDrawer
          event={shown}
          onClose={() => setShown(null)}
          onContact={(id) => {
            setShown(null);
            set({ contact_id: String(id) });
          }}
        />
      )}
    </>
  );
}

function Table(props: { events: ShopEvent[] | undefined; stale: boolean; onOpen: (event: ShopEvent) => void }) {
  const { events, stale, onOpen } = props;
  const titles = [
    ...[t('field.type'), t('events.occurred'), t('events.received'), t('events.source'), t('events.contact')],
  ];
  return (
    <table className={list.table} aria-busy={events === undefined || stale}>
      <caption className="visually-hidden">{t('nav.events')}</caption>
      <thead>
        <tr>
          {titles.map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
          <th scope="col" data-wide>
            {t('events.payload')}
          </th>
        </tr>
      </thead>
      <tbody data-stale={stale || undefined}>
        {(events ?? []).map((event) => (
          <tr key={event.event_id}>
            <td>
              <button type="button" className={css.open} onClick={() => onOpen(event)}>
                {event.event_type}
              </button>
            </td>
            <td data-title={titles[1]}>
              <Moment at={event.occurred_at} />
            </td>
            <td data-title={titles[2]}>
              <Moment at={event.received_at} />
            </td>
            <td data-title={titles[3]}>{tOf('event_source', event.source)}</td>
            <td data-title={titles[4]} className="num">
              #{event.contact_id}
            </td>
            <td data-wide>
              <span className={`${css.excerpt} dim`}>{JSON.stringify(event.event_data).slice(0, 200)}</span>
            </td>
          </tr>
        ))}
        {events === undefined ? (
          <tr>
            <td colSpan={6}>
              <Skeleton height={240} />
            </td>
          </tr>
        ) : null}
      </tbody>
    </table>
  );
}
