import { Button, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, ok } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { useShop } from '../../app/session.tsx';
import { t, tOf } from '../../i18n/i18n.ts';
import { useWrite } from '../../ui/actions/useWrite.ts';
import { LoadedPart, Section } from '../../ui/DetailPage.tsx';
import { useNarrowed } from '../../ui/form/LongChoice.tsx';
import { wordsOf } from '../../ui/form/values.ts';
import { textOf } from '../../ui/messages.tsx';
import { useEveryList } from '../lists/queries.ts';
import css from './imports.module.css';
import { type Format, fieldText, type Import, type Preview, useFormats } from './queries.ts';
import { chosenOf, ReadingChoices } from './Readings.tsx';

type Options = Import['options'];
type Encoding = NonNullable<Options['encoding']>;

const ENCODINGS: readonly { value: Encoding; label: string }[] = [
  { value: 'utf-8', label: 'UTF-8' },
  { value: 'windows-1252', label: 'Windows-1252 (Excel)' },
  { value: 'utf-16le', label: 'UTF-16' },
];

/** The choice of a list that the import creates. */
const NEW_LIST = 'new';

/** Maps columns to fields, and sets what the file does not contain. */
export function Mapping({ row, onChecked }: { row: Import; onChecked: () => void }) {
  const { api, company } = useShop();
  const formats = useFormats();
  const [encoding, setEncoding] = useState<Encoding>(row.options.encoding ?? 'utf-8');
  const { id } = row;
  const preview = useQuery({
    queryKey: [company.id, 'imports', id, 'preview', encoding],
    queryFn: ({ signal }) => {
      const query = encoding === 'utf-8' ? {} : { encoding };
      return dataOf(api.GET('/imports/{id}/preview', { params: { path: { id }, query }, signal }));
    },
    retry: false,
  });
  const format = formats.data?.find((one) => one.name === row.format);
  // What the file is refused for can be put right by the choice of the encoding, or by another file.
  const refused = preview.error instanceof ApiError && preview.error.status === 400 ? textOf(preview.error) : null;
  return (
    <Section title={t('imports.mapping')}>
      <div className="stack">
        <NativeSelect
          label={t('imports.encoding')}
          description={t('imports.encoding.help')}
          error={refused}
          data={[...ENCODINGS]}
          value={encoding}
          onChange={(event) => setEncoding(event.currentTarget.value as Encoding)}
        />
        {refused === null ? (
          <LoadedPart query={preview}>
            {(shown) =>
              format === undefined ? null : (
                <Columns
                  key={encoding}
                  row={row}
                  preview={shown}
                  format={format}
                  encoding={encoding}
                  onChecked={onChecked}
                />
              )
            }
          </LoadedPart>
        ) : null}
      </div>
    </Section>
  );
}

interface ColumnsProps {
  row: Import;
  preview: Preview;
  format: Format;
  encoding: Encoding;
  onChecked: () => void;
}

function Columns({ row, preview, format, encoding, onChecked }: ColumnsProps) {
  const { api, can, company } = useShop();
  const client = useQueryClient();
  const people = format.kind === 'contacts' || format.kind === 'customers';
  const [mapping, setMapping] = useState<(string | null)[]>(row.options.mapping ?? preview.mapping);
  const [consent, setConsent] = useState<string>(row.options.email_consent ?? '');
  const [list, setList] = useState(row.options.list_id === undefined ? '' : String(row.options.list_id));
  const [listName, setListName] = useState('');
  const [tags, setTags] = useState((row.options.tags ?? []).join(', '));
  const [onlyNew, setOnlyNew] = useState(row.options.only_new ?? false);
  const [variants, setVariants] = useState(row.options.variants ?? 'grouped');
  const [untracked, setUntracked] = useState(row.options.untracked_stock?.toString() ?? '');
  const [chosen, setChosen] = useState(chosenOf(row.options));
  const needsConsent = people && !mapping.includes('email_consent');
  const lists = useEveryList(format.kind === 'contacts');
  const [listChoices, listSearch] = useNarrowed(
    (lists.data ?? []).map((one) => ({ value: String(one.list_id), label: one.name })),
    new Set([list]),
    t('imports.list'),
  );
  const createList = async (): Promise<string> => {
    const { list_id } = await ok(api.POST('/lists', { body: { name: listName, internal: true } }));
    await client.invalidateQueries({ queryKey: [company.id, 'lists'] });
    setList(String(list_id));
    return String(list_id);
  };
  const check = useWrite({
    mutationFn: async () => {
      const listId = list === NEW_LIST ? await createList() : list;
      const words = wordsOf(tags);
      const body: Options = {
        mapping,
        encoding,
        only_new: onlyNew,
        ...chosen,
        ...(needsConsent && consent !== '' ? { email_consent: consent as NonNullable<Options['email_consent']> } : {}),
        ...(listId === '' ? {} : { list_id: Number(listId) }),
        ...(format.kind === 'products' ? { variants } : {}),
        ...(untracked === '' ? {} : { untracked_stock: Number(untracked) }),
        ...(words.length === 0 ? {} : { tags: words }),
      };
      return dataOf(api.POST('/imports/{id}/check', { params: { path: { id: row.id } }, body }));
    },
    onSuccess: (next) => {
      client.setQueryData([company.id, 'imports', row.id], next);
      onChecked();
    },
  });
  // Two columns may have the same name, so the key includes the index.
  const keys = preview.header.map((name, i) => `${i} ${name}`);
  const map = (i: number, field: string): void =>
    setMapping(mapping.map((old, at) => (at === i ? (field === '' ? null : field) : old)));
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        check.mutate();
      }}
    >
      <ul className={css.columns}>
        {preview.header.map((name, i) => (
          <li key={keys[i]}>
            <div className={css.column}>
              <strong className="break">{name === '' ? t('imports.column', { n: i + 1 }) : name}</strong>
              <span className={`${css.sample} dim`}>{samplesOf(preview, i)}</span>
            </div>
            <NativeSelect
              aria-label={t('imports.field_of', { column: name === '' ? i + 1 : name })}
              value={mapping[i] ?? ''}
              onChange={(event) => map(i, event.currentTarget.value)}
              data={choicesOf(format, preview, name, mapping[i] ?? null)}
            />
          </li>
        ))}
      </ul>
      {needsConsent ? (
        <NativeSelect
          label={t('imports.consent')}
          description={t('imports.consent.help')}
          required
          value={consent}
          onChange={(event) => setConsent(event.currentTarget.value)}
          data={[
            { value: '', label: t('imports.consent.choose') },
            ...['subscribed', 'never', 'unsubscribed'].map((value) => ({
              value,
              label: tOf('imports.consent', value),
            })),
          ]}
        />
      ) : null}
      {format.kind === 'contacts' ? (
        <>
          <NativeSelect
            label={t('imports.list')}
            value={list}
            onChange={(event) => setList(event.currentTarget.value)}
            data={[
              { value: '', label: t('imports.list.none') },
              ...(can('marketing:write') ? [{ value: NEW_LIST, label: t('imports.list.new') }] : []),
              ...listChoices,
            ]}
          />
          {listSearch}
          {list === NEW_LIST ? (
            <TextInput
              label={t('imports.list.name')}
              description={t('imports.list.name.help')}
              required
              maxLength={255}
              value={listName}
              onChange={(event) => setListName(event.currentTarget.value)}
            />
          ) : null}
          <TextInput
            label={t('imports.tags')}
            description={t('imports.tags.help')}
            value={tags}
            onChange={(event) => setTags(event.currentTarget.value)}
          />
        </>
      ) : null}
      {format.kind === 'products' ? (
        <>
          <NativeSelect
            label={t('imports.variants')}
            description={t('imports.variants.help')}
            value={variants}
            onChange={(event) => setVariants(event.currentTarget.value as NonNullable<Options['variants']>)}
            data={['grouped', 'separate'].map((value) => ({ value, label: tOf('imports.variants', value) }))}
          />
          <TextInput
            label={t('imports.untracked_stock')}
            description={t('imports.untracked_stock.help')}
            inputMode="numeric"
            value={untracked}
            onChange={(event) => setUntracked(event.currentTarget.value.replace(/\D/g, '').slice(0, 9))}
          />
        </>
      ) : null}
      {format.kind === 'orders' ? null : (
        <Switch
          label={t('imports.only_new')}
          checked={onlyNew}
          onChange={(event) => setOnlyNew(event.currentTarget.checked)}
        />
      )}
      <ReadingChoices chosen={chosen} onChange={setChosen} />
      {check.error === null ? null : (
        <p role="alert" className={css.problem}>
          {textOf(check.error)}
        </p>
      )}
      <div className="row">
        <span className="dim">{t('imports.check.help')}</span>
        <span className="grow" />
        <Button type="submit" loading={check.isPending} disabled={needsConsent && consent === ''}>
          {t('imports.check')}
        </Button>
      </div>
    </form>
  );
}

function samplesOf({ sample }: Preview, i: number): string {
  const texts = sample.map((cells) => cells[i] ?? '').filter((text) => text !== '');
  return texts.length === 0 ? '–' : texts.slice(0, 2).join(' · ');
}

function choicesOf({ fields, kind }: Format, preview: Preview, header: string, current: string | null) {
  const custom = new Map(preview.custom_fields.map(({ field, name }) => [field, name]));
  const property = `property:${
    header
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, '_') || 'column'
  }`;
  const known = [...fields, ...custom.keys(), ...(kind === 'contacts' ? [property] : [])];
  const all = current === null || known.includes(current) ? known : [...known, current];
  return [
    { value: '', label: t('imports.field.none') },
    ...[...new Set(all)].map((field) => ({ value: field, label: custom.get(field) ?? choiceText(field) })),
  ];
}

function choiceText(field: string): string {
  return field.startsWith('property:')
    ? t('imports.field.property', { name: field.slice('property:'.length) })
    : fieldText(field);
}
