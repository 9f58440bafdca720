import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useId, useState } from 'react';
import { rowsOf } from '../api/client.ts';
import { t } from '../i18n/i18n.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { useGo } from './nav.ts';
import type { Place } from './navigation.ts';
import css from './Palette.module.css';
import { useShop } from './session.tsx';

interface Hit {
  path: string;
  text: string;
  more?: string;
  icon: IconName;
}

const PER_KIND = 5;

/** Pages, an order by its number, products and customers by name: by arrows and Enter, or the mouse. */
export function Palette({ places, onClose }: { places: readonly Place[]; onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const [asked] = useDebouncedValue(text.trim(), 120);
  const go = useGo();
  const list = useId();
  const found = useRecords(asked);
  const wanted = text.trim().toLowerCase();
  const pages = places
    .filter((place) => t(place.text).toLowerCase().includes(wanted))
    .map((place): Hit => ({ path: place.path, text: t(place.text), icon: place.icon }));
  const order: Hit[] = /^#?\d{1,15}$/.test(wanted)
    ? [
        {
          path: `orders/${wanted.replace('#', '')}`,
          text: t('palette.order', { id: wanted.replace('#', '') }),
          icon: 'shopping-cart',
        },
      ]
    : [];
  const hits = [...order, ...pages, ...found];
  const at = Math.min(chosen, hits.length - 1);

  const open = (hit: Hit): void => {
    onClose();
    go(hit.path);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && hits.length > 0) {
      event.preventDefault();
      setChosen((at + step + hits.length) % hits.length);
    } else if (event.key === 'Enter' && hits[at] !== undefined) {
      event.preventDefault();
      open(hits[at]);
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
            {hit.more === undefined ? null : <span className={`${css.text} dim`}>{hit.more}</span>}
          </button>
        ))}
      </div>
    </Modal>
  );
}

function useRecords(text: string): Hit[] {
  const { api, company, can } = useShop();
  const enabled = text.length >= 2;
  const query = { search: text, per_page: PER_KIND };
  const products = useQuery({
    queryKey: [company.id, 'products', 'palette', text],
    enabled: enabled && can('products:read'),
    queryFn: ({ signal }) => rowsOf(api.GET('/products', { params: { query }, signal })),
  });
  const customers = useQuery({
    queryKey: [company.id, 'customers', 'palette', text],
    enabled: enabled && can('customers:read'),
    queryFn: ({ signal }) => rowsOf(api.GET('/customers', { params: { query }, signal })),
  });
  if (!enabled) return [];
  return [
    ...(products.data?.rows ?? []).map(
      (one): Hit => ({
        path: `products/${one.id}`,
        text: one.name,
        ...(one.sku === null ? {} : { more: one.sku }),
        icon: 'package',
      }),
    ),
    ...(customers.data?.rows ?? []).map(
      (one): Hit => ({
        path: `customers/${one.id}`,
        text: `${one.first_name} ${one.last_name}`.trim() || one.email,
        more: one.email,
        icon: 'users',
      }),
    ),
  ];
}
