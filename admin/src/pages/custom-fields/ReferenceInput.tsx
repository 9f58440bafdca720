import { ActionIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { dataOf, rowsOf } from '../../api/client.ts';
import { useShop } from '../../app/session.tsx';
import { t } from '../../i18n/i18n.ts';
import { Finder, type Found } from '../../ui/finder/Finder.tsx';
import type { InputProps, Value } from '../../ui/form/values.ts';
import { Icon } from '../../ui/Icon.tsx';
import css from './custom-fields.module.css';
import type { CustomField } from './queries.ts';

const FOUND = 6;
export type ReferenceType = Extract<CustomField['type'], 'media' | 'product' | 'collection'>;

/** The ids that a form has as a text. */
export function idsIn(value: Value): number[] {
  return value === '' ? [] : (JSON.parse(String(value)) as number[]);
}

/** Finds records of a type by what is typed. */
function useFind(type: ReferenceType) {
  const { api } = useShop();
  return async (search: string, signal: AbortSignal): Promise<Found[]> => {
    if (type === 'product') {
      const query = { search, per_page: FOUND };
      const { rows } = await rowsOf(api.GET('/products', { params: { query }, signal }));
      return rows.map(({ id, name, slug }) => ({ id, title: name, text: slug }));
    }
    if (type === 'media') {
      const query = { search, per_page: FOUND };
      const { rows } = await rowsOf(api.GET('/media', { params: { query }, signal }));
      return rows.map(({ id, title, kind }) => ({ id, title: title === '' ? `#${id}` : title, text: kind }));
    }
    const { rows } = await rowsOf(api.GET('/collections', { params: { query: { per_page: 100 } }, signal }));
    const wanted = search.toLowerCase();
    return rows
      .filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(wanted))
      .slice(0, FOUND)
      .map(({ id, name, slug }) => ({ id, title: name, text: slug }));
  };
}

/** The name of a record that a value refers to. */
export function Reference({ type, id }: { type: ReferenceType; id: number }) {
  const { api, company } = useShop();
  const { data } = useQuery({
    queryKey: [company.id, 'custom-fields', 'name', type, id],
    retry: false,
    queryFn: async ({ signal }) => {
      if (type === 'media') return (await dataOf(api.GET('/media/{id}', { params: { path: { id } }, signal }))).title;
      const params = { path: { id: String(id) } };
      return type === 'product'
        ? (await dataOf(api.GET('/products/{id}', { params, signal }))).name
        : (await dataOf(api.GET('/collections/{id}', { params, signal }))).name;
    },
  });
  return <span className="break">{data || `#${id}`}</span>;
}

/** Chooses records of a type; the value is their ids as JSON. */
export function ReferenceInput({ type, list, props }: { type: ReferenceType; list: boolean; props: InputProps }) {
  const { field, value, error, onChange } = props;
  const find = useFind(type);
  const ids = idsIn(value);
  const set = (next: number[]): void => onChange(next.length === 0 ? '' : JSON.stringify(next));
  return (
    <fieldset className={css.references}>
      <legend className="visually-hidden">{field.label}</legend>
      <Finder
        name={`custom-${type}`}
        label={field.label}
        error={error}
        find={find}
        onChoose={({ id }) => set(list ? [...ids, Number(id)] : [Number(id)])}
      />
      <ul className={css.rows}>
        {ids.map((id, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a list may have a record twice
          <li key={`${id} ${i}`}>
            <Reference type={type} id={id} />
            <ActionIcon
              variant="default"
              size="lg"
              aria-label={t('custom_field.remove', { name: `#${id}` })}
              onClick={() => set(ids.toSpliced(i, 1))}
            >
              <Icon name="x" />
            </ActionIcon>
          </li>
        ))}
      </ul>
    </fieldset>
  );
}
