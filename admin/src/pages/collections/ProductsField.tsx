import { ActionIcon, Button } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import { t } from '../../i18n/i18n.ts';
import type { InputProps } from '../../ui/form/values.ts';
import { Icon } from '../../ui/Icon.tsx';
import { ProductFinder } from '../products/ProductFinder.tsx';
import css from './ProductsField.module.css';

/** Names of the products that the collection has, by id. */
export const ProductNames = createContext<ReadonlyMap<number, string>>(new Map());

/** Rows that are shown at first, and added by the button. */
const SHOWN = 100;

/** The products of a collection in their order; the value is their ids as JSON. */
export function ProductsField({ field, value, error, onChange }: InputProps) {
  const names = useContext(ProductNames);
  const [added, setAdded] = useState<ReadonlyMap<number, string>>(new Map());
  const [most, setMost] = useState(SHOWN);
  const ids: number[] = JSON.parse(String(value));
  const set = (next: number[]): void => onChange(JSON.stringify(next));
  const move = (from: number, to: number): void => set(ids.toSpliced(from, 1).toSpliced(to, 0, ids[from]!));
  const nameOf = (id: number): string => names.get(id) ?? added.get(id) ?? `#${id}`;
  return (
    <fieldset className={css.field}>
      <legend className="visually-hidden">{field.label}</legend>
      <ProductFinder
        label={t('collection.find')}
        error={error}
        onChoose={({ id, name }) => {
          setAdded(new Map([...added, [id, name]]));
          if (!ids.includes(id)) set([...ids, id]);
        }}
      />
      {ids.length === 0 ? <p className="dim">{t('collection.no_products')}</p> : null}
      <ol className={css.rows}>
        {ids.slice(0, most).map((id, i) => (
          <li key={id}>
            <span className="break">{nameOf(id)}</span>
            <span className={css.actions}>
              <ActionIcon
                variant="default"
                size="lg"
                disabled={i === 0}
                aria-label={t('collection.earlier', { name: nameOf(id) })}
                onClick={() => move(i, i - 1)}
              >
                <Icon name="arrow-up" />
              </ActionIcon>
              <ActionIcon
                variant="default"
                size="lg"
                disabled={i === ids.length - 1}
                aria-label={t('collection.later', { name: nameOf(id) })}
                onClick={() => move(i, i + 1)}
              >
                <Icon name="arrow-down" />
              </ActionIcon>
              <ActionIcon
                variant="default"
                size="lg"
                aria-label={t('collection.remove', { name: nameOf(id) })}
                onClick={() => set(ids.toSpliced(i, 1))}
              >
                <Icon name="x" />
              </ActionIcon>
            </span>
          </li>
        ))}
      </ol>
      {ids.length > most ? (
        <Button variant="default" onClick={() => setMost(most + SHOWN)}>
          {t('collection.more', { n: ids.length - most })}
        </Button>
      ) : null}
    </fieldset>
  );
}
