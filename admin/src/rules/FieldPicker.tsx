import { NativeSelect, TextInput } from '@mantine/core';
import { useId } from 'react';
import { t } from '../i18n/i18n.ts';
import { useRules } from './context.ts';
import type { CustomField, Products, Subject } from './fields.ts';
import {
  CONTACT_FIELDS,
  fieldNamed,
  isProducts,
  MESSAGE_SOURCES,
  measuresOf,
  PRODUCT_FIELDS,
  type Source,
} from './fields.ts';
import { namesOf, type Offer } from './offer.ts';
import type { Shown } from './read.ts';
import css from './rules.module.css';
import { capital, say } from './words.ts';

interface FieldPickerProps {
  shown: Extract<Shown, { as: 'rule' | 'new' }>;
  subject: Subject;
  eventType: string | null;
  path: string;
  onChange(name: string): void;
}

/** The subject of a rule: a field of the contact, a history and its measure, or a name in the data of an event. */
export function FieldPicker({ shown, subject, eventType, path, onChange }: FieldPickerProps) {
  const { offer, problems, errors, strict } = useRules();
  const field = shown.as === 'rule' ? shown.field : null;
  const source = field?.source ?? '';
  const place = `${path}.field`;
  const pathText = source === 'option' ? t('rule.option') : t('rule.path');
  const measures = measuresOf(source);
  const named = source === 'data' || source === 'properties' || source === 'option';
  const isProblem = problems.has(place) && (strict || (named && field?.path !== ''));
  const error = errors.get(place) ?? (isProblem ? t(named ? 'rule.problem.path' : 'rule.problem.field') : undefined);
  const suggestions = useId();
  return (
    <>
      {subject === 'data' ? null : (
        <NativeSelect
          size="xs"
          className={css.what}
          aria-label={t('rule.what')}
          value={source}
          error={named ? undefined : error}
          data={isProducts(subject) ? productSources(source, subject) : sourcesOf(subject, source, offer)}
          onChange={(event) => onChange(fieldNamed(subject, event.currentTarget.value))}
        />
      )}
      {measures.length > 0 ? (
        <NativeSelect
          size="xs"
          className={css.measure}
          aria-label={t('rule.measure')}
          value={field?.measure ?? ''}
          data={measures.map((value) => ({ value, label: say(`measure.${value}`) }))}
          onChange={(event) => onChange(fieldNamed(subject, source, event.currentTarget.value))}
        />
      ) : null}
      {named ? (
        <>
          <TextInput
            size="xs"
            className={css.measure}
            aria-label={pathText}
            placeholder={pathText}
            autoComplete="off"
            list={suggestions}
            value={field?.path ?? ''}
            error={error}
            onChange={(event) => onChange(fieldNamed(subject, source, typedPath(source, event.currentTarget.value)))}
          />
          <datalist id={suggestions}>
            {(source === 'data' ? namesOf(offer, eventType) : []).map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </>
      ) : null}
    </>
  );
}

/** Names of options may have spaces. */
function typedPath(source: Source, text: string): string {
  return source === 'option' ? text.trimStart() : text.trim();
}

/** The custom fields as a group, with the chosen one where it is not among them. */
function customSources(chosen: Source, customFields: readonly CustomField[]) {
  const named = new Map(customFields.toReversed().map(({ key, name }) => [`custom.${key}`, name]));
  // The fields are not known.
  if (chosen.startsWith('custom.') && !named.has(chosen)) named.set(chosen, chosen.slice('custom.'.length));
  const items = [...named].toReversed().map(([value, label]) => ({ value, label }));
  return items.length === 0 ? [] : [{ group: t('nav.custom_fields'), items }];
}

function productSources(chosen: Source, { customFields }: Products) {
  return [
    ...(chosen === '' ? [{ value: '', label: t('rule.what.none') }] : []),
    ...Object.keys(PRODUCT_FIELDS).map((value) => ({ value, label: capital(say(`noun.${value}`)) })),
    { value: 'option', label: t('rule.what.option') },
    ...customSources(chosen, customFields ?? []),
  ];
}

function sourcesOf(subject: Subject, chosen: Source, { eventTypes, customFields }: Offer) {
  const events = eventTypes.map(({ event_type }) => `events.${event_type}`);
  // The type has been removed since.
  if (chosen.startsWith('events.') && !events.includes(chosen)) events.push(chosen);
  return [
    ...(subject === 'event' ? [{ value: 'data', label: t('rule.what.data') }] : []),
    ...(chosen === '' ? [{ value: '', label: t('rule.what.none') }] : []),
    {
      group: t('rule.what.history'),
      items: ['purchases', ...MESSAGE_SOURCES].map((value) => ({ value, label: say(`source.${value}`) })),
    },
    {
      group: t('rule.what.contact'),
      items: [
        ...Object.keys(CONTACT_FIELDS).map((value) => ({ value, label: capital(say(`noun.${value}`)) })),
        { value: 'properties', label: t('rule.what.properties') },
      ],
    },
    ...customSources(chosen, customFields),
    { group: t('rule.what.events'), items: events.map((value) => ({ value, label: value.slice('events.'.length) })) },
  ];
}
