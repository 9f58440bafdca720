import { ActionIcon, Button, Input, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { t, tOf } from '../../../i18n/i18n.ts';
import { Icon } from '../../../ui/Icon.tsx';
import { isEqual } from '../model/draft.ts';
import { JsonInput } from './JsonInput.tsx';
import { asKind, flawsOf, isObject, KINDS, type Kind, newPair, objectOf, type Pair, pairsOf } from './pairs.ts';
import type { PartProps } from './part.ts';
import css from './steps.module.css';

interface PairsProps extends PartProps {
  /** Whether values may only be texts, as in headers. */
  texts?: boolean;
}

/** An object as rows of names and values; as JSON on request, or if it is not an object. */
export function PairsInput(props: PairsProps) {
  const { label, value, texts = false } = props;
  const isRows = value === undefined || (isObject(value) && (!texts || Object.values(value).every(isText)));
  const [wantsJson, setWantsJson] = useState(false);
  const asJson = wantsJson || !isRows;
  return (
    <fieldset className={css.group} aria-label={label}>
      {asJson ? <JsonInput {...props} /> : <Rows {...props} texts={texts} />}
      {isRows ? (
        <Button size="compact-xs" variant="subtle" onClick={() => setWantsJson(!wantsJson)}>
          {t(asJson ? 'builder.pairs.rows' : 'builder.pairs.json')}
        </Button>
      ) : null}
    </fieldset>
  );
}

const isText = (value: unknown): boolean => typeof value === 'string';

function Rows({ label, description, error, value, texts, onChange }: PairsProps) {
  const known = isObject(value) ? value : {};
  const [typed, setTyped] = useState<readonly Pair[]>(() => pairsOf(known));
  const [last, setLast] = useState(value);
  const box = useRef<HTMLDivElement>(null);
  const focusOn = useRef<string | null>(null);
  // Replaced after an undo or by another step's value, but not by what was last typed here.
  let pairs = typed;
  if (value !== last) {
    if (!isEqual(value, last)) {
      pairs = pairsOf(known);
      setTyped(pairs);
    }
    setLast(value);
  }
  const flaws = flawsOf(pairs);
  useEffect(() => {
    if (focusOn.current === null) return;
    box.current?.querySelector<HTMLElement>(focusOn.current)?.focus();
    focusOn.current = null;
  });
  const take = (next: readonly Pair[]): void => {
    setTyped(next);
    const object = objectOf(next, known);
    setLast(object);
    if (!isEqual(object, value)) onChange(object);
  };
  const set = (id: number, change: (pair: Pair) => Pair): void =>
    take(pairs.map((one) => (one.id === id ? change(one) : one)));
  const add = (): void => {
    const made = newPair();
    focusOn.current = `[data-pair="${made.id}"] input`;
    take([...pairs, made]);
  };
  const remove = (id: number): void => {
    const at = pairs.findIndex((one) => one.id === id);
    const left = pairs.filter((one) => one.id !== id);
    const near = left[Math.min(at, left.length - 1)];
    focusOn.current = near === undefined ? '[data-add]' : `[data-pair="${near.id}"] [data-remove]`;
    take(left);
  };
  return (
    <Input.Wrapper label={label} description={description} error={error} labelElement="div">
      <div ref={box} className={css.rows}>
        {pairs.map((pair, i) => (
          <Row
            key={pair.id}
            pair={pair}
            place={i + 1}
            texts={texts ?? false}
            flaw={flaws.get(pair.id)}
            onChange={(change) => set(pair.id, change)}
            onRemove={() => remove(pair.id)}
          />
        ))}
        <Button data-add size="xs" variant="default" onClick={add}>
          {t('builder.pairs.add')}
        </Button>
      </div>
    </Input.Wrapper>
  );
}

interface RowProps {
  pair: Pair;
  place: number;
  texts: boolean;
  flaw: string | undefined;
  onChange(change: (pair: Pair) => Pair): void;
  onRemove(): void;
}

function Row({ pair, place, texts, flaw, onChange, onRemove }: RowProps) {
  const { id, name, kind } = pair;
  const called = name.trim() === '' ? String(place) : name;
  const ofName = flaw === 'no_name' || flaw === 'name_twice';
  const said = flaw === undefined ? undefined : tOf('builder.pairs', flaw);
  return (
    <div data-pair={id} className={css.pairRow} data-texts={texts || undefined}>
      <TextInput
        aria-label={t('builder.pairs.name', { n: place })}
        placeholder={t('builder.pairs.name.short')}
        maxLength={200}
        value={name}
        error={ofName ? said : undefined}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value;
          onChange((one) => ({ ...one, name: next }));
        }}
        onBlur={() => {
          if (name !== name.trim()) onChange((one) => ({ ...one, name: one.name.trim() }));
        }}
      />
      {texts ? null : (
        <NativeSelect
          aria-label={t('builder.pairs.kind', { name: called })}
          value={kind}
          data={KINDS.map((one) => ({ value: one, label: tOf('builder.pairs.kind', one) }))}
          onChange={({ currentTarget }) => {
            const next = currentTarget.value as Kind;
            onChange((one) => asKind(one, next));
          }}
        />
      )}
      <div className={css.pairValue}>
        <Value
          label={t('builder.pairs.value', { name: called })}
          pair={pair}
          error={ofName ? undefined : said}
          onChange={(text) => onChange((one) => ({ ...one, text }))}
        />
      </div>
      <ActionIcon
        data-remove
        className={css.pairRemove ?? ''}
        variant="subtle"
        color="gray"
        aria-label={t('builder.remove_key', { key: called })}
        onClick={onRemove}
      >
        <Icon name="x" size={16} />
      </ActionIcon>
    </div>
  );
}

interface ValueProps {
  label: string;
  pair: Pair;
  error: string | undefined;
  onChange(text: string): void;
}

function Value({ label, pair: { kind, text }, error, onChange }: ValueProps) {
  if (kind === 'boolean') {
    return (
      <NativeSelect
        aria-label={label}
        value={text}
        data={['true', 'false'].map((value) => ({ value, label: tOf('builder.pairs', value) }))}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  const shared = {
    'aria-label': label,
    placeholder: t('builder.pairs.value.short'),
    value: text,
    error,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  if (kind === 'number') return <TextInput inputMode="decimal" {...shared} />;
  const code = kind === 'json' ? { classNames: { input: css.code ?? '' } } : {};
  return <Textarea autosize minRows={1} maxRows={10} spellCheck={false} {...code} {...shared} />;
}
