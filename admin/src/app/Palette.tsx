import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { ok, type ResponseOf } from '../api/client.ts';
import { type TextKey, t, tOf } from '../i18n/i18n.ts';
import type { Place } from '../pages/pages.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { useGo } from './nav.ts';
import css from './Palette.module.css';
import { useShop } from './session.tsx';

interface Hit {
  path: string;
  text: string;
  more?: string;
  icon: IconName;
}

type Found = ResponseOf<'/search'>['hits'][number];

/** What can be created from anywhere, each with the required scope. */
const ACTIONS: readonly { path: string; text: TextKey; scope: string }[] = [
  { path: 'orders/new', text: 'order.new', scope: 'carts:write' },
  { path: 'products/new', text: 'product.new', scope: 'products:write' },
  { path: 'customers/new', text: 'customer.new', scope: 'customers:write' },
  { path: 'campaigns/new', text: 'campaign.new', scope: 'marketing:write' },
];

/** A result must appear within 100 ms of a keystroke; letters typed in quick succession are one search. */
const PAUSE_MS = 30;

/** Pages, actions and records of every kind, chosen with the arrows and Enter, or the mouse. */
export function Palette({ places, onClose }: { places: readonly Place[]; onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  /** Whether Enter was pressed before the records for the text were found: then the first hit opens once they are. */
  const [isAwaited, setAwaited] = useState(false);
  const [asked] = useDebouncedValue(text.trim(), PAUSE_MS);
  const go = useGo();
  const { can } = useShop();
  const list = useId();
  const { found, isSearching } = useRecords(asked);
  const isSettled = !isSearching && asked === text.trim();
  const wanted = text.trim().toLowerCase();
  const pages = places
    .filter((place) => t(place.text).toLowerCase().includes(wanted))
    .map((place): Hit => ({ path: place.path, text: t(place.text), icon: place.icon }));
  const actions = ACTIONS.filter(({ scope, text: name }) => can(scope) && t(name).toLowerCase().includes(wanted)).map(
    (action): Hit => ({ path: action.path, text: t(action.text), icon: 'plus' }),
  );
  // A number may be that of an order or part of a phone number; after # it is an order's.
  const order: Hit[] = /^#?\d{1,15}$/.test(wanted)
    ? [
        {
          path: `orders/${wanted.replace('#', '')}`,
          text: t('palette.order', { id: wanted.replace('#', '') }),
          icon: 'shopping-cart',
        },
      ]
    : [];
  const isOrder = wanted.startsWith('#');
  const records = found.filter(({ path }) => !isOrder || order[0]?.path !== path);
  const guess = order.filter(({ path }) => !records.some((record) => record.path === path));
  const hits = isOrder ? [...guess, ...records] : [...pages, ...actions, ...records, ...guess];
  const at = Math.min(chosen, hits.length - 1);

  const open = (hit: Hit): void => {
    onClose();
    go(hit.path);
  };
  useEffect(() => {
    if (!isAwaited || !isSettled) return;
    setAwaited(false);
    if (hits[at] !== undefined) open(hits[at]);
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setChosen((at + step + hits.length) % hits.length);
    } else if (event.key === 'Enter') {
      const hit = hits[at];
      // Records that are still shown may be those of the text before.
      const isCurrent = isSettled || (hit !== undefined && !records.includes(hit));
      if (!isCurrent) setAwaited(true);
      else if (hit !== undefined) open(hit);
      event.preventDefault();
    }
  };

  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="10vh"
      aria-label={t('palette.open')}
    >
      <TextInput
        data-autofocus
        role="combobox"
        aria-label={t('palette.placeholder')}
        aria-expanded={hits.length > 0}
        aria-controls={list}
        aria-activedescendant={at < 0 ? undefined : `${list}-${at}`}
        placeholder={t('palette.placeholder')}
        leftSection={<Icon name="search" size={16} />}
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setAwaited(false);
        }}
      />
      {hits.length === 0 ? <p className="dim">{t('palette.none')}</p> : null}
      <div id={list} role="listbox" aria-label={t('palette.open')} className={css.hits}>
        {hits.map((hit, i) => (
          <button
            type="button"
            key={hit.path}
            id={`${list}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === at}
            className={css.hit}
            onClick={() => open(hit)}
            onMouseMove={() => setChosen(i)}
          >
            <Icon name={hit.icon} size={16} />
            <span className={css.text}>{hit.text}</span>
            {!hit.more ? null : <span className={`${css.text} dim`}>{hit.more}</span>}
          </button>
        ))}
      </div>
    </Modal>
  );
}

/** Where the records of each kind are shown. */
const RECORDS: Record<Found['kind'], { list: string; icon: IconName }> = {
  order: { list: 'orders', icon: 'shopping-cart' },
  product: { list: 'products', icon: 'package' },
  customer: { list: 'customers', icon: 'users' },
  contact: { list: 'contacts', icon: 'address-book' },
  flow: { list: 'flows', icon: 'sitemap' },
  campaign: { list: 'campaigns', icon: 'send' },
  segment: { list: 'segments', icon: 'filter' },
};

function useRecords(text: string): { found: Hit[]; isSearching: boolean } {
  const { api, company } = useShop();
  const { data, isFetching } = useQuery({
    queryKey: [company.id, 'search', text],
    enabled: text !== '',
    queryFn: ({ signal }) => ok(api.GET('/search', { params: { query: { q: text } }, signal })),
  });
  const hits = text === '' ? [] : (data?.hits ?? []);
  // A customer's contact is shown as the customer, whose page links to it.
  const customers = new Set(hits.filter(({ kind }) => kind === 'customer').map(({ name, detail }) => detail ?? name));
  const shown = hits.filter(({ kind, name, detail }) => kind !== 'contact' || !customers.has(detail ?? name));
  const found = shown.map(({ kind, id, name, detail, archived }): Hit => {
    const record = RECORDS[kind];
    const path = `${record.list}/${id}`;
    if (kind === 'order') return { path, text: t('palette.order', { id }), more: name, icon: record.icon };
    const state = archived ? t('status.archived') : null;
    const about = [kind === 'flow' || kind === 'campaign' ? tOf('status', detail ?? '') : detail, state];
    return { path, text: name, more: about.filter((part) => part !== null).join(' · '), icon: record.icon };
  });
  return { found, isSearching: isFetching };
}
